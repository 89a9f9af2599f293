/*
 * How long what is left of a sweep takes, and in which order its server lives are started.
 */
#pragma once

#include "sweep/units.h"

/*
 * run_sweep_forecast() of units amid their run; ret->starts of them wait. order: in which, [units->count];
 * NULL: nobody asks.
 */
void run_sweep_forecast_units(const struct run_sweep_plan *plan,
			      const struct run_sweep_tasks *tasks, const json_t *rows,
			      const struct run_sweep_room *room,
			      const struct run_sweep_settings *settings,
			      struct run_sweep_units *units, size_t *order,
			      struct run_sweep_forecast *ret);
