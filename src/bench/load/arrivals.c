#include "bench/load/arrivals.h"

#include <math.h>

#include "base/clock.h"
#include "bench/data/dataset.h"
#include "experiment/ramp.h"

/*
 * The mean is 1/rate whatever the burstiness; only the spread differs (variance
 * 1/(burstiness·rate²)). Without a rate there are no draws, as in vLLM: later draws use the same
 * generator.
 */
static double delay_of(double rate, double burstiness, struct pl_nplegacy *rng)
{
	if (isinf(rate))
		return 0;
	if (isinf(burstiness))
		return 1.0 / rate;
	return pl_nplegacy_gamma(rng, burstiness, 1.0 / (rate * burstiness));
}

void bench_arrivals_build(const struct vllm_bench *bench, size_t n, struct pl_nplegacy *rng,
			  double *out)
{
	double t = 0;

	if (exp_ramp_is_timed(bench)) {
		/* Gamma delays of mean 1, laid out by the ramp: for burstiness 1 a Poisson process of its rate. */
		struct exp_ramp ramp = exp_ramp_of(bench, n);
		double x = 0;
		for (size_t i = 0; i < n; i++) {
			x += delay_of(1, bench->burstiness, rng);
			out[i] = exp_ramp_time(&ramp, x, n);
		}
		return;
	}
	for (size_t i = 0; i < n; i++) {
		t += delay_of(exp_ramp_rate(bench, i, n, 0), bench->burstiness, rng);
		out[i] = t;
	}
	if (exp_ramp_is_set(bench) || n == 0 || t == 0)
		return;
	/*
	 * vLLM scales a finite run so that its last request is at n/rate: the run then has exactly
	 * the requested rate and not only on average. A ramp has no single rate.
	 */
	double factor = (double)n / bench->request_rate / t;
	for (size_t i = 0; i < n; i++)
		out[i] *= factor;
}

double bench_arrivals_max_gap_s(const struct vllm_bench *bench)
{
	return bench->timed_trace_max_gap == OPTION_NO_I64
		       ? INFINITY
		       : (double)bench->timed_trace_max_gap / PL_NS_PER_S;
}

void bench_arrivals_replay(const struct vllm_bench *bench, const struct bench_sample *samples,
			   size_t n, double *out)
{
	double most_s = bench_arrivals_max_gap_s(bench);
	double t = 0;

	for (size_t i = 0; i < n; i++) {
		t += i == 0 ? 0 : fmin(samples[i].time_s - samples[i - 1].time_s, most_s);
		out[i] = t / bench->timed_trace_speed;
	}
}
