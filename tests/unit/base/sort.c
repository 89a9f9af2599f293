#include "base/sort.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "base/mem.h"
#include "base/rng.h"

static void test_base_sort__keys_are_in_the_order_of_the_numbers(void **state)
{
	static const double rising[] = { -INFINITY, -1e308, -2, -1, -5e-324, -0.0,     0.0,
					 5e-324,    0.5,    1,  2,  1e308,   INFINITY, NAN };

	(void)state;
	assert_true(pl_sort_key(rising[0]) > 0);
	assert_true(pl_sort_key(-NAN) == UINT64_MAX && pl_sort_key(NAN) == UINT64_MAX);
	assert_true(isnan(pl_sort_number(UINT64_MAX)));
	for (size_t i = 0; i < sizeof(rising) / sizeof(*rising); i++) {
		uint64_t key = pl_sort_key(rising[i]);
		double again = pl_sort_number(key);
		assert_true(i == 0 || pl_sort_key(rising[i - 1]) < key);
		assert_true(isnan(rising[i]) ||
			    (!(again < rising[i]) && !(again > rising[i]) &&
			     (signbit(again) != 0) == (signbit(rising[i]) != 0)));
	}
}

/* mask: the bits that differ; few of them make ties. */
static void check_order(size_t count, uint64_t mask)
{
	auto_free struct pl_sort_item *items = pl_alloc_array(count + 1, sizeof(*items));
	struct pl_nplegacy rng;
	uint64_t sum = 0;

	pl_nplegacy_seed(&rng, (uint32_t)count);
	for (size_t i = 0; i < count; i++) {
		double number = pl_nplegacy_gauss(&rng);
		items[i] = (struct pl_sort_item){ pl_sort_key(number) & mask, i };
		sum += items[i].key;
	}
	pl_sort_items(items, count);
	for (size_t i = 0; i < count; i++) {
		sum -= items[i].key;
		if (i > 0)
			assert_true(items[i - 1].key < items[i].key ||
				    (items[i - 1].key == items[i].key &&
				     items[i - 1].at < items[i].at));
	}
	assert_true(sum == 0);
}

static void test_base_sort__sorts_any_number_and_keeps_the_order_of_ties(void **state)
{
	static const size_t counts[] = { 0, 1, 2, 3, 17, 1023, 1024, 1025, 20000 };
	static const uint64_t masks[] = { UINT64_MAX, UINT64_C(0xfff) << 52, 0x7, 0 };

	(void)state;
	for (size_t i = 0; i < sizeof(counts) / sizeof(*counts); i++) {
		for (size_t k = 0; k < sizeof(masks) / sizeof(*masks); k++)
			check_order(counts[i], masks[k]);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_base_sort__keys_are_in_the_order_of_the_numbers),
		cmocka_unit_test(test_base_sort__sorts_any_number_and_keeps_the_order_of_ties),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
