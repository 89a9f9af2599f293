/*
 * The planned send time of each request: vLLM's arrival process, with the same random draws. t_i =
 * sum of gamma(shape burstiness, scale 1/(rate_i·burstiness)) delays; without ramp-up rescaled so
 * that the last one is at n/rate (docs/reference/arrivals.md).
 */
#pragma once

#include "base/rng.h"
#include "vllm/bench_options.h"

/*
 * Writes seconds after the start of sending into out[n]; all 0 for rate inf. Rate, burstiness and
 * ramp must be validated (experiment/check.h).
 */
void bench_arrivals_build(const struct vllm_bench *bench, size_t n, struct pl_nplegacy *rng,
			  double *out);
