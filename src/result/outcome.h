/*
 * The outcome of a load, independent of its sender: a record per request, and the sender's data
 * about itself. Metrics and quality checks use nothing else.
 */
#pragma once

#include "base/mem.h"
#include "result/record.h"

enum res_end { RES_END_ALL, RES_END_STALLED, RES_END_RUN_TIMEOUT, RES_END_STOPPED };

/* Number of requests in flight after each change, for comparison with the server's counts. */
struct res_inflight {
	int64_t t_ns;
	int32_t in_flight;
};

struct res_outcome {
	struct res_record
		*records; /* [count], in plan order; not acted on: acted_ns none, ok false */
	size_t count;
	struct res_record **tries; /* [try_count] failed tries that were retried, in order */
	size_t try_count;
	enum res_end end;
	/* the server's state after no data for stall_timeout; NULL: not asked; owned */
	char *silence;
	int64_t start_ns; /* clock at the start of sending */
	int64_t end_ns;   /* the last response was complete, or the last request failed */
	int64_t last_send_ns;
	int64_t clock_step_ns;       /* change of realtime - monotonic over the run */
	double worker_cpu_share_max; /* without busy waiting */
	/* user - kernel timestamp of each read with a timestamp (a sample of at most 1e6) */
	double *queueing_ms;
	size_t queueing_count;
	double inflight_integral_s; /* from the loop's own counter */
	struct res_inflight *inflight;
	size_t inflight_count;
	int64_t inflight_peak;     /* OPTION_NO_I64: not counted; computed from the records */
	size_t connections;        /* opened */
	int64_t min_round_trip_ns; /* of all TCP connections, by the kernel; 0: not measured */
	unsigned worker_count;     /* at most load.threads: as many as had enough work */
	bool realtime_granted;
};

void res_outcome_free(struct res_outcome *outcome);
PL_AUTO_DEFINE(struct res_outcome, res_outcome_free);
/* Returns whether the requests are those of a pooling backend, which have no output tokens. */
bool res_outcome_pools(const struct res_outcome *outcome);
/*
 * Sorts by time while `in_flight` holds the change and not yet the sum; at equal times ends come
 * before starts.
 */
void res_inflight_sort(struct res_inflight *changes, size_t count);
