#include "result/metrics/steady.h"

#include <math.h>

#include "base/clock.h"
#include "result/metrics/families.h"
#include "result/timing.h"

/*
 * Metrics without the start and the end of a load: while a closed loop fills or drains, or an open
 * one builds up its backlog, the server is not under the requested load.
 */

struct window {
	int64_t start_ns;
	int64_t end_ns;
};

/* From the first time the loop is full to the last time it stops being full. */
static bool closed_window(const struct res_outcome *outcome, const struct res_how *how,
			  struct window *ret)
{
	auto_free struct res_inflight *changes = pl_alloc_array(outcome->count * 2,
								sizeof(*changes));
	/* Sorted starts and ends of the finished requests, an end before a start at the same time. */
	size_t count = 0;
	for (size_t i = 0; i < outcome->count; i++) {
		if (!outcome->records[i].ok)
			continue;
		struct res_timing timing = res_timing_of(&outcome->records[i]);
		if (isnan(timing.e2el_s))
			continue;
		changes[count++] = (struct res_inflight){ timing.acted_ns, 1 };
		changes[count++] = (struct res_inflight){ timing.last_chunk_ns, -1 };
	}
	res_inflight_sort(changes, count);
	double wanted = ceil(how->steady_share * (double)how->max_concurrency);
	int64_t limit = wanted > 1 ? (int64_t)wanted : 1;
	int64_t open = 0;
	bool started = false;

	for (size_t i = 0; i < count; i++) {
		open += changes[i].in_flight;
		if (!started && open >= limit) {
			ret->start_ns = changes[i].t_ns;
			started = true;
		}
		if (started && changes[i].in_flight < 0 && open == limit - 1)
			ret->end_ns = changes[i].t_ns;
	}
	return started;
}

/* The planned sends without their first and last tenth. */
static bool open_window(const struct res_outcome *outcome, struct window *ret)
{
	int64_t first_ns = INT64_MAX, last_ns = INT64_MIN;

	for (size_t i = 0; i < outcome->count; i++) {
		int64_t planned_ns = outcome->records[i].planned_ns;
		if (planned_ns == RES_NO_TIME || outcome->records[i].acted_ns == RES_NO_TIME)
			continue;
		first_ns = planned_ns < first_ns ? planned_ns : first_ns;
		last_ns = planned_ns > last_ns ? planned_ns : last_ns;
	}
	if (first_ns > last_ns)
		return false;
	ret->start_ns = first_ns + (last_ns - first_ns) / 10;
	ret->end_ns = last_ns - (last_ns - first_ns) / 10;
	return true;
}

static bool is_inside(const struct window *window, int64_t t_ns)
{
	return t_ns != RES_NO_TIME && t_ns >= window->start_ns && t_ns <= window->end_ns;
}

json_t *res_steady_compute(const struct res_outcome *outcome, const struct res_how *how,
			   const double *percentiles, size_t percentile_count)
{
	bool closed = how->max_concurrency != OPTION_NO_I64 && !how->finite_rate;
	struct window window = { 0 };
	struct res_families families;
	int64_t completed = 0;

	if (!closed && !how->finite_rate)
		return json_null();
	if (!(closed ? closed_window(outcome, how, &window) : open_window(outcome, &window)) ||
	    res_seconds(window.start_ns, window.end_ns) < how->steady_window_s)
		return json_null();

	auto_free bool *chosen = pl_alloc_array(outcome->count, sizeof(bool));
	for (size_t i = 0; i < outcome->count; i++) {
		const struct res_record *record = &outcome->records[i];
		if (!record->ok)
			continue;
		struct res_timing timing = res_timing_of(record);
		/* by the start: a request that began in the steady part is measured in it, wherever
		 * it ends */
		chosen[i] = is_inside(&window, closed ? record->acted_ns : record->planned_ns);
		completed += is_inside(&window, timing.last_chunk_ns);
	}
	json_t *steady = json_object();
	json_object_set_new(steady, "start_s",
			    pl_json_number(res_seconds(outcome->start_ns, window.start_ns)));
	json_object_set_new(steady, "end_s",
			    pl_json_number(res_seconds(outcome->start_ns, window.end_ns)));
	json_object_set_new(steady, "completed", json_integer(completed));
	res_families_collect(outcome, how, chosen, &families);
	res_families_write(&families, percentiles, percentile_count, false, steady);
	res_families_done(&families);
	return steady;
}
