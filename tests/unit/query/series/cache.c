#include "query/series/cache.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/mem.h"

#define PLENTY (1u << 20)

/* An analysis with every list; the first number distinguishes it from others. */
struct example {
	size_t outliers[2], markers[1], index[3];
	struct res_change changes[2];
	double y[3];
	struct res_change_analysis analysis;
};

static void example_init(struct example *example, size_t first)
{
	*example = (struct example){ .outliers = { first, 5 },
				     .markers = { first + 1 },
				     .index = { first, 1, 2 },
				     .y = { (double)first, 0.25, -1 } };
	example->changes[0].index = first;
	example->changes[1].index = first + 7;
	example->analysis = (struct res_change_analysis){
		.gaps = first,
		.outliers = example->outliers,
		.outlier_count = PL_ARRAY_SIZE(example->outliers),
		.markers = example->markers,
		.marker_count = PL_ARRAY_SIZE(example->markers),
		.changes = example->changes,
		.change_count = PL_ARRAY_SIZE(example->changes),
		.change_room = PL_ARRAY_SIZE(example->changes),
		.y = example->y,
		.index = example->index,
		.value_count = PL_ARRAY_SIZE(example->y),
		.reasons = json_pack("[s]", "a reason"),
	};
}

static void example_done(struct example *example)
{
	json_decref(example->analysis.reasons);
}
#define auto_example __attribute__((cleanup(example_done), unused)) struct example

/* The hash of series number `i`. */
static const char *hash_of(char text[PL_SHA256_HEX_BYTES], unsigned i)
{
	snprintf(text, PL_SHA256_HEX_BYTES, "%064x", i);
	return text;
}

static void add(struct query_series_cache *cache, unsigned i)
{
	auto_example example;
	char hash[PL_SHA256_HEX_BYTES];

	example_init(&example, i);
	query_series_cache_add(cache, hash_of(hash, i), &example.analysis);
}

static bool has(struct query_series_cache *cache, unsigned i)
{
	const struct res_change_series series = { 0 };
	struct res_change_analysis found;
	char hash[PL_SHA256_HEX_BYTES];

	if (!query_series_cache_find(cache, hash_of(hash, i), &series, &found))
		return false;
	assert_int_equal(found.gaps, i);
	res_change_analysis_done(&found);
	return true;
}

static void test_query_series_cache__returns_copies(void **state)
{
	auto_series_cache struct query_series_cache *cache = query_series_cache_new(PLENTY);
	const struct res_change_series series = { 0 };
	struct res_change_analysis found;
	char hash[PL_SHA256_HEX_BYTES];

	(void)state;
	add(cache, 3);
	assert_true(query_series_cache_find(cache, hash_of(hash, 3), &series, &found));
	assert_ptr_equal(found.series, &series);
	assert_int_equal(found.outlier_count, 2);
	assert_int_equal(found.outliers[0], 3);
	assert_int_equal(found.outliers[1], 5);
	assert_int_equal(found.marker_count, 1);
	assert_int_equal(found.markers[0], 4);
	assert_int_equal(found.change_count, 2);
	assert_int_equal(found.changes[0].index, 3);
	assert_int_equal(found.changes[1].index, 10);
	assert_int_equal(found.value_count, 3);
	assert_true(found.y[0] == 3 && found.y[1] == 0.25 && found.y[2] == -1);
	assert_int_equal(found.index[0], 3);
	assert_int_equal(found.index[2], 2);
	assert_string_equal(json_string_value(json_array_get(found.reasons, 0)), "a reason");
	/* what its owner changes is not changed in the cache */
	found.outliers[0] = 99;
	found.y[0] = 99;
	json_array_clear(found.reasons);
	res_change_analysis_done(&found);
	assert_true(query_series_cache_find(cache, hash, &series, &found));
	assert_int_equal(found.outliers[0], 3);
	assert_true(found.y[0] == 3);
	assert_int_equal(json_array_size(found.reasons), 1);
	res_change_analysis_done(&found);
}

static void test_query_series_cache__counts(void **state)
{
	auto_series_cache struct query_series_cache *cache = query_series_cache_new(PLENTY);

	(void)state;
	assert_false(has(cache, 1));
	add(cache, 1);
	add(cache, 2);
	add(cache, 1); /* another thread may have analyzed it meanwhile */
	assert_true(has(cache, 1));
	struct query_series_counts counts = query_series_cache_counts(cache);
	assert_int_equal(counts.analyzed, 3);
	assert_int_equal(counts.cached, 1);
}

/* Returns how many analyses with `bytes` it has room for. */
static unsigned room_for(size_t bytes)
{
	auto_series_cache struct query_series_cache *cache = query_series_cache_new(bytes);
	unsigned found = 0;

	for (unsigned i = 0; i < 64; i++)
		add(cache, i);
	for (unsigned i = 0; i < 64; i++)
		found += has(cache, i);
	return found;
}

/* The lists count, so an entry needs more bytes than its analysis. */
static void test_query_series_cache__is_bounded_in_bytes(void **state)
{
	size_t lists = sizeof(struct example) - sizeof(struct res_change_analysis);

	(void)state;
	assert_int_equal(room_for(0), 0);
	assert_int_equal(room_for(lists + sizeof(struct res_change_analysis)), 0);
	size_t one = lists;
	while (room_for(one) == 0)
		one++;
	assert_in_range(one, lists + sizeof(struct res_change_analysis),
			lists + sizeof(struct res_change_analysis) + 256);
	assert_int_equal(room_for(one), 1);
	assert_int_equal(room_for(2 * one - 1), 1);
	assert_int_equal(room_for(2 * one), 2);
	assert_int_equal(room_for(5 * one), 5);
}

static void test_query_series_cache__drops_the_least_recently_used(void **state)
{
	size_t one = 0;

	(void)state;
	while (room_for(one) == 0)
		one++;
	auto_series_cache struct query_series_cache *cache = query_series_cache_new(3 * one);
	for (unsigned i = 1; i <= 3; i++)
		add(cache, i);
	assert_true(has(cache, 1)); /* the order of age is 2, 3, 1 */
	add(cache, 4);
	assert_false(has(cache, 2));
	assert_true(has(cache, 3) && has(cache, 1) && has(cache, 4));
	add(cache, 5);
	add(cache, 6);
	assert_false(has(cache, 3) || has(cache, 1));
	assert_true(has(cache, 4) && has(cache, 5) && has(cache, 6));
}

static void test_query_series_cache__keeps_repeated_tests(void **state)
{
	auto_series_cache struct query_series_cache *cache = query_series_cache_new(PLENTY);
	const struct res_change_series series = { 0 };
	struct res_change_analysis found;
	char hash[PL_SHA256_HEX_BYTES];

	(void)state;
	add(cache, 1);
	auto_example example;
	example_init(&example, 1);
	memset(example.changes[1].repeated, 1, sizeof(example.changes[1].repeated));
	query_series_cache_keep_tests(cache, hash_of(hash, 2), &example.analysis); /* not known */
	query_series_cache_keep_tests(cache, hash_of(hash, 1), &example.analysis);
	assert_true(query_series_cache_find(cache, hash, &series, &found));
	assert_memory_equal(found.changes[1].repeated, example.changes[1].repeated,
			    sizeof(found.changes[1].repeated));
	assert_memory_equal(found.changes[0].repeated, example.changes[0].repeated,
			    sizeof(found.changes[0].repeated));
	res_change_analysis_done(&found);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_query_series_cache__returns_copies),
		cmocka_unit_test(test_query_series_cache__counts),
		cmocka_unit_test(test_query_series_cache__is_bounded_in_bytes),
		cmocka_unit_test(test_query_series_cache__drops_the_least_recently_used),
		cmocka_unit_test(test_query_series_cache__keeps_repeated_tests),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
