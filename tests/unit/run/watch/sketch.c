#include "run/watch/sketch.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "base/mem.h"
#include "base/rng.h"
#include "base/stats.h"

static void assert_near(double found, double expected)
{
	if (!(fabs(found - expected) <= 0.0006 * expected))
		fail_msg("found %.6f, expected %.6f", found, expected);
}

static void test_few_values(void **state)
{
	auto_free struct run_sketch *sketch = pl_alloc(sizeof(*sketch));

	(void)state;
	assert_true(isnan(run_sketch_percentile(sketch, 50)));
	run_sketch_add(sketch, NAN);
	assert_int_equal(sketch->count, 0);
	for (int i = 1; i <= 5; i++)
		run_sketch_add(sketch, i);
	assert_near(run_sketch_percentile(sketch, 50), 3);
	assert_true(isnan(run_sketch_median_of(sketch).low));
	run_sketch_add(sketch, 6);
	/* of six values, the interval is their range */
	assert_near(run_sketch_median_of(sketch).low, 1);
	assert_near(run_sketch_median_of(sketch).high, 6);
}

static void test_range(void **state)
{
	auto_free struct run_sketch *sketch = pl_alloc(sizeof(*sketch));

	(void)state;
	run_sketch_add(sketch, -3);
	run_sketch_add(sketch, 0);
	run_sketch_add(sketch, 1e12);
	assert_true(run_sketch_at(sketch, 0) == 0);
	assert_true(run_sketch_at(sketch, 1) == 0);
	assert_true(run_sketch_at(sketch, 2) > 9.9e6);
	assert_true(isnan(run_sketch_at(sketch, 3)));
}

/* Percentiles are those of the sorted values, and the interval holds the true median as often as it says. */
static void test_random_values(void **state)
{
	enum { ROUNDS = 400, COUNT = 201 };
	auto_free struct run_sketch *sketch = pl_alloc(sizeof(*sketch));
	double values[COUNT];
	struct pl_pyrandom rng;
	int held = 0;

	(void)state;
	pl_pyrandom_seed(&rng, 7);
	for (int round = 0; round < ROUNDS; round++) {
		*sketch = (struct run_sketch){ 0 };
		for (size_t i = 0; i < COUNT; i++) {
			values[i] = 10 - 40 * log(1 - pl_pyrandom_random(&rng));
			run_sketch_add(sketch, values[i]);
		}
		pl_stats_sort(values, COUNT);
		assert_near(run_sketch_percentile(sketch, 50), values[100]);
		assert_near(run_sketch_percentile(sketch, 99), values[198]);
		struct run_sketch_median median = run_sketch_median_of(sketch);
		double truth = 10 + 40 * log(2);
		held += median.low <= truth && truth <= median.high;
	}
	assert_true(held > 0.92 * ROUNDS && held < 0.99 * ROUNDS);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_few_values),
		cmocka_unit_test(test_range),
		cmocka_unit_test(test_random_values),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
