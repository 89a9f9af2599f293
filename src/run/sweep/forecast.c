/*
 * How long what is left takes: medians of what is over, of starts and of runs beside them.
 */
#include <stdlib.h>
#include <string.h>

#include "run/sweep/tasks.h"

static int compare(const void *a, const void *b)
{
	double one = *(const double *)a;
	double other = *(const double *)b;

	return (one > other) - (one < other);
}

static double median(double *values, size_t count)
{
	if (count == 0)
		return 0;
	qsort(values, count, sizeof(*values), compare);
	return (values[(count - 1) / 2] + values[count / 2]) / 2;
}

void run_sweep_forecast_rows(const struct run_sweep_plan *plan, const struct run_sweep_tasks *all,
			     const json_t *rows, const struct run_sweep_settings *settings,
			     struct run_sweep_forecast *ret)
{
	size_t room = json_object_size(rows);
	auto_free double *starts = pl_alloc_array(room, sizeof(*starts));
	auto_free double *runs = pl_alloc_array(room, sizeof(*runs));
	struct run_sweep_tasks left = { 0 };
	size_t start_count = 0;

	*ret = (struct run_sweep_forecast){ 0 };
	PL_JSON_EACH_MEMBER(key, row, rows) {
		double wall_s = pl_json_get_f64(row, "wall_s");
		double ready_s = pl_json_get_f64(row, "ready_s");
		if (!json_is_number(json_object_get(row, "duration")))
			continue;
		runs[ret->known++] = wall_s - ready_s;
		if (ready_s > 0)
			starts[start_count++] = ready_s;
	}
	left.items = (struct run_sweep_task *)pl_memdup(all->items,
							all->count * sizeof(*all->items));
	left.count = all->count;
	run_sweep_tasks_leave(&left, rows, settings);
	ret->runs = left.count;
	for (size_t i = 0; i < left.count; i++)
		ret->starts += i == 0 || !run_sweep_same_server(plan, &left, i - 1, i);
	ret->start_s = median(starts, start_count);
	ret->run_s = median(runs, ret->known);
	ret->total_s = (double)ret->runs * ret->run_s + (double)ret->starts * ret->start_s;
	run_sweep_tasks_done(&left);
}

int run_sweep_forecast(const struct run_sweep_plan *plan, const struct run_sweep_settings *settings,
		       struct run_sweep_forecast *ret, struct pl_err *err)
{
	auto_sweep_journal journal = { 0 };
	auto_tasks all = { 0 };
	const char *folder = settings->folder;

	run_sweep_tasks_make(plan, settings, &all);
	if (folder != NULL && run_sweep_journal_look(folder, &journal, err) < 0)
		return -1;
	run_sweep_forecast_rows(plan, &all, journal.rows, settings, ret);
	return 0;
}
