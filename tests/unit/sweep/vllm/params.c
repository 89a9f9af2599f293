#include "sweep/vllm/params.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static json_t *parse(const char *text)
{
	struct pl_err err = PL_ERR_INIT;
	json_t *items = NULL;

	if (sweep_vllm_params_parse(text, strlen(text), "p.json", &items, &err) < 0)
		fail_msg("%s: %s", text, err.text);
	return items;
}

static void test_sweep_vllm_params__names(void **state)
{
	static const struct {
		const char *item, *name;
	} cases[] = {
		{ "{}", "" },
		{ "{\"a\": 1, \"b\": true, \"c\": null}", "a=1-b=True-c=None" },
		{ "{\"l\": [1, 2.5, \"x'y\"], \"o\": {\"a\": 1e-07}}",
		  "l=[1, 2.5, \"x'y\"]-o={'a': 1e-07}" },
		{ "{\"_benchmark_name\": \"fast\", \"b\": 2}", "fast" },
		{ "{\"rate\": 1e16, \"r\": 12345678.9}", "rate=1e+16-r=12345678.9" },
	};

	(void)state;
	for (size_t i = 0; i < PL_ARRAY_SIZE(cases); i++) {
		auto_json json_t *item = json_loads(cases[i].item, 0, NULL);
		auto_free char *name = sweep_vllm_name(item);
		assert_string_equal(name, cases[i].name);
	}
}

static void test_sweep_vllm_params__folders(void **state)
{
	static const struct {
		const char *serve, *bench, *more, *path;
	} cases[] = {
		{ "a=1", "b=2", "", "r/SERVE--a=1-BENCH--b=2" },
		{ "", "b=2", "", "r/BENCH--b=2" },
		{ "a=1", "", "", "r/SERVE--a=1" },
		{ "", "", "", "r" },
		{ "a=1", "", "request_rate=6", "r/SERVE--a=1-WL--request_rate=6" },
		{ "m=x/y/../z", "n='q'", "", "r/SERVE--m=x_y____z-BENCH--n='q" },
	};

	(void)state;
	for (size_t i = 0; i < PL_ARRAY_SIZE(cases); i++) {
		const struct sweep_vllm_part parts[] = { { "SERVE-", cases[i].serve },
							 { "BENCH-", cases[i].bench },
							 { "WL-", cases[i].more } };
		auto_free char *path = sweep_vllm_folder("r", parts, PL_ARRAY_SIZE(parts));
		assert_string_equal(path, cases[i].path);
	}
}

static void test_sweep_vllm_params__forms(void **state)
{
	auto_json json_t *named = parse("{\"x\": {\"a\": 1}, \"y\": {}}");
	auto_json json_t *wanted = json_pack("[{s:s, s:i}, {s:s}]", "_benchmark_name", "x", "a", 1,
					     "_benchmark_name", "y");
	static const struct {
		const char *text, *reported;
	} bad[] = {
		{ "[]", "no combination" },
		{ "3", "expected a list" },
		{ "[{}, 3]", "item 2: found 3" },
		{ "{\"x\": []}", "'x': found []" },
		{ "[{\"_benchmark_name\": \"a\"}, {\"_benchmark_name\": \"a\"}]", "duplicate" },
		{ "[{\"_benchmark_name\": 3}]", "expected a text" },
		{ "[{\"a\": 1, \"a\": 2}]", "p.json:1:" },
	};

	(void)state;
	assert_true(json_equal(named, wanted));
	for (size_t i = 0; i < PL_ARRAY_SIZE(bad); i++) {
		struct pl_err err = PL_ERR_INIT;
		json_t *items = NULL;
		assert_int_equal(sweep_vllm_params_parse(bad[i].text, strlen(bad[i].text), "p.json",
							 &items, &err),
				 -1);
		if (strstr(err.text, bad[i].reported) == NULL)
			fail_msg("%s: %s", bad[i].text, err.text);
	}
}

static void test_sweep_vllm_params__links(void **state)
{
	struct pl_err err = PL_ERR_INIT;
	json_t *links = NULL;
	auto_json json_t *serve = json_loads("{\"a\": 1, \"b\": [1, true]}", 0, NULL);
	auto_json json_t *same = json_loads("{\"x\": 1.0, \"y\": [1, 1]}", 0, NULL);
	auto_json json_t *other = json_loads("{\"x\": 2, \"y\": [1, 1]}", 0, NULL);
	auto_json json_t *less = json_loads("{\"x\": 1}", 0, NULL);

	(void)state;
	assert_int_equal(sweep_vllm_links_parse("a=x, b=y", &links, &err), 0);
	assert_true(sweep_vllm_linked(links, serve, same));
	assert_false(sweep_vllm_linked(links, serve, other));
	assert_false(sweep_vllm_linked(links, serve, less));
	json_decref(links);
	assert_int_equal(sweep_vllm_links_parse("", &links, &err), 0);
	assert_true(sweep_vllm_linked(links, serve, less));
	json_decref(links);
	assert_int_equal(sweep_vllm_links_parse("a", &links, &err), -1);
	assert_int_equal(sweep_vllm_links_parse("a=b,", &links, &err), -1);
	assert_int_equal(sweep_vllm_links_parse("a=b=c", &links, &err), -1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_sweep_vllm_params__names),
		cmocka_unit_test(test_sweep_vllm_params__folders),
		cmocka_unit_test(test_sweep_vllm_params__forms),
		cmocka_unit_test(test_sweep_vllm_params__links),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
