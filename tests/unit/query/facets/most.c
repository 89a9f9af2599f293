#include "query/facets/most.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "base/mem.h"
#include "base/rng.h"

#define COUNT_MAX 700

struct item {
	uint32_t count, pointer;
};

static int compare_items(const void *a, const void *b)
{
	const struct item *one = a, *other = b;

	if (one->count != other->count)
		return one->count > other->count ? -1 : 1;
	return one->pointer < other->pointer ? -1 : 1;
}

/* All of them in order, of which the first ones that are there are wanted. */
static void check(const uint32_t *counts, size_t count, size_t first)
{
	struct item items[COUNT_MAX];
	uint32_t positions[COUNT_MAX + 1];
	size_t there = 0;

	for (size_t i = 0; i < count; i++) {
		if (counts[i] > 0)
			items[there++] = (struct item){ counts[i], (uint32_t)i };
	}
	qsort(items, there, sizeof(*items), compare_items);
	size_t wanted = first < there ? first : there;
	assert_int_equal(query_most(counts, count, first, positions), wanted);
	for (size_t i = 0; i < wanted; i++)
		assert_int_equal(positions[i], items[i].pointer);
}

static void test_query_facets_most__as_all_in_order(void **state)
{
	static const size_t lengths[] = { 0, 1, 15, 16, 17, 31, 32, 33, 64, 300, COUNT_MAX };
	static const size_t firsts[] = { 0, 1, 2, 16, 50, COUNT_MAX + 1 };
	static const int64_t spreads[] = { 1, 2, 5, 1000, INT32_MAX };
	uint32_t counts[COUNT_MAX];
	struct pl_pcg64 rng;

	(void)state;
	pl_pcg64_seed(&rng, 11);
	for (size_t i = 0; i < PL_ARRAY_SIZE(lengths) * PL_ARRAY_SIZE(spreads); i++) {
		size_t length = lengths[i / PL_ARRAY_SIZE(spreads)];
		for (size_t k = 0; k < length; k++)
			counts[k] = (uint32_t)pl_pcg64_integers(
				&rng, 0, spreads[i % PL_ARRAY_SIZE(spreads)]);
		for (size_t k = 0; k < PL_ARRAY_SIZE(firsts); k++)
			check(counts, length, firsts[k]);
	}
}

static void test_query_facets_most__the_next_above(void **state)
{
	uint32_t counts[100] = { 0 };

	(void)state;
	counts[3] = 1;
	counts[40] = 7;
	counts[99] = INT32_MAX;
	assert_int_equal(query_most_next(counts, 100, 0, 0), 3);
	assert_int_equal(query_most_next(counts, 100, 4, 0), 40);
	assert_int_equal(query_most_next(counts, 100, 0, 6), 40);
	assert_int_equal(query_most_next(counts, 100, 0, 7), 99);
	assert_int_equal(query_most_next(counts, 100, 0, INT32_MAX), 100);
	assert_int_equal(query_most_next(counts, 99, 41, 0), 99);
	assert_int_equal(query_most_next(counts, 0, 0, 0), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_query_facets_most__as_all_in_order),
		cmocka_unit_test(test_query_facets_most__the_next_above),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
