#include "sweep/vllm/sla.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/file.h"
#include "base/rng.h"
#include "base/scratch.h"
#include "base/text.h"
#include "sweep/vllm/estimate.h"

static void test_sweep_vllm_sla__between(void **state)
{
	static const struct {
		double lo, hi;
		int64_t count;
		const char *values;
	} cases[] = {
		{ 1, 10, 10, "[2, 3, 4, 5, 6, 7, 8, 9]" },
		{ 2, 37, 10, "[6, 10, 14, 18, 21, 25, 29, 33]" },
		{ 1, 2, 10, "[1, 2]" },
		{ 9, 2, 5, "[4, 6, 7]" },
		{ 1, 4, 3, "[2]" },
		{ 1, 9, 2, "[]" },
		{ 1, -8, 4, "[]" }, /* below 1 there is no load */
	};

	(void)state;
	for (size_t i = 0; i < PL_ARRAY_SIZE(cases); i++) {
		auto_json json_t *values = sweep_vllm_between(cases[i].lo, cases[i].hi,
							      cases[i].count);
		auto_free char *text = pl_json_to_text(values, PL_JSON_PYTHON);
		assert_string_equal(text, cases[i].values);
	}
}

static void test_sweep_vllm_sla__estimates(void **state)
{
	struct pl_err err = PL_ERR_INIT;
	auto_json json_t *runs = json_loads(
		"[{\"request_throughput\": 3, \"mean_e2el_ms\": 500},"
		" {\"request_throughput\": 4.5, \"mean_e2el_ms\": 2000}]",
		0, NULL);
	double value;

	(void)state;
	assert_int_equal(sweep_vllm_estimate(runs, "request_rate", &value, &err), 0);
	assert_true(fabs(value - 3.75) < 1e-12);
	assert_int_equal(sweep_vllm_estimate(runs, "max_concurrency", &value, &err), 0);
	assert_true(fabs(value - (1.5 + 9) / 2) < 1e-12);
	json_object_set_new(json_array_get(runs, 1), "request_throughput", json_null());
	assert_int_equal(sweep_vllm_estimate(runs, "request_rate", &value, &err), -1);
	assert_non_null(strstr(err.text, "'request_throughput'"));
}

static void test_sweep_vllm_sla__margins(void **state)
{
	static const struct {
		const char *limits, *name;
		double margin;
	} cases[] = {
		{ "{\"a\": \"<=500\"}", "a<=500.00", -100 },
		{ "{\"a\": \"<400\"}", "a<400.00", 1e-8 },
		{ "{\"a\": \"<=400\"}", "a<=400.00", 0 },
		{ "{\"b\": \">=2.5\", \"a\": \"<390.5\"}", "b>=2.50-a<390.50", 9.5 },
		{ "{\"b\": \">1.5\"}", "b>1.50", -0.5 },
		/* the name of a combination is no limit */
		{ "{\"_benchmark_name\": \"<=5\", \"b\": \">1.5\"}", "b>1.50", -0.5 },
	};
	auto_json json_t *runs = json_loads("[{\"a\": 300, \"b\": 1}, {\"a\": 500, \"b\": 3}]", 0,
					    NULL);

	(void)state;
	for (size_t i = 0; i < PL_ARRAY_SIZE(cases); i++) {
		struct pl_err err = PL_ERR_INIT;
		auto_json json_t *limits = json_loads(cases[i].limits, 0, NULL);
		auto_free char *name = sweep_vllm_sla_name(limits);
		double margin;
		assert_string_equal(name, cases[i].name);
		assert_int_equal(sweep_vllm_sla_margin(limits, runs, &margin, &err), 0);
		if (fabs(margin - cases[i].margin) > 1e-7)
			fail_msg("%s: %.17g", name, margin);
		/* just at a strict limit is beyond it */
		assert_int_equal(margin <= 0, cases[i].margin <= 0);
	}
}

/* A combination may have a name, which is not a limit; the name alone is not a combination. */
static void test_sweep_vllm_sla__read(void **state)
{
	static const struct {
		const char *text, *error; /* NULL: none */
	} cases[] = {
		{ "[{\"_benchmark_name\": \"fast\", \"a\": \"<=500\"}]", NULL },
		{ "[{\"a\": \"<=500\", \"b\": \">2\"}, {\"a\": \"<9\"}]", NULL },
		{ "[{\"_benchmark_name\": \"fast\"}]", "a combination has no limit" },
		{ "[{\"a\": \"fast\"}]",
		  "'a': found \"fast\", expected a string such as \"<=500\"" },
		{ "[{\"a\": 500}]", "'a': found 500, expected a string such as \"<=500\"" },
	};

	for (size_t i = 0; i < PL_ARRAY_SIZE(cases); i++) {
		const char *path = scratch_path(*state, "limits.json");
		auto_json json_t *all = NULL;
		struct pl_err err = PL_ERR_INIT;
		assert_int_equal(pl_file_write(path, cases[i].text, strlen(cases[i].text), &err),
				 0);
		int result = sweep_vllm_sla_read(path, &all, &err);
		assert_int_equal(result, cases[i].error != NULL ? -1 : 0);
		if (cases[i].error != NULL)
			assert_non_null(strstr(err.text, cases[i].error));
	}
}

/* Searches among loads of which the first `last` are within; returns how many were measured. */
static size_t find(bool by_spline, int64_t last, double bend, double estimate, int64_t *ret_best)
{
	struct sweep_vllm_search search = { 0 };
	int64_t value;
	size_t measured = 0;

	sweep_vllm_search_begin(&search, by_spline, estimate);
	while ((value = sweep_vllm_search_next(&search)) != 0) {
		double far = (double)value - ((double)last + 0.5);
		sweep_vllm_search_add(&search, value, copysign(pow(fabs(far), bend), far));
		/* it never asks twice and comes to an end */
		assert_int_equal(search.count, ++measured);
		assert_true(measured < 9000);
	}
	*ret_best = search.best;
	sweep_vllm_search_done(&search);
	return measured;
}

static void test_sweep_vllm_sla__finds_the_last_one(void **state)
{
	struct pl_pyrandom rng;

	(void)state;
	pl_pyrandom_seed(&rng, 5);
	for (int i = 0; i < 300; i++) {
		int64_t last = (int64_t)(pl_pyrandom_random(&rng) * 8190) + 1, best;
		double bend = 0.25 + 2 * pl_pyrandom_random(&rng);
		assert_true(find(true, last, bend, 1, &best) <= 400);
		assert_int_equal(best, last);
		double estimate = pl_pyrandom_random(&rng) * 20000;
		assert_true(find(false, last, bend, estimate, &best) <= 33);
		assert_int_equal(best, last);
	}
}

static void test_sweep_vllm_sla__ends(void **state)
{
	int64_t best;

	(void)state;
	/* all pass; none passes: the rules from 0.14.1 on yield 1 in both cases */
	assert_int_equal(find(true, 100000, 1, 1, &best), 1);
	assert_int_equal(best, SWEEP_VLLM_MOST);
	assert_int_equal(find(true, 0, 1, 1, &best), 2);
	assert_int_equal(best, 1);
	find(false, 100000, 1, 3, &best);
	assert_int_equal(best, SWEEP_VLLM_UNLIMITED);
	assert_int_equal(find(false, 0, 1, 1, &best), 1);
	assert_int_equal(best, 0);
}

static void test_sweep_vllm_sla__starts_from_known_results(void **state)
{
	struct sweep_vllm_search search = { 0 };

	(void)state;
	sweep_vllm_search_add(&search, 12, 3);
	sweep_vllm_search_add(&search, 10, -1);
	sweep_vllm_search_begin(&search, true, 1);
	assert_int_equal(sweep_vllm_search_next(&search), SWEEP_VLLM_MOST);
	sweep_vllm_search_add(&search, SWEEP_VLLM_MOST, 100);
	assert_int_equal(sweep_vllm_search_next(&search), 1);
	sweep_vllm_search_add(&search, 1, -5);
	/* the root is between 10 and 12: 10 is known, so 11 */
	assert_int_equal(sweep_vllm_search_next(&search), 11);
	sweep_vllm_search_add(&search, 11, 0);
	assert_int_equal(sweep_vllm_search_next(&search), 0);
	assert_int_equal(search.best, 11);
	sweep_vllm_search_done(&search);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_sweep_vllm_sla__between),
		cmocka_unit_test(test_sweep_vllm_sla__estimates),
		cmocka_unit_test(test_sweep_vllm_sla__margins),
		scratch_test(test_sweep_vllm_sla__read),
		cmocka_unit_test(test_sweep_vllm_sla__finds_the_last_one),
		cmocka_unit_test(test_sweep_vllm_sla__ends),
		cmocka_unit_test(test_sweep_vllm_sla__starts_from_known_results),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
