#include "base/buckets.h"

#include <math.h>
#include <string.h>

#define COUNT_MAX 9007199254740992.0 /* up to here a double has every whole number */

void pl_buckets_add(struct pl_buckets *buckets, double bound, double total)
{
	size_t at = buckets->size;

	while (at > 0 && buckets->bounds[at - 1] >= bound)
		at--;
	if (at < buckets->size && !(buckets->bounds[at] > bound)) {
		buckets->totals[at] += total;
		return;
	}
	if (buckets->size == PL_BUCKETS_MAX)
		return;
	size_t rest = buckets->size - at;
	memmove(&buckets->bounds[at + 1], &buckets->bounds[at], rest * sizeof(double));
	memmove(&buckets->totals[at + 1], &buckets->totals[at], rest * sizeof(double));
	buckets->bounds[at] = bound;
	buckets->totals[at] = total;
	buckets->size++;
}

static bool is_count(double value)
{
	return value >= 0 && value <= COUNT_MAX && value == floor(value);
}

static bool is_sound(const struct pl_buckets *buckets)
{
	double below = 0;

	for (size_t i = 0; i < buckets->size; i++) {
		if (!is_count(buckets->totals[i]) || buckets->totals[i] < below)
			return false;
		below = buckets->totals[i];
	}
	return is_count(buckets->count) && below <= buckets->count && isfinite(buckets->sum) &&
	       buckets->sum >= 0;
}

static bool have_same_bounds(const struct pl_buckets *a, const struct pl_buckets *b)
{
	bool same = a->size == b->size;

	for (size_t i = 0; same && i < a->size; i++)
		same = !(fabs(a->bounds[i] - b->bounds[i]) > 0);
	return same;
}

bool pl_buckets_between(const struct pl_buckets *before, const struct pl_buckets *after,
			struct pl_buckets *ret)
{
	struct pl_buckets between = *after;
	bool is_first = before->size == 0 && !(before->count > 0);

	if (!is_first && !have_same_bounds(before, after))
		return false;
	between.count -= before->count;
	between.sum -= before->sum;
	for (size_t i = 0; !is_first && i < between.size; i++)
		between.totals[i] -= before->totals[i];
	if (!is_sound(&between))
		return false;
	*ret = between;
	return true;
}

/* The bounds of bucket i; i = size is the one without a limit. */
static double low_of(const struct pl_buckets *buckets, size_t i)
{
	return i > 0 ? buckets->bounds[i - 1] : 0;
}

static double high_of(const struct pl_buckets *buckets, size_t i)
{
	return i < buckets->size ? buckets->bounds[i] : INFINITY;
}

static double number_in(const struct pl_buckets *buckets, size_t i)
{
	double upto = i < buckets->size ? buckets->totals[i] : buckets->count;

	return upto - (i > 0 ? buckets->totals[i - 1] : 0);
}

struct pl_range pl_buckets_quantile(const struct pl_buckets *buckets, double q)
{
	double rank = fmax(ceil(q * buckets->count), 1);
	size_t i = 0;

	if (!(buckets->count > 0))
		return (struct pl_range){ NAN, NAN };
	while (i < buckets->size && buckets->totals[i] < rank)
		i++;
	return (struct pl_range){ low_of(buckets, i), high_of(buckets, i) };
}

/* Returns the sum of the n smallest observations if each were as small as its bucket allows. */
static double least_sum(const struct pl_buckets *buckets, double n)
{
	double sum = 0;

	for (size_t i = 0; i <= buckets->size && n > 0; i++) {
		double take = fmin(number_in(buckets, i), n);
		sum += take * low_of(buckets, i);
		n -= take;
	}
	return sum;
}

/* Returns the sum of the n largest observations if each were as large as its bucket allows. */
static double most_sum(const struct pl_buckets *buckets, double n)
{
	double sum = 0;

	for (size_t i = buckets->size + 1; i > 0 && n > 0; i--) {
		double take = fmin(number_in(buckets, i - 1), n);
		if (take > 0)
			sum += take * high_of(buckets, i - 1);
		n -= take;
	}
	return sum;
}

struct pl_range pl_buckets_subset(const struct pl_buckets *buckets, double n)
{
	double rest = buckets->count - n;

	if (rest < 0)
		return (struct pl_range){ NAN, NAN };
	if (rest <= 0)
		return (struct pl_range){ buckets->sum, buckets->sum };
	double low = fmax(least_sum(buckets, n), buckets->sum - most_sum(buckets, rest));
	double high = fmin(most_sum(buckets, n), buckets->sum - least_sum(buckets, rest));
	return (struct pl_range){ low, fmax(low, high) };
}
