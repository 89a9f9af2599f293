#include "sweep/forecast.h"

#include <stdlib.h>

#include "sweep/journal.h"
#include "sweep/places.h"

void sweep_forecast_units(const struct sweep_plan *plan, const struct sweep_tasks *tasks,
			  const json_t *rows, const struct sweep_room *room,
			  const struct sweep_settings *settings, struct sweep_units *units,
			  size_t *order, struct sweep_forecast *ret)
{
	auto_free size_t *own = pl_alloc_array(units->count, sizeof(*own));
	size_t count;

	sweep_units_expect(plan, tasks, rows, settings->history, units, ret);
	ret->total_s = sweep_schedule(units->jobs, units->count, room,
				      settings->order == SWEEP_INTERLEAVED,
				      order != NULL ? order : own, &count);
	ret->at_once = room->places;
	if (ret->known == 0)
		ret->total_s = 0;
}

int sweep_forecast(const struct sweep_plan *plan, const struct sweep_settings *settings,
		   struct sweep_forecast *ret, struct pl_err *err)
{
	auto_wishes struct run_wishes *wishes = run_wishes_new((size_t)settings->gpus);
	auto_sweep_journal journal = { 0 };
	struct sweep_places places;
	auto_tasks left = { 0 };
	auto_units units = { 0 };

	sweep_tasks_make(plan, settings, &left);
	if (settings->folder != NULL && sweep_journal_look(settings->folder, &journal, err) < 0)
		return -1;
	sweep_tasks_leave(&left, journal.rows, settings);
	sweep_units_make(plan, &left, wishes, settings->simulate, &units);
	sweep_places_make(&units, run_wishes_gpus(wishes), settings, &places);
	const struct sweep_room room = { places.count, run_wishes_gpus(wishes) };
	sweep_forecast_units(plan, &left, journal.rows, &room, settings, &units, NULL, ret);
	sweep_places_done(&places);
	return 0;
}
