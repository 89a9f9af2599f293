/*
 * What a sweep over a load's variable goes by: request_rate or max_concurrency, an estimate of the
 * server's own, and the values that are worth a look.
 */
#pragma once

#include "base/json.h"

/*
 * The variable at which the server would be as busy as in these runs, the mean over all of them: their
 * throughput, or by Little's law throughput times latency. -1: a figure is missing.
 */
int sweep_vllm_estimate(const json_t *runs, const char *variable, double *ret,
			struct pl_err *err) PL_MUST_CHECK;

/*
 * Whole numbers between lo and hi, without both: of `count` points in equal distances, rounded half to
 * even, each once and rising. What is below 1 is left out. New reference.
 */
json_t *sweep_vllm_between(double lo, double hi, int64_t count);

/* The mean of a figure over runs. -1: one of them has none, or no number. */
int sweep_vllm_mean(const json_t *runs, const char *key, double *ret,
		    struct pl_err *err) PL_MUST_CHECK;
