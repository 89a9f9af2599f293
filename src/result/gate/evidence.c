#include "result/gate/evidence.h"

#include <math.h>

#include "base/stats.h"

#define NODES    160 /* of Simpson's rule; even */
#define REACH    9.0 /* standard deviations of the integrand around its peak */
#define HALVINGS 60
#define WIDEST   20.0 /* logarithms of ratios: bounds beyond are infinite */

static const double effects[] = { 0.25, 0.5, 1, 2, 4 };
#define EFFECTS (sizeof(effects) / sizeof(effects[0]))

static double sum_squares(const double *x, size_t n)
{
	double deviation = pl_stats_std(x, n);

	return n > 0 ? deviation * deviation * (double)n : 0;
}

struct res_evidence res_evidence_of_pairs(const double *x, size_t n)
{
	return (struct res_evidence){ .mean = pl_stats_mean(x, n),
				      .sum_squares = sum_squares(x, n),
				      .weight = (double)n,
				      .freedom = (double)n - 1 };
}

struct res_evidence res_evidence_of_groups(const double *a, size_t m, const double *b, size_t k)
{
	if (m == 0 || k == 0)
		return (struct res_evidence){ .mean = NAN };
	return (struct res_evidence){ .mean = pl_stats_mean(b, k) - pl_stats_mean(a, m),
				      .sum_squares = sum_squares(a, m) + sum_squares(b, k),
				      .weight = (double)m * (double)k / (double)(m + k),
				      .freedom = (double)(m + k) - 2 };
}

/* Returns the logarithm of the integral of y^v · exp(-y²/2 + a·y) over y > 0. */
static double log_integral(double v, double a)
{
	double peak = (a + sqrt(a * a + 4 * v)) / 2, from = fmax(peak - REACH, 0);
	double step = (peak + REACH - from) / NODES;
	double most = v * log(peak) - peak * peak / 2 + a * peak, sum = 0;

	for (int i = 0; i <= NODES; i++) {
		double y = from + step * i, weight = i == 0 || i == NODES ? 1 : i % 2 == 1 ? 4 : 2;
		if (y > 0)
			sum += weight * exp(v * log(y) - y * y / 2 + a * y - most);
	}
	return most + log(sum * step / 3);
}

double res_evidence_above(const struct res_evidence *evidence, double c)
{
	double distance = (evidence->mean - c) * sqrt(evidence->weight);
	double length = sqrt(distance * distance + evidence->sum_squares), logs[EFFECTS];
	double most = -INFINITY, sum = 0;

	if (!(evidence->freedom > 0) || !(length > 0))
		return -INFINITY;
	double r = distance / length, none = log_integral(evidence->freedom, 0);
	for (size_t i = 0; i < EFFECTS; i++) {
		double shift = effects[i] * sqrt(evidence->weight);
		logs[i] = -shift * shift / 2 + log_integral(evidence->freedom, shift * r) - none;
		most = fmax(most, logs[i]);
	}
	for (size_t i = 0; i < EFFECTS; i++)
		sum += exp(logs[i] - most);
	return most + log(sum / EFFECTS);
}

double res_evidence_below(const struct res_evidence *evidence, double c)
{
	struct res_evidence mirrored = *evidence;

	mirrored.mean = -evidence->mean;
	return res_evidence_above(&mirrored, -c);
}

/* Returns the distance below the mean from which on the evidence reaches `limit`. */
static double reach(const struct res_evidence *evidence, double limit)
{
	double near = 0, far = WIDEST;

	if (res_evidence_above(evidence, evidence->mean - far) < limit)
		return INFINITY;
	for (int i = 0; i < HALVINGS; i++) {
		double middle = (near + far) / 2;
		if (res_evidence_above(evidence, evidence->mean - middle) < limit)
			near = middle;
		else
			far = middle;
	}
	return far;
}

struct res_interval res_evidence_interval(const struct res_evidence *evidence, double alpha,
					  double beta)
{
	struct res_interval none = { -INFINITY, INFINITY };

	if (!(evidence->freedom > 0) || !isfinite(evidence->mean))
		return none;
	/* the evidence depends on the distance from the mean only, so both bounds are alike */
	return (struct res_interval){ evidence->mean - reach(evidence, -log(alpha)),
				      evidence->mean + reach(evidence, -log(beta)) };
}
