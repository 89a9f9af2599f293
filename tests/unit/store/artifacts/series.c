#include "store/artifacts/series.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "base/json.h"
#include "base/mem.h"

#define MS 1000000LL

/* Four bins of a second, after the first second of the run. */
static const struct store_series_span span = { 1000 * MS, 5000 * MS, 4 };

static json_t *bins_of(const char *text)
{
	return store_series_bins(text, strlen(text), &span);
}

static const json_t *values_of(const json_t *answer, const char *source, const char *name)
{
	PL_JSON_EACH(series, json_object_get(answer, "series")) {
		if (strcmp(pl_json_get_text(series, "source"), source) == 0 &&
		    strcmp(pl_json_get_text(series, "name"), name) == 0)
			return json_object_get(series, "values");
	}
	return NULL;
}

/* NaN stands for null. */
static void assert_values(const json_t *values, const double *expected)
{
	assert_int_equal(json_array_size(values), span.bins);
	for (size_t i = 0; i < span.bins; i++) {
		const json_t *value = json_array_get(values, i);
		assert_int_equal(json_is_null(value), isnan(expected[i]));
		if (!isnan(expected[i]) && !(fabs(json_number_value(value) - expected[i]) < 1e-9))
			fail_msg("bin %zu: %.17g, expected %.17g", i, json_number_value(value),
				 expected[i]);
	}
}

#define POWER(ms, watts) \
	"{\"t_ns\": " #ms "000000, \"source\": \"gpu\", \"values\": {\"power_w\": " #watts "}}\n"
#define FLIGHT(ms, count)                                                                          \
	"{\"t_ns\": " #ms "000000, \"source\": \"load\", \"values\": {\"in_flight\": " #count "}}" \
	"\n"

/* The first moment belongs to the range, and its end does not. */
static void test_store_artifacts_series__means(void **state)
{
	static const double expected[] = { 100, 250, NAN, 50 };
	auto_json json_t *answer = bins_of(POWER(999, 900) POWER(1000, 80) POWER(1999, 120) POWER(
		2000, 200) POWER(2500, 300) POWER(4999, 50) POWER(5000, 900));

	(void)state;
	assert_values(values_of(answer, "gpu", "power_w"), expected);
	assert_int_equal(json_array_size(json_object_get(answer, "series")), 1);
	assert_int_equal(pl_json_get_i64(answer, "lines"), 7);
	static const double middles[] = { 0.5, 1.5, 2.5, 3.5 };
	assert_values(json_object_get(answer, "t_s"), middles);
}

/* Requests in flight keep their last value, also that of before the range. */
static void test_store_artifacts_series__held(void **state)
{
	static const double expected[] = { 3, 5, 5, 0 }, begun[] = { NAN, NAN, 7, 7 };
	auto_json json_t *answer = bins_of(FLIGHT(10, 2) FLIGHT(500, 3) FLIGHT(2100, 9)
						   FLIGHT(2900, 5) FLIGHT(4999, 0));
	auto_json json_t *later = bins_of(FLIGHT(3000, 7));
	auto_json json_t *before = bins_of(FLIGHT(10, 2));

	(void)state;
	assert_values(values_of(answer, "load", "in_flight"), expected);
	assert_values(values_of(later, "load", "in_flight"), begun);
	/* no number in the range itself */
	assert_int_equal(json_array_size(json_object_get(before, "series")), 0);
}

/* Counters and sets of reasons have no mean; a name belongs to its source. */
static void test_store_artifacts_series__omitted(void **state)
{
	auto_json json_t *answer = bins_of(
		"{\"t_ns\": 1500000000, \"source\": \"gpu\", \"values\": {\"energy_j\": 5, "
		"\"throttle\": 4, \"cpu_share\": 1, \"power_w\": null, \"other\": 1, "
		"\"temperature_c\": \"40\", \"utilization\": 0.5}}");

	(void)state;
	assert_int_equal(json_array_size(json_object_get(answer, "series")), 1);
	assert_non_null(values_of(answer, "gpu", "utilization"));
	assert_int_equal(pl_json_get_i64(answer, "lines"), 1);
}

static void test_store_artifacts_series__lines(void **state)
{
	static const struct {
		const char *text;
		int64_t lines, skipped;
	} cases[] = {
		{ "", 0, 0 },
		{ "\n\n\n", 0, 0 },
		{ "{\"t_ns\": 0, \"source\": \"gpu\", \"values\": {}}", 1, 0 },
		{ "{\"t_ns\": 0, \"source\": \"gpu\", \"values\": {}}\n\n{", 1, 1 },
		{ "not JSON\n", 0, 1 },
		{ "[]\n5\n\"t\"\n", 0, 3 },
		{ "{\"t_ns\": -1, \"source\": \"gpu\", \"values\": {}}\n", 0, 1 },
		{ "{\"t_ns\": 1.5, \"source\": \"gpu\", \"values\": {}}\n", 0, 1 },
		{ "{\"source\": \"gpu\", \"values\": {}}\n", 0, 1 },
		{ "{\"t_ns\": 0, \"values\": {}}\n", 0, 1 },
		{ "{\"t_ns\": 0, \"source\": 1, \"values\": {}}\n", 0, 1 },
		{ "{\"t_ns\": 0, \"source\": \"gpu\", \"values\": []}\n", 0, 1 },
		{ "{\"t_ns\": 0, \"source\": \"gpu\"}\n", 0, 1 },
	};

	(void)state;
	for (size_t i = 0; i < PL_ARRAY_SIZE(cases); i++) {
		auto_json json_t *answer = bins_of(cases[i].text);
		if (pl_json_get_i64(answer, "lines") != cases[i].lines ||
		    pl_json_get_i64(answer, "skipped") != cases[i].skipped)
			fail_msg("%s: %lld lines, %lld skipped", cases[i].text,
				 (long long)pl_json_get_i64(answer, "lines"),
				 (long long)pl_json_get_i64(answer, "skipped"));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_store_artifacts_series__means),
		cmocka_unit_test(test_store_artifacts_series__held),
		cmocka_unit_test(test_store_artifacts_series__omitted),
		cmocka_unit_test(test_store_artifacts_series__lines),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
