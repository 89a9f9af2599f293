/*
 * The number of requests in flight over time, counted by the workers independently of the records,
 * so that each verifies the other. One object per worker until the merge.
 */
#pragma once

#include "result/outcome.h"

#include <stddef.h>
#include <stdint.h>

struct bench_worker;

/* The loop's count of open requests, independent of the records. */
struct bench_trace {
	struct res_inflight *points;
	size_t count;
	size_t room;
	int64_t in_flight;
	int64_t last_ns;
	double integral_ns;
};

void bench_trace_init(struct bench_trace *trace, size_t requests);
void bench_trace_done(struct bench_trace *trace);
void bench_trace_add(struct bench_trace *trace, int64_t t_ns, int change);
/* Merges all workers' traces: sums, and the peak of the sum. */
void bench_trace_merge(const struct bench_worker *workers, unsigned count,
		       struct res_outcome *outcome);
