#include "sweep/forecast.h"

#include <stdlib.h>

#include "sweep/journal.h"
#include "sweep/slots.h"

void sweep_forecast_units(const struct sweep_plan *plan, const struct sweep_tasks *tasks,
			  const json_t *rows, const struct sweep_room *room,
			  const struct sweep_settings *settings, struct sweep_batches *units,
			  size_t *order, struct sweep_forecast *ret)
{
	auto_free size_t *order_kept = pl_alloc_array(units->count, sizeof(*order_kept));
	size_t count;

	sweep_batches_expect(plan, tasks, rows, settings->history, units, ret);
	ret->total_s = sweep_schedule(units->jobs, units->count, room,
				      settings->order == SWEEP_INTERLEAVED,
				      order != NULL ? order : order_kept, &count);
	ret->at_once = room->slots;
	if (ret->known == 0)
		ret->total_s = 0;
}

int sweep_forecast(const struct sweep_plan *plan, const struct sweep_settings *settings,
		   struct sweep_forecast *ret, struct pl_err *err)
{
	auto_gpu_survey struct run_gpu_survey *survey = run_gpu_survey_new((size_t)settings->gpus);
	auto_sweep_journal journal = { 0 };
	struct sweep_slots slots;
	auto_tasks left = { 0 };
	auto_batches units = { 0 };

	sweep_tasks_make(plan, settings, &left);
	if (settings->folder != NULL && sweep_journal_look(settings->folder, &journal, err) < 0)
		return -1;
	sweep_tasks_leave(&left, journal.rows, settings);
	sweep_batches_make(plan, &left, survey, settings->simulate, &units);
	sweep_slots_make(&units, run_gpu_survey_count(survey), settings, &slots);
	const struct sweep_room room = { slots.count, run_gpu_survey_count(survey) };
	sweep_forecast_units(plan, &left, journal.rows, &room, settings, &units, NULL, ret);
	sweep_slots_done(&slots);
	return 0;
}
