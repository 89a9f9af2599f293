#include "result/how.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/text.h"

static void bench_of(const char *percentiles, const char *goodput, struct vllm_bench *ret)
{
	struct pl_err err = PL_ERR_INIT;

	vllm_bench_init(ret);
	free(ret->metric_percentiles);
	ret->metric_percentiles = pl_strdup(percentiles);
	if (goodput != NULL)
		assert_int_equal(
			pl_json_parse(goodput, strlen(goodput), "goodput", &ret->goodput, &err), 0);
}

static void assert_same_limit(double a, double b)
{
	assert_true(isnan(a) ? isnan(b) : a == b);
}

static void assert_same(const struct res_how *a, const struct res_how *b)
{
	assert_int_equal(a->percentile_count, b->percentile_count);
	for (size_t i = 0; i < a->percentile_count; i++)
		assert_true(a->percentiles[i] == b->percentiles[i]);
	assert_same_limit(a->slo.ttft_ms, b->slo.ttft_ms);
	assert_same_limit(a->slo.tpot_ms, b->slo.tpot_ms);
	assert_same_limit(a->slo.e2el_ms, b->slo.e2el_ms);
	assert_true(a->max_concurrency == b->max_concurrency);
	assert_int_equal(a->finite_rate, b->finite_rate);
}

/* Through JSON's text, as a journal keeps it. */
static void assert_round_trip(const struct res_how *how)
{
	auto_json json_t *json = res_how_to_json(how);
	auto_free char *text = pl_json_to_text(json, PL_JSON_COMPACT);
	auto_json json_t *read = NULL;
	struct pl_err err = PL_ERR_INIT;
	auto_how retry = { 0 };

	assert_int_equal(pl_json_parse(text, strlen(text), "how", &read, &err), 0);
	res_how_from_json(read, &retry);
	assert_same(&retry, how);
}

static void test_result_how__is_what_the_options_say(void **state)
{
	struct pl_err err = PL_ERR_INIT;
	struct vllm_bench bench;
	auto_how how = { 0 };

	(void)state;
	bench_of("99, 12.5,0,99,100", "[\"ttft:200 tpot:50.5\", \"ttft:300\"]", &bench);
	bench.max_concurrency = 7;
	assert_int_equal(res_how_make(&bench, true, false, &how, &err), 0);
	assert_int_equal(how.percentile_count, 4);
	assert_true(how.percentiles[0] == 0 && how.percentiles[1] == 12.5);
	assert_true(how.percentiles[2] == 99 && how.percentiles[3] == 100);
	assert_true(how.slo.ttft_ms == 300 && how.slo.tpot_ms == 50.5 && isnan(how.slo.e2el_ms));
	assert_true(how.max_concurrency == 7 && how.finite_rate);
	assert_round_trip(&how);
	vllm_bench_done(&bench);
}

static void test_result_how__of_plain_options(void **state)
{
	struct pl_err err = PL_ERR_INIT;
	struct vllm_bench bench;
	auto_how how = { 0 };

	(void)state;
	bench_of("99", NULL, &bench);
	assert_int_equal(res_how_make(&bench, false, false, &how, &err), 0);
	assert_true(how.max_concurrency == OPTION_NO_I64 && !how.finite_rate);
	assert_round_trip(&how);
	vllm_bench_done(&bench);
}

static void test_result_how__refuses_wrong_options(void **state)
{
	static const char *const wrong[][2] = { { "101", NULL },
						{ "50,,99", NULL },
						{ "99", "[\"itl:5\"]" },
						{ "99", "[\"ttft:-1\"]" } };

	(void)state;
	for (size_t i = 0; i < PL_ARRAY_SIZE(wrong); i++) {
		struct pl_err err = PL_ERR_INIT;
		struct vllm_bench bench;
		struct res_how how = { .max_concurrency = 99 };
		bench_of(wrong[i][0], wrong[i][1], &bench);
		assert_int_equal(res_how_make(&bench, false, false, &how, &err), -1);
		assert_int_equal(err.code, PL_ERR_INVALID);
		assert_true(how.max_concurrency == 99 && how.percentiles == NULL);
		vllm_bench_done(&bench);
	}
}

/* A contradictory value in a file counts as not requested. */
static void test_result_how__believes_what_fits(void **state)
{
	static const char text[] = "{\"percentiles\": [99, -1, 101, 50], \"slo\": {\"ttft_ms\": "
				   "\"5\"}, \"max_concurrency\": 0, \"finite_rate\": 1}";
	struct pl_err err = PL_ERR_INIT;
	auto_json json_t *json = NULL;
	auto_how how = { 0 }, none = { 0 };

	(void)state;
	assert_int_equal(pl_json_parse(text, strlen(text), "how", &json, &err), 0);
	res_how_from_json(json, &how);
	assert_int_equal(how.percentile_count, 2);
	assert_true(how.percentiles[0] == 50 && how.percentiles[1] == 99);
	assert_true(isnan(how.slo.ttft_ms) && how.max_concurrency == OPTION_NO_I64);
	assert_false(how.finite_rate);
	res_how_from_json(NULL, &none);
	assert_int_equal(none.percentile_count, 0);
	assert_true(isnan(none.slo.e2el_ms));
}

static void test_result_how__percentiles_as_text(void **state)
{
	static const struct {
		double percentile;
		const char *text;
	} cases[] = {
		{ 99, "99" }, { 99.9, "99.9" }, { 0, "0" }, { 100, "100" }, { 33.25, "33.25" }
	};
	char text[PL_F64_TEXT_BYTES];

	(void)state;
	for (size_t i = 0; i < PL_ARRAY_SIZE(cases); i++) {
		exp_percentile_text(cases[i].percentile, text);
		assert_string_equal(text, cases[i].text);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_result_how__is_what_the_options_say),
		cmocka_unit_test(test_result_how__of_plain_options),
		cmocka_unit_test(test_result_how__refuses_wrong_options),
		cmocka_unit_test(test_result_how__believes_what_fits),
		cmocka_unit_test(test_result_how__percentiles_as_text),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
