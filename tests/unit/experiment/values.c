#include "experiment/values.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/mem.h"

static json_t *texts(const char *a, const char *b)
{
	json_t *list = json_array();

	if (a != NULL)
		json_array_append_new(list, json_string(a));
	if (b != NULL)
		json_array_append_new(list, json_string(b));
	return list;
}

static void test_slo(void **state)
{
	static const struct {
		const char *a, *b;
		int rc;
		double ttft, tpot, e2el;
	} cases[] = {
		{ NULL, NULL, 0, NAN, NAN, NAN },
		{ "ttft:200", "tpot:50", 0, 200, 50, NAN },
		{ "ttft:200", "ttft:0.5", 0, 0.5, NAN, NAN },
		{ "e2el:3000 ttft:1", NULL, 0, 1, NAN, 3000 },
		{ "ttft", NULL, -1, 0, 0, 0 },
		{ "ttft:1:2", NULL, -1, 0, 0, 0 },
		{ "itl:5", NULL, -1, 0, 0, 0 },
		{ "ttft:-1", NULL, -1, 0, 0, 0 },
		{ "ttft:fast", NULL, -1, 0, 0, 0 },
		{ "ttft:nan", NULL, -1, 0, 0, 0 },
	};

	(void)state;
	for (size_t i = 0; i < PL_ARRAY_SIZE(cases); i++) {
		struct pl_err err = PL_ERR_INIT;
		struct exp_slo slo = { 0, 0, 0 };
		json_t *list = texts(cases[i].a, cases[i].b);
		assert_int_equal(exp_slo_parse(list, &slo, &err), cases[i].rc);
		json_decref(list);
		const double got[] = { slo.ttft_ms, slo.tpot_ms, slo.e2el_ms };
		const double wanted[] = { cases[i].ttft, cases[i].tpot, cases[i].e2el };
		for (size_t j = 0; j < 3; j++)
			assert_true(isnan(wanted[j]) ? isnan(got[j]) : got[j] == wanted[j]);
	}
}

static void test_percentiles(void **state)
{
	struct pl_err err = PL_ERR_INIT;
	static const char *const bad[] = { "", "50,", "a", "101", "-1", "nan", "50;90" };
	double *list = NULL;
	size_t count = 0;

	(void)state;
	assert_int_equal(exp_percentiles_parse("99, 99.9,5", &list, &count, &err), 0);
	assert_int_equal(count, 3);
	assert_true(list[0] == 99 && list[1] == 99.9 && list[2] == 5);
	free(list);
	list = NULL;
	for (size_t i = 0; i < PL_ARRAY_SIZE(bad); i++)
		assert_int_equal(exp_percentiles_parse(bad[i], &list, &count, &err), -1);
	assert_null(list);
}

static void test_range_ratio(void **state)
{
	static const struct {
		const char *text;
		bool good;
		double input, output;
	} cases[] = {
		{ "0", true, 0, 0 },
		{ "0.25", true, 0.25, 0.25 },
		{ "{\"input\": 0.5, \"output\": 0}", true, 0.5, 0 },
		/* vLLM looks at two keys alone */
		{ "{\"input\": 0.5, \"more\": 1, \"output\": 0}", true, 0.5, 0 },
		{ "1", false, 0, 0 },
		{ "-0.1", false, 0, 0 },
		{ "nan", false, 0, 0 },
		{ "much", false, 0, 0 },
		{ "{\"input\": 0.5}", false, 0, 0 },
		{ "{\"input\": 0.5, \"output\": 1}", false, 0, 0 },
	};

	(void)state;
	for (size_t i = 0; i < PL_ARRAY_SIZE(cases); i++) {
		struct exp_range_ratio ratio;
		assert_int_equal(exp_range_ratio_parse(cases[i].text, &ratio), cases[i].good);
		if (!cases[i].good)
			continue;
		assert_true(ratio.input == cases[i].input && ratio.output == cases[i].output);
	}
}

static void test_address(void **state)
{
	static const char *const good[] = { "127.0.0.2", "::1", "[::1]", "[0:0::1]", "::" };
	static const char *const bad[] = { "localhost", "127.0.0.2:80", "127.0.0.256", "", "[]" };
	struct exp_address address;

	(void)state;
	for (size_t i = 0; i < PL_ARRAY_SIZE(good); i++)
		assert_true(exp_address_parse(good[i], &address) && address.len > 0);
	for (size_t i = 0; i < PL_ARRAY_SIZE(bad); i++)
		assert_false(exp_address_parse(bad[i], &address));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_slo),
		cmocka_unit_test(test_percentiles),
		cmocka_unit_test(test_range_ratio),
		cmocka_unit_test(test_address),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
