#include "bench/arrivals.h"

#include <math.h>

#include "base/text.h"

static bool has_ramp(const struct md_bench *bench)
{
	return bench->ramp_up_strategy != NULL;
}

static int check_ramp(const struct md_bench *bench, struct pl_err *err)
{
	int64_t start = bench->ramp_up_start_rps;
	int64_t end = bench->ramp_up_end_rps;
	bool exponential = pl_text_equal(bench->ramp_up_strategy, "exponential");

	if (!exponential && !pl_text_equal(bench->ramp_up_strategy, "linear"))
		return pl_err_set(err, PL_ERR_INVALID,
				  "'ramp_up_strategy': found '%s', expected linear or exponential",
				  bench->ramp_up_strategy);
	if (!isinf(bench->request_rate))
		return pl_err_set(err, PL_ERR_INVALID,
				  "'ramp_up_strategy' needs 'request_rate' left at inf");
	if (start == MD_NO_I64 || end == MD_NO_I64)
		return pl_err_set(
			err, PL_ERR_INVALID,
			"'ramp_up_strategy' needs 'ramp_up_start_rps' and 'ramp_up_end_rps'");
	if (start < 0 || end < 0)
		return pl_err_set(err, PL_ERR_INVALID, "ramp-up rates must not be negative");
	if (start > end)
		return pl_err_set(err, PL_ERR_INVALID,
				  "'ramp_up_start_rps' must not be above 'ramp_up_end_rps'");
	if (start == 0)
		return pl_err_set(err, PL_ERR_INVALID,
				  "'ramp_up_start_rps' must not be 0: the first request would "
				  "never be sent");
	return 0;
}

int bench_arrivals_check(const struct md_bench *bench, struct pl_err *err)
{
	if (!(bench->burstiness > 0))
		return pl_err_set(err, PL_ERR_INVALID, "'burstiness' must be above 0");
	if (has_ramp(bench))
		return check_ramp(bench, err);
	if (!(bench->request_rate > 0))
		return pl_err_set(err, PL_ERR_INVALID, "'request_rate' must be above 0");
	return 0;
}

/* The ramp runs over the index of the request, not over time: vLLM's way. */
static double rate_by_index(const struct md_bench *bench, size_t i, size_t n)
{
	double start = (double)bench->ramp_up_start_rps;
	double end = (double)bench->ramp_up_end_rps;

	if (!has_ramp(bench))
		return bench->request_rate;
	double place = (double)i / (double)(n > 1 ? n - 1 : 1);
	if (pl_text_equal(bench->ramp_up_strategy, "exponential"))
		return start * pow(end / start, place);
	return start + (end - start) * place;
}

static bool by_time(const struct md_bench *bench)
{
	return has_ramp(bench) && pl_text_equal(bench->ramp_up_by, "time");
}

/*
 * A ramp over time: `n` requests are expected within its length. Its rate grows from `start` to
 * `end` and stays there; x counts the requests expected so far.
 */
struct ramp {
	double start;
	double end;
	double length_s;
	double growth; /* ln(end/start); 0: linear */
};

static struct ramp ramp_of(const struct md_bench *bench, size_t n)
{
	struct ramp ramp = { .start = (double)bench->ramp_up_start_rps,
			     .end = (double)bench->ramp_up_end_rps };

	if (pl_text_equal(bench->ramp_up_strategy, "exponential"))
		ramp.growth = log(ramp.end / ramp.start);
	if (ramp.growth != 0)
		ramp.length_s = (double)n * ramp.growth / (ramp.end - ramp.start);
	else
		ramp.length_s = 2 * (double)n / (ramp.start + ramp.end);
	return ramp;
}

/* When x requests are expected to have come: the inverse of the rate's integral. */
static double ramp_time(const struct ramp *ramp, double x, size_t n)
{
	double slope = (ramp->end - ramp->start) / ramp->length_s;

	if (x > (double)n)
		return ramp->length_s + (x - (double)n) / ramp->end;
	if (ramp->growth != 0)
		return ramp->length_s / ramp->growth *
		       log1p(x * ramp->growth / (ramp->start * ramp->length_s));
	/* the root of slope/2 t^2 + start t = x that keeps its digits at a small slope */
	return 2 * x / (ramp->start + sqrt(ramp->start * ramp->start + 2 * slope * x));
}

static double ramp_rate(const struct ramp *ramp, double t_s)
{
	double place = fmin(t_s / ramp->length_s, 1);

	if (ramp->growth != 0)
		return ramp->start * exp(ramp->growth * place);
	return ramp->start + (ramp->end - ramp->start) * place;
}

static double delay_of(double rate, double burstiness, struct pl_nplegacy *rng)
{
	if (isinf(rate))
		return 0;
	if (isinf(burstiness))
		return 1.0 / rate;
	return pl_nplegacy_gamma(rng, burstiness, 1.0 / (rate * burstiness));
}

double bench_arrivals_rate(const struct md_bench *bench, size_t i, size_t n, double t_s)
{
	struct ramp ramp;

	if (!by_time(bench))
		return rate_by_index(bench, i, n);
	ramp = ramp_of(bench, n);
	return ramp_rate(&ramp, t_s);
}

/* Gamma delays of mean 1, laid out by the ramp: for burstiness 1 a Poisson process of its rate. */
static void build_by_time(const struct md_bench *bench, size_t n, struct pl_nplegacy *rng,
			  double *out)
{
	struct ramp ramp = ramp_of(bench, n);
	double x = 0;

	for (size_t i = 0; i < n; i++) {
		x += delay_of(1, bench->burstiness, rng);
		out[i] = ramp_time(&ramp, x, n);
	}
}

int bench_arrivals_build(const struct md_bench *bench, size_t n, struct pl_nplegacy *rng,
			 double *out, struct pl_err *err)
{
	double t = 0;

	if (bench_arrivals_check(bench, err) < 0)
		return -1;
	if (by_time(bench)) {
		build_by_time(bench, n, rng, out);
		return 0;
	}
	for (size_t i = 0; i < n; i++) {
		t += delay_of(rate_by_index(bench, i, n), bench->burstiness, rng);
		out[i] = t;
	}
	if (has_ramp(bench) || n == 0 || t == 0)
		return 0;
	double factor = (double)n / bench->request_rate / t;
	for (size_t i = 0; i < n; i++)
		out[i] *= factor;
	return 0;
}
