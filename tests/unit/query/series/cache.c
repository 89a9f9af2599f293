#include "query/series/cache.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/mem.h"
#include "base/rng.h"

#define PLENTY (1u << 20)

/* An analysis with every list; the first number distinguishes it from others.
 */
struct example {
	size_t outliers[2], markers[1];
	struct res_change changes[2];
	struct res_change_analysis analysis;
};

static void example_init(struct example *example, size_t first)
{
	*example = (struct example){ .outliers = { first, 5 }, .markers = { first + 1 } };
	example->changes[0].index = first;
	example->changes[1].index = first + 7;
	example->analysis = (struct res_change_analysis){
		.outliers = example->outliers,
		.outlier_count = PL_ARRAY_SIZE(example->outliers),
		.markers = example->markers,
		.marker_count = PL_ARRAY_SIZE(example->markers),
		.changes = example->changes,
		.change_count = PL_ARRAY_SIZE(example->changes),
		.change_room = PL_ARRAY_SIZE(example->changes),
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
	assert_int_equal(found.outliers[0], i);
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
	assert_string_equal(json_string_value(json_array_get(found.reasons, 0)), "a reason");
	/* what its owner changes is not changed in the cache */
	found.outliers[0] = 99;
	json_array_clear(found.reasons);
	res_change_analysis_done(&found);
	assert_true(query_series_cache_find(cache, hash, &series, &found));
	assert_int_equal(found.outliers[0], 3);
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
			lists + sizeof(struct res_change_analysis) + 512);
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

/* ---- values, which are computed again
 * ---------------------------------------------------------- */

enum { POINTS = 1000 };

/* A series with a step of 20 % at `at`, an outlier, a gap and other hardware.
 */
struct made {
	struct res_change_point points[POINTS];
	struct res_change_series series;
	struct res_change_analysis analysis;
};

static struct made *make(size_t count, size_t at)
{
	struct made *made = pl_alloc(sizeof(*made));
	struct pl_nplegacy rng;

	pl_nplegacy_seed(&rng, 3);
	for (size_t i = 0; i < count; i++)
		made->points[i] = (struct res_change_point){
			.at = (int64_t)i,
			.id = "",
			.hardware = i < count / 4 ? 1 : 2,
			.value = 100 * (1 + 0.02 * pl_nplegacy_gauss(&rng)) * (i >= at ? 1.2 : 1),
		};
	made->points[count / 8].value = 300;
	made->points[count / 8 + 3].value = NAN;
	made->series = (struct res_change_series){ .key = "series",
						   .points = made->points,
						   .count = count,
						   .direction = RES_FIELD_LOWER,
						   .scale = RES_SCALE_LOG,
						   .effect_min = 0.05 };
	res_change_analyze(&made->series, &res_change_defaults, &made->analysis);
	return made;
}

static void made_free(struct made **made)
{
	res_change_analysis_done(&(*made)->analysis);
	free(*made);
}
#define auto_made __attribute__((cleanup(made_free))) struct made

/* Returns the final verdict as text. free(). */
static char *verdict_of(struct res_change_analysis *analysis)
{
	res_change_family(analysis, 1, &res_change_defaults);
	auto_json json_t *json = res_change_json(analysis, &res_change_defaults);

	return pl_json_to_text(json, PL_JSON_SORTED);
}

static void test_query_series_cache__a_copy_has_the_same_verdict(void **state)
{
	auto_series_cache struct query_series_cache *cache = query_series_cache_new(PLENTY);
	auto_made *made = make(200, 120);
	struct res_change_analysis found;
	char hash[PL_SHA256_HEX_BYTES];

	(void)state;
	query_series_cache_add(cache, hash_of(hash, 1), &made->analysis);
	assert_true(query_series_cache_find(cache, hash, &made->series, &found));
	assert_ptr_equal(found.series, &made->series);
	assert_int_equal(found.gaps, 1);
	assert_int_equal(found.value_count, made->analysis.value_count);
	assert_memory_equal(found.y, made->analysis.y, found.value_count * sizeof(found.y[0]));
	assert_memory_equal(found.index, made->analysis.index,
			    found.value_count * sizeof(found.index[0]));
	auto_free char *one = verdict_of(&made->analysis), *other = verdict_of(&found);
	assert_string_equal(one, other);
	assert_non_null(strstr(one, "\"regression\""));
	/* decisions over the copy do not change the entry */
	assert_int_equal(found.state, RES_CHANGE_REGRESSION);
	res_change_analysis_done(&found);
	assert_true(query_series_cache_find(cache, hash, &made->series, &found));
	assert_int_equal(found.state, RES_CHANGE_STABLE);
	res_change_analysis_done(&found);
}

/* Series of 1,000 points need as little as short ones: a question with many of
 * them makes progress. */
static void test_query_series_cache__entries_do_not_grow_with_points(void **state)
{
	auto_series_cache struct query_series_cache *cache = query_series_cache_new(PLENTY);
	auto_made *made = make(POINTS, POINTS);
	struct res_change_analysis found;
	char hash[PL_SHA256_HEX_BYTES];

	(void)state;
	for (unsigned i = 0; i < 700; i++)
		query_series_cache_add(cache, hash_of(hash, i), &made->analysis);
	for (unsigned i = 0; i < 700; i++) {
		assert_true(
			query_series_cache_find(cache, hash_of(hash, i), &made->series, &found));
		assert_int_equal(found.value_count, POINTS - 1);
		res_change_analysis_done(&found);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_query_series_cache__returns_copies),
		cmocka_unit_test(test_query_series_cache__counts),
		cmocka_unit_test(test_query_series_cache__is_bounded_in_bytes),
		cmocka_unit_test(test_query_series_cache__drops_the_least_recently_used),
		cmocka_unit_test(test_query_series_cache__keeps_repeated_tests),
		cmocka_unit_test(test_query_series_cache__a_copy_has_the_same_verdict),
		cmocka_unit_test(test_query_series_cache__entries_do_not_grow_with_points),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
