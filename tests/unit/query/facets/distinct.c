#include "query/facets/distinct.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "base/mem.h"
#include "base/rng.h"

#define COUNT_MAX 200000

static int compare_numbers(const void *a, const void *b)
{
	const double *one = a, *other = b;

	return (*one > *other) - (*one < *other);
}

static int compare_counted(const void *a, const void *b)
{
	const struct query_counted *one = a, *other = b;

	return compare_numbers(&one->number, &other->number);
}

static void check(double *numbers, size_t count)
{
	auto_free struct query_counted *found = pl_alloc_array(count, sizeof(*found));
	size_t distinct = query_distinct(numbers, count, found), at = 0;

	qsort(numbers, count, sizeof(*numbers), compare_numbers);
	qsort(found, distinct, sizeof(*found), compare_counted);
	for (size_t i = 0; i < distinct; i++) {
		assert_true(found[i].count > 0 && at + found[i].count <= count);
		assert_true(i == 0 || found[i - 1].number < found[i].number);
		for (size_t end = at + found[i].count; at < end; at++)
			assert_memory_equal(&numbers[at], &found[i].number, sizeof(*numbers));
	}
	assert_int_equal(at, count);
}

/* Random numbers, numbers whose bits differ in few places, and one number that most values
 * equal. */
static void test_query_facets_distinct__counts_each_number(void **state)
{
	static const size_t counts[] = { 0, 1, 2, 511, 512, 513, 1500, 70000, COUNT_MAX };
	static const double scales[] = { 1, 0x1p-40, 1e300, 0x1p-1074 };
	static const uint64_t spreads[] = { 1, 3, 1000, 1000000 };
	auto_free double *numbers = pl_alloc_array(COUNT_MAX, sizeof(*numbers));
	struct pl_pyrandom rng;

	(void)state;
	pl_pyrandom_seed(&rng, 7);
	for (size_t i = 0; i < PL_ARRAY_SIZE(counts); i++) {
		for (size_t k = 0; k < PL_ARRAY_SIZE(scales) * PL_ARRAY_SIZE(spreads); k++) {
			uint64_t spread = spreads[k / PL_ARRAY_SIZE(scales)];
			double scale = scales[k % PL_ARRAY_SIZE(scales)];
			for (size_t n = 0; n < counts[i]; n++) {
				bool is_alike = spread == 1000 && pl_pyrandom_below(&rng, 10) > 0;
				double whole = is_alike ? 5.0
							: (double)pl_pyrandom_below(&rng, spread);
				numbers[n] = whole * scale;
			}
			check(numbers, counts[i]);
		}
	}
	numbers[0] = INFINITY;
	numbers[1] = -INFINITY;
	numbers[2] = INFINITY;
	check(numbers, 3);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_query_facets_distinct__counts_each_number),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
