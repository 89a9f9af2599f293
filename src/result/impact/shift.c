#include "result/impact/shift.h"

#include <math.h>
#include <stdlib.h>

#include "base/mem.h"
#include "base/stats.h"
#include "base/student.h"
#include "result/match/paired.h"

#define SURE        0.05
#define RANKS_LEAST 6  /* fewer differences have no interval at 95 % */
#define P_STUDENT   20 /* with fewer differences, ranks have few different p */
#define DIRECT_MAX  16 /* up to here, all means are made */
#define HALVINGS    60
#define Z_95        1.959963984540054
#define ROUNDING    1e-12

/* Returns the number of means of pairs, a value with itself included, that are at most `limit`. */
static size_t count_to(const double *x, size_t n, double limit)
{
	size_t count = 0, end = n;

	for (size_t i = 0; i < n; i++) {
		while (end > i && x[i] + x[end - 1] > 2 * limit)
			end--;
		if (end <= i)
			break;
		count += end - i;
	}
	return count;
}

/* Returns the mean of a pair with the rank, from 1. */
static double mean_at(const double *x, size_t n, size_t rank)
{
	double low = x[0], high = x[n - 1];

	for (int i = 0; i < HALVINGS && low < high; i++) {
		double middle = low + (high - low) / 2;
		if (count_to(x, n, middle) >= rank)
			high = middle;
		else
			low = middle;
	}
	return high;
}

/* Returns the number of means beyond each end of the 95 % interval, plus 1; n >= RANKS_LEAST. */
static size_t rank_of_bound(size_t n)
{
	size_t most = n * (n + 1) / 2, rank = 0;

	if (n > RES_PAIRED_EXACT_MAX) {
		double m = (double)n;
		double half = Z_95 * sqrt(m * (m + 1) * (2 * m + 1) / 24);
		return (size_t)fmax(1, floor(m * (m + 1) / 4 - half));
	}
	auto_free double *ways = pl_alloc_array(most + 1, sizeof(*ways));
	ways[0] = 1;
	for (size_t step = 1; step <= n; step++) {
		for (size_t at = most + 1; at-- > step;)
			ways[at] += ways[at - step];
	}
	/* the greatest rank with P(W < rank) <= 0.025 */
	for (double sum = 0; rank < most; rank++) {
		sum += ways[rank];
		if (ldexp(sum, -(int)n) > SURE / 2)
			break;
	}
	return rank > 0 ? rank : 1;
}

static void from_ranks(const double *x, size_t n, double *ret_center, struct res_interval *ret)
{
	size_t count = n * (n + 1) / 2, bound = rank_of_bound(n);
	size_t ranks[] = { (count + 1) / 2, count / 2 + 1, bound, count + 1 - bound };
	double found[PL_ARRAY_SIZE(ranks)];

	if (n <= DIRECT_MAX) {
		double means[DIRECT_MAX * (DIRECT_MAX + 1) / 2];
		size_t at = 0;
		for (size_t i = 0; i < n; i++) {
			for (size_t k = i; k < n; k++)
				means[at++] = (x[i] + x[k]) / 2;
		}
		pl_stats_sort(means, count);
		for (size_t i = 0; i < PL_ARRAY_SIZE(ranks); i++)
			found[i] = means[ranks[i] - 1];
	} else {
		for (size_t i = 0; i < PL_ARRAY_SIZE(ranks); i++)
			found[i] = mean_at(x, n, ranks[i]);
	}
	*ret_center = (found[0] + found[1]) / 2;
	*ret = (struct res_interval){ found[2], found[3] };
}

void res_impact_shift_of(double *x, size_t n, struct res_impact_ratio *ret)
{
	struct res_interval interval = { NAN, NAN };
	double count = (double)n, center, p = NAN;

	pl_stats_sort(x, n);
	center = pl_stats_mean(x, n);
	double error = n > 1 ? pl_stats_std(x, n) / sqrt(count - 1) : NAN;
	*ret = (struct res_impact_ratio){ .cell_count = n };
	if (n > 1 && error > ROUNDING) {
		double half = pl_student_t(SURE, count - 1) * error;
		interval = (struct res_interval){ center - half, center + half };
		p = pl_student_p(center / error, count - 1);
		ret->method = RES_IMPACT_STUDENT;
	} else if (n > 1) {
		/* equal differences: a metric that the inputs determine */
		interval = (struct res_interval){ center, center };
		p = fabs(center) > ROUNDING ? 0 : 1;
		ret->method = RES_IMPACT_STUDENT;
	}
	if (n >= RANKS_LEAST && error > ROUNDING) {
		from_ranks(x, n, &center, &interval);
		ret->method = RES_IMPACT_RANKS;
	}
	if (n >= P_STUDENT && error > ROUNDING)
		p = res_paired_rank(x, n).p;
	ret->ratio = exp(center);
	ret->interval = (struct res_interval){ exp(interval.low), exp(interval.high) };
	ret->p = p;
}
