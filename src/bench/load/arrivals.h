/*
 * The planned send time of each request: vLLM's arrival process, with the same random draws. t_i =
 * sum of gamma(shape burstiness, scale 1/(rate_i·burstiness)) delays; without ramp-up rescaled so
 * that the last one is at n/rate (docs/reference/arrivals.md).
 */
#pragma once

#include "base/rng.h"
#include "vllm/bench_options.h"

struct bench_sample;

/*
 * Writes seconds after the start of sending into out[n]; all 0 for rate inf. Rate, burstiness and
 * ramp must be validated (experiment/check.h).
 */
void bench_arrivals_build(const struct vllm_bench *bench, size_t n, struct pl_nplegacy *rng,
			  double *out);
/* Returns the longest pause of a trace to keep, in seconds of the trace; infinity: all are kept. */
double bench_arrivals_max_gap_s(const struct vllm_bench *bench);
/*
 * Writes the times of a trace instead, by its options: faster, and with shorter pauses. The samples are in the
 * order of their times.
 */
void bench_arrivals_replay(const struct vllm_bench *bench, const struct bench_sample *samples,
			   size_t n, double *out);
