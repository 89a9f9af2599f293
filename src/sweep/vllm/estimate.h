/*
 * The variable of a load sweep, request_rate or max_concurrency: an estimate from the server's performance, and the
 * values to measure.
 */
#pragma once

#include "base/json.h"

/*
 * Returns the value at which the server would be as busy as in these runs, as the mean over all of them: their
 * throughput, or by Little's law throughput times latency. -1: a metric is missing.
 */
int sweep_vllm_estimate(const json_t *runs, const char *variable, double *ret,
			struct pl_err *err) PL_MUST_CHECK;

/*
 * Returns the whole numbers strictly between lo and hi: `count` equidistant points, rounded half to even, each once and
 * ascending. Values below 1 are omitted. New reference.
 */
json_t *sweep_vllm_between(double lo, double hi, int64_t count);

/* Returns the mean of a metric over runs. -1: a run lacks it, or it is not a number. */
int sweep_vllm_mean(const json_t *runs, const char *key, double *ret,
		    struct pl_err *err) PL_MUST_CHECK;
