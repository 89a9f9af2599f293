/*
 * What a load gave back, whoever sent it: a record for each request and what the sender knows of
 * itself. Figures and quality are made from this alone.
 */
#pragma once

#include "base/mem.h"
#include "result/record.h"

enum res_end { RES_END_ALL, RES_END_STALLED, RES_END_RUN_TIMEOUT, RES_END_STOPPED };

/* In-flight after each change, for comparison with the server's own counts. */
struct res_inflight {
	int64_t t_ns;
	int32_t in_flight;
};

struct res_outcome {
	struct res_record
		*records; /* [count], in plan order; not acted on: acted_ns none, ok false */
	size_t count;
	struct res_record *
		*tries; /* [try_count] failed ones that were followed by another, in order */
	size_t try_count;
	enum res_end end;
	char *silence; /* what the server said when it sent nothing for stall_timeout; NULL: not asked; owned */
	int64_t start_ns; /* clock at the start of sending */
	int64_t end_ns;   /* the last answer was whole, or the last request failed */
	int64_t last_send_ns;
	int64_t clock_step_ns;       /* change of realtime - monotonic over the run */
	double worker_cpu_share_max; /* less what was waited awake */
	double *queueing_ms; /* user - kernel stamp of each read with a stamp (a sample of at most 1e6) */
	size_t queueing_count;
	double inflight_integral_s; /* of the loop's own counter */
	struct res_inflight *inflight;
	size_t inflight_count;
	int64_t inflight_peak; /* OPTION_NO_I64: not counted, it is made from the records */
	size_t connections;    /* opened */
	unsigned worker_count; /* of load.threads: as many as had enough to do */
	bool realtime_granted;
};

void res_outcome_free(struct res_outcome *outcome);
PL_AUTO_DEFINE(struct res_outcome, res_outcome_free);
/* By time, where `in_flight` holds the change and not yet the sum: at one moment ends come before
 * starts. */
void res_inflight_sort(struct res_inflight *changes, size_t count);
