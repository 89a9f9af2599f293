/*
 * When each request is to be sent: vLLM's arrival process, draw for draw.
 * t_i = sum of gamma(shape burstiness, scale 1/(rate_i·burstiness)) delays, rescaled without
 * ramp-up so that the last is at n/rate (docs/reference/arrivals.md).
 */
#pragma once

#include "base/rng.h"
#include "vllm/bench_options.h"

/* Seconds after the start of sending into out[n]; all 0 for rate inf. Rate, burstiness and ramp were
 * checked (experiment/check.h). */
void bench_arrivals_build(const struct vllm_bench *bench, size_t n, struct pl_nplegacy *rng,
			  double *out);
