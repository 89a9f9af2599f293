#include "query/facets/metrics_priv.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "base/rng.h"
#include "base/stats.h"

#define COUNT_MAX 20000

static const double percents[] = { 0, 1, 25, 50, 90, 95, 99.9, 100 };

enum { PERCENTS = PL_ARRAY_SIZE(percents) };

static void check(const double *numbers, size_t count)
{
	auto_free double *sorted = pl_alloc_array(count, sizeof(*sorted));
	auto_free double *one = pl_alloc_array(count + MIRROR_GATHER_MORE, sizeof(*one));
	auto_free double *other = pl_alloc_array(count + MIRROR_GATHER_MORE, sizeof(*other));
	double *const retained[2] = { one, other };
	double found[PERCENTS];

	memcpy(sorted, numbers, count * sizeof(*sorted));
	pl_stats_sort(sorted, count);
	query_metrics_percentiles(numbers, count, retained, percents, PERCENTS, found);
	for (size_t i = 0; i < PERCENTS; i++) {
		double wanted = pl_stats_percentile_sorted(sorted, count, percents[i]);
		/* what lies between an infinite number and another is none */
		if (!isnan(wanted) && !(found[i] >= wanted && found[i] <= wanted))
			fail_msg("p%g of %zu: %.17g, not %.17g", percents[i], count, found[i],
				 wanted);
	}
}

typedef double number_fn(struct pl_pyrandom *rng);

static double uniform(struct pl_pyrandom *rng)
{
	return pl_pyrandom_random(rng);
}

static double of_any_size(struct pl_pyrandom *rng)
{
	double sign = pl_pyrandom_below(rng, 2) == 0 ? -1 : 1;

	return sign * ldexp(pl_pyrandom_random(rng), (int)pl_pyrandom_below(rng, 2000) - 1000);
}

static double whole(struct pl_pyrandom *rng)
{
	return (double)pl_pyrandom_below(rng, 7) - 3;
}

static double mostly_alike(struct pl_pyrandom *rng)
{
	return pl_pyrandom_below(rng, 50) == 0 ? pl_pyrandom_random(rng) : 0.5;
}

/* Returns also 0, and numbers of either sign close to zero. */
static double around_zero(struct pl_pyrandom *rng)
{
	uint64_t which = pl_pyrandom_below(rng, 9);

	return which < 3 ? 0
			 : ((double)which - 5.5) * 5e-324 * (double)pl_pyrandom_below(rng, 1000) +
				   0.0;
}

/* Neighbours: they differ in their last bits. */
static double close_by(struct pl_pyrandom *rng)
{
	return 1e9 + (double)pl_pyrandom_below(rng, 100000) * 0x1p-22;
}

static double also_infinite(struct pl_pyrandom *rng)
{
	uint64_t which = pl_pyrandom_below(rng, 20);

	return which == 0 ? INFINITY : which == 1 ? -INFINITY : pl_pyrandom_random(rng);
}

static void test_query_facets_metrics__percentiles_are_those_of_sorted_numbers(void **state)
{
	static number_fn *const kinds[] = { uniform,     of_any_size, whole,        mostly_alike,
					    around_zero, close_by,    also_infinite };
	static const size_t counts[] = { 1, 2, 3, 10, 255, 256, 257, 1000, COUNT_MAX };
	auto_free double *numbers = pl_alloc_array(COUNT_MAX, sizeof(*numbers));
	struct pl_pyrandom rng;

	(void)state;
	pl_pyrandom_seed(&rng, 7);
	for (size_t i = 0; i < PL_ARRAY_SIZE(kinds); i++) {
		for (size_t k = 0; k < PL_ARRAY_SIZE(counts); k++) {
			for (size_t n = 0; n < counts[k]; n++)
				numbers[n] = kinds[i](&rng);
			check(numbers, counts[k]);
		}
	}
}

/* Two adjacent clusters, with one number far below and one far above: the split is after the
 * last number of the first cluster. */
static void
test_query_facets_metrics__the_next_number_may_stand_among_those_written_over(void **state)
{
	enum { CROWD = 300, COUNT = 2 * CROWD + 2 };
	double numbers[COUNT], turned[COUNT];

	(void)state;
	for (size_t i = 0; i < CROWD; i++) {
		numbers[i] = 1.001;
		numbers[CROWD + i] = 1;
	}
	numbers[COUNT - 2] = 0x1p-30;
	numbers[COUNT - 1] = 0x1p30;
	for (size_t i = 0; i < COUNT; i++)
		turned[i] = numbers[COUNT - 1 - i];
	check(numbers, COUNT);
	check(turned, COUNT);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(
			test_query_facets_metrics__the_next_number_may_stand_among_those_written_over),
		cmocka_unit_test(
			test_query_facets_metrics__percentiles_are_those_of_sorted_numbers),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
