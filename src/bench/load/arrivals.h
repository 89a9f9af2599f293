/*
 * When each request is to be sent: vLLM's arrival process, draw for draw.
 * t_i = sum of gamma(shape burstiness, scale 1/(rate_i·burstiness)) delays, rescaled without
 * ramp-up so that the last is at n/rate (docs/reference/arrivals.md).
 */
#ifndef BENCH_LOAD_ARRIVALS_H
#define BENCH_LOAD_ARRIVALS_H

#include "base/err.h"
#include "base/rng.h"
#include "vllm/bench_options.h"

/* -1 for a rate, burstiness or ramp-up that cannot be: to be called before a server is started. */
int bench_arrivals_check(const struct vllm_bench *bench, struct pl_err *err) PL_MUST_CHECK;
/* Seconds after the start of sending into out[n]; all 0 for rate inf. */
int bench_arrivals_build(const struct vllm_bench *bench, size_t n, struct pl_nplegacy *rng,
			 double *out, struct pl_err *err) PL_MUST_CHECK;

#endif
