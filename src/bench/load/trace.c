#include "bench/load/trace.h"

#include <assert.h>
#include <stdlib.h>

#include "base/clock.h"
#include "bench/load/worker.h"

/* Two changes a request: there is room for all before the clock starts. */
void bench_trace_init(struct bench_trace *trace, size_t requests)
{
	*trace = (struct bench_trace){ .room = 2 * requests };
	trace->points = pl_alloc_array(trace->room, sizeof(*trace->points));
}

void bench_trace_done(struct bench_trace *trace)
{
	free(trace->points);
	trace->points = NULL;
}

/*
 * The integral takes each change at its own time, though a receive stamp may lie a little before
 * the change counted last: the sum is the same in any order. The points never go back.
 */
void bench_trace_add(struct bench_trace *trace, int64_t t_ns, int change)
{
	assert(trace->count < trace->room);
	if (trace->count > 0)
		trace->integral_ns += (double)trace->in_flight * (double)(t_ns - trace->last_ns);
	trace->last_ns = t_ns;
	trace->in_flight += change;
	assert(trace->in_flight >= 0);
	if (trace->count > 0 && trace->points[trace->count - 1].t_ns > t_ns)
		t_ns = trace->points[trace->count - 1].t_ns;
	trace->points[trace->count++] =
		(struct res_inflight){ .t_ns = t_ns, .in_flight = (int32_t)trace->in_flight };
}

void bench_trace_merge(const struct bench_worker *workers, unsigned count,
		       struct res_outcome *outcome)
{
	size_t total = 0;
	size_t at = 0;
	int32_t sum = 0;

	for (unsigned w = 0; w < count; w++) {
		total += workers[w].trace.count;
		outcome->inflight_integral_s += workers[w].trace.integral_ns / PL_NS_PER_S;
	}
	outcome->inflight = pl_alloc_array(total, sizeof(*outcome->inflight));
	outcome->inflight_count = total;
	for (unsigned w = 0; w < count; w++) {
		int32_t before = 0;
		for (size_t i = 0; i < workers[w].trace.count; i++) {
			outcome->inflight[at] = workers[w].trace.points[i];
			outcome->inflight[at++].in_flight -= before;
			before = workers[w].trace.points[i].in_flight;
		}
	}
	/* One worker's points are in order already. */
	if (count > 1)
		res_inflight_sort(outcome->inflight, total);
	for (size_t i = 0; i < total; i++) {
		sum += outcome->inflight[i].in_flight;
		outcome->inflight[i].in_flight = sum;
		if (sum > outcome->inflight_peak)
			outcome->inflight_peak = sum;
	}
}
