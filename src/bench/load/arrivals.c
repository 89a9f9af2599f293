#include "bench/load/arrivals.h"

#include <math.h>

#include "experiment/ramp.h"

/* Each test is written so that NaN, which a file can hold, fails it. */
int bench_arrivals_check(const struct vllm_bench *bench, struct pl_err *err)
{
	if (!(bench->burstiness > 0))
		return pl_err_set(err, PL_ERR_INVALID, "'burstiness' must be above 0");
	if (exp_ramp_is_asked(bench))
		return exp_ramp_check(bench, err);
	if (!(bench->request_rate > 0))
		return pl_err_set(err, PL_ERR_INVALID, "'request_rate' must be above 0");
	return 0;
}

/*
 * The mean is 1/rate whatever the burstiness; only the spread differs (variance
 * 1/(burstiness·rate²)). Without a rate nothing is drawn at all, as in vLLM: the generator is
 * shared with what is drawn next.
 */
static double delay_of(double rate, double burstiness, struct pl_nplegacy *rng)
{
	if (isinf(rate))
		return 0;
	if (isinf(burstiness))
		return 1.0 / rate;
	return pl_nplegacy_gamma(rng, burstiness, 1.0 / (rate * burstiness));
}

/* Gamma delays of mean 1, laid out by the ramp: for burstiness 1 a Poisson process of its rate. */
static void build_by_time(const struct vllm_bench *bench, size_t n, struct pl_nplegacy *rng,
			  double *out)
{
	struct exp_ramp ramp = exp_ramp_of(bench, n);
	double x = 0;

	for (size_t i = 0; i < n; i++) {
		x += delay_of(1, bench->burstiness, rng);
		out[i] = exp_ramp_time(&ramp, x, n);
	}
}

int bench_arrivals_build(const struct vllm_bench *bench, size_t n, struct pl_nplegacy *rng,
			 double *out, struct pl_err *err)
{
	double t = 0;

	if (bench_arrivals_check(bench, err) < 0)
		return -1;
	if (exp_ramp_is_timed(bench)) {
		build_by_time(bench, n, rng, out);
		return 0;
	}
	for (size_t i = 0; i < n; i++) {
		t += delay_of(exp_ramp_rate(bench, i, n, 0), bench->burstiness, rng);
		out[i] = t;
	}
	if (exp_ramp_is_asked(bench) || n == 0 || t == 0)
		return 0;
	/*
	 * vLLM stretches a finite run so that its last request comes at n/rate: the rate that was
	 * asked for is then met exactly and not only in the mean. A ramp has no one rate to be met.
	 */
	double factor = (double)n / bench->request_rate / t;
	for (size_t i = 0; i < n; i++)
		out[i] *= factor;
	return 0;
}
