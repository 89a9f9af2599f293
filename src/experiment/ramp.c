#include "experiment/ramp.h"

#include <math.h>

#include "base/text.h"

bool exp_ramp_is_set(const struct vllm_bench *bench)
{
	return bench->ramp_up_strategy != NULL;
}

bool exp_ramp_is_timed(const struct vllm_bench *bench)
{
	return exp_ramp_is_set(bench) && pl_text_equal(bench->ramp_up_by, "time");
}

struct exp_ramp exp_ramp_of(const struct vllm_bench *bench, size_t n)
{
	struct exp_ramp ramp = { .start = (double)bench->ramp_up_start_rps,
				 .end = (double)bench->ramp_up_end_rps };

	if (pl_text_equal(bench->ramp_up_strategy, "exponential"))
		ramp.growth = log(ramp.end / ramp.start);
	if (ramp.growth != 0)
		ramp.length_s = (double)n * ramp.growth / (ramp.end - ramp.start);
	else
		ramp.length_s = 2 * (double)n / (ramp.start + ramp.end);
	return ramp;
}

double exp_ramp_time(const struct exp_ramp *ramp, double x, size_t n)
{
	double slope = (ramp->end - ramp->start) / ramp->length_s;

	if (x > (double)n)
		return ramp->length_s + (x - (double)n) / ramp->end;
	if (ramp->growth != 0)
		return ramp->length_s / ramp->growth *
		       log1p(x * ramp->growth / (ramp->start * ramp->length_s));
	/* the root of slope/2 t^2 + start t = x in a form that is accurate for small slopes */
	return 2 * x / (ramp->start + sqrt(ramp->start * ramp->start + 2 * slope * x));
}

static double rate_by_index(const struct vllm_bench *bench, size_t i, size_t n)
{
	double start = (double)bench->ramp_up_start_rps;
	double end = (double)bench->ramp_up_end_rps;

	if (!exp_ramp_is_set(bench))
		return bench->request_rate;
	double location = (double)i / (double)(n > 1 ? n - 1 : 1);
	if (pl_text_equal(bench->ramp_up_strategy, "exponential"))
		return start * pow(end / start, location);
	return start + (end - start) * location;
}

double exp_ramp_rate(const struct vllm_bench *bench, size_t i, size_t n, double t_s)
{
	if (!exp_ramp_is_timed(bench))
		return rate_by_index(bench, i, n);
	struct exp_ramp ramp = exp_ramp_of(bench, n);
	double location = fmin(t_s / ramp.length_s, 1);
	if (ramp.growth != 0)
		return ramp.start * exp(ramp.growth * location);
	return ramp.start + (ramp.end - ramp.start) * location;
}
