/*
 * How long what is left of a sweep takes, and in which order its server lives are started.
 */
#pragma once

#include "sweep/units.h"

/*
 * sweep_forecast() of units amid their run; ret->starts of them wait. order: in which, [units->count];
 * NULL: nobody asks.
 */
void sweep_forecast_units(const struct sweep_plan *plan, const struct sweep_tasks *tasks,
			  const json_t *rows, const struct sweep_room *room,
			  const struct sweep_settings *settings, struct sweep_units *units,
			  size_t *order, struct sweep_forecast *ret);
