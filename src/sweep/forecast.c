#include "sweep/forecast.h"

#include <stdlib.h>

#include "sweep/journal.h"
#include "sweep/places.h"

void run_sweep_forecast_units(const struct run_sweep_plan *plan,
			      const struct run_sweep_tasks *tasks, const json_t *rows,
			      const struct run_sweep_room *room,
			      const struct run_sweep_settings *settings,
			      struct run_sweep_units *units, size_t *order,
			      struct run_sweep_forecast *ret)
{
	auto_free size_t *own = pl_alloc_array(units->count, sizeof(*own));
	size_t count;

	run_sweep_units_expect(plan, tasks, rows, settings->history, units, ret);
	ret->total_s = run_sweep_schedule(units->jobs, units->count, room,
					  settings->order == RUN_SWEEP_INTERLEAVED,
					  order != NULL ? order : own, &count);
	ret->at_once = room->places;
	if (ret->known == 0)
		ret->total_s = 0;
}

int run_sweep_forecast(const struct run_sweep_plan *plan, const struct run_sweep_settings *settings,
		       struct run_sweep_forecast *ret, struct pl_err *err)
{
	auto_wishes struct run_wishes *wishes = run_wishes_new((size_t)settings->gpus);
	auto_sweep_journal journal = { 0 };
	struct run_sweep_places places;
	auto_tasks left = { 0 };
	auto_units units = { 0 };

	run_sweep_tasks_make(plan, settings, &left);
	if (settings->folder != NULL && run_sweep_journal_look(settings->folder, &journal, err) < 0)
		return -1;
	run_sweep_tasks_leave(&left, journal.rows, settings);
	run_sweep_units_make(plan, &left, wishes, settings->simulate, &units);
	run_sweep_places_make(&units, run_wishes_gpus(wishes), settings, &places);
	const struct run_sweep_room room = { places.count, run_wishes_gpus(wishes) };
	run_sweep_forecast_units(plan, &left, journal.rows, &room, settings, &units, NULL, ret);
	run_sweep_places_done(&places);
	return 0;
}
