/* The estimated duration of a sweep's remaining runs, and the order in which its servers are started. */
#pragma once

#include "sweep/batches.h"

/*
 * sweep_forecast() of units during the sweep; ret->starts of them are waiting. order: the order of the starts,
 * [units->count], or NULL.
 */
void sweep_forecast_units(const struct sweep_plan *plan, const struct sweep_tasks *tasks,
			  const json_t *rows, const struct sweep_room *room,
			  const struct sweep_settings *settings, struct sweep_batches *units,
			  size_t *order, struct sweep_forecast *ret);
