/*
 * An increasing arrival rate: `ramp_up_strategy` and its options, as vLLM interprets them
 * (docs/reference/arrivals.md). Over the index of the request, as in vLLM, or over time.
 */
#pragma once

#include "vllm/bench_options.h"

/*
 * A ramp over time: `n` requests are expected within its length. Its rate grows from `start` to
 * `end` and then stays constant; x counts the requests expected so far.
 */
struct exp_ramp {
	double start;
	double end;
	double length_s;
	double growth; /* ln(end/start); 0: linear */
};

bool exp_ramp_is_set(const struct vllm_bench *bench);
/* Returns whether it is a ramp over time. */
bool exp_ramp_is_timed(const struct vllm_bench *bench);
/* The ramp over time for n requests. */
struct exp_ramp exp_ramp_of(const struct vllm_bench *bench, size_t n);
/*
 * Returns when x of the n requests are expected to have arrived: the inverse of the rate's
 * integral.
 */
double exp_ramp_time(const struct exp_ramp *ramp, double x, size_t n);
/*
 * Returns arrivals per second at request i of n, planned t_s after the start; without a ramp
 * request_rate.
 */
double exp_ramp_rate(const struct vllm_bench *bench, size_t i, size_t n, double t_s);
