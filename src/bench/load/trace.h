/*
 * How many requests were in flight when: counted by the workers themselves, apart from the records, so
 * that one proves the other. A worker's own until the merge.
 */
#pragma once

#include "result/outcome.h"

#include <stddef.h>
#include <stdint.h>

struct bench_worker;

/* The loop's own count of open requests, apart from the records. */
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
/* All workers' traces as one: sums, and the peak of the sum. */
void bench_trace_merge(const struct bench_worker *workers, unsigned count,
		       struct res_outcome *outcome);
