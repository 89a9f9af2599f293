/* The values of ranges and samples of the section `sweep`, at and beyond each limit. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/text.h"
#include "experiment/sweep/sweep.h"

#define KEY "benchmark.request_rate"

/* Reads a file whose section `sweep` is `section`, in YAML's flow style. */
static struct exp_sweep *read_section(const char *section, struct option_problems *problems)
{
	auto_free char *text = pl_asprintf("server: {model: m}\nbenchmark: {num_prompts: 1}\n"
					   "sweep: %s\n",
					   section);
	struct exp_sweep *sweep = NULL;
	struct pl_err err = PL_ERR_INIT;

	if (exp_sweep_read(vllm_catalog_reference(), text, strlen(text), "s.yaml", NULL, 0, &sweep,
			   problems, &err) < 0)
		fail_msg("%s: %s", section, err.text);
	return sweep;
}

/* The values of the only key, separated by spaces. */
static char *values_of(const struct exp_sweep *sweep)
{
	auto_buf text = PL_BUF(1000000);

	for (size_t i = 0; i < sweep->count; i++) {
		assert_int_equal(sweep->cells[i].setting_count, 1);
		pl_buf_addf(&text, "%s%s", i > 0 ? " " : "",
			    sweep->cells[i].settings[0]->value->text);
	}
	return pl_buf_take(&text);
}

static void test_experiment_sweep_range__values(void **state)
{
	static const struct {
		const char *range;
		const char *values; /* a number that is not whole keeps its point */
	} cases[] = {
		{ "{from: 1, to: 4, step: 1}", "1 2 3 4" },
		{ "{from: 1, to: 4, step: 2}", "1 3" },
		{ "{from: 4, to: 4, step: 1}", "4" },
		{ "{from: -2, to: 2, step: 2}", "-2 0 2" },
		{ "{from: 1k, to: 3k, step: 1k}", "1000 2000 3000" },
		/* the end counts although rounding leaves it a little above */
		{ "{from: 0, to: 0.3, step: 0.1}", "0.0 0.1 0.2 0.3" },
		{ "{from: 1, to: 2, step: 0.5}", "1.0 1.5 2.0" },
		{ "{from: 1, to: 256, scale: 2^k}", "1 2 4 8 16 32 64 128 256" },
		{ "{from: 3, to: 47, scale: 2^k}", "3 6 12 24" },
		{ "{from: 3, to: 48, scale: 2^k}", "3 6 12 24 48" },
		{ "{from: 0.5, to: 2, scale: 2^k}", "0.5 1.0 2.0" },
		{ "{from: 1, to: 1000, scale: log, count: 4}", "1 10 100 1000" },
		{ "{from: 1, to: 5, count: 2}", "1 5" },
		{ "{from: 1, to: 5, count: 3, scale: linear}", "1 3 5" },
		/* whole numbers that fall together count once */
		{ "{from: 1, to: 3, count: 9}", "1 2 3" },
		{ "{from: 1.0, to: 3.0, count: 5}", "1.0 1.5 2.0 2.5 3.0" },
	};

	(void)state;
	for (size_t i = 0; i < PL_ARRAY_SIZE(cases); i++) {
		auto_free char *section = pl_asprintf("{%s: %s}", KEY, cases[i].range);
		auto_problems problems = { 0 };
		auto_sweep struct exp_sweep *sweep = read_section(section, &problems);
		if (sweep == NULL)
			fail_msg("%s: %s", section, problems.items[0].expected);
		auto_free char *values = values_of(sweep);
		assert_string_equal(values, cases[i].values);
	}
}

static void test_experiment_sweep_range__limits(void **state)
{
	static const struct {
		const char *section;
		size_t count;    /* of combinations; 0: there is a problem */
		const char *key; /* of the problem */
	} cases[] = {
#define RANGE(text)   "{" KEY ": " text "}"
#define MEMBER(name)  "sweep." KEY "." name
#define SAMPLED(text) "{" KEY ": {from: 0.5, to: 9}, sample: " text "}"
		{ RANGE("{from: 0.0, to: 1, count: 1}"), 0, MEMBER("count") },
		{ RANGE("{from: 0.0, to: 1, count: 2}"), 2, NULL },
		{ RANGE("{from: 0.0, to: 1, count: 10000}"), 10000, NULL },
		{ RANGE("{from: 0.0, to: 1, count: 10001}"), 0, MEMBER("count") },
		{ RANGE("{from: 0.0, to: 1, count: 2.5}"), 0, MEMBER("count") },
		{ RANGE("{from: 0, to: 9999, step: 1}"), 10000, NULL },
		{ RANGE("{from: 0, to: 10000, step: 1}"), 0, "sweep." KEY },
		{ RANGE("{from: 0, to: 1, step: 0}"), 0, MEMBER("step") },
		{ RANGE("{from: 0, to: 1, step: -1}"), 0, MEMBER("step") },
		{ RANGE("{from: 8999999999999999, to: 8999999999999999, step: 1}"), 1, NULL },
		{ RANGE("{from: 9000000000000000, to: 9000000000000000, step: 1}"), 0,
		  MEMBER("from") },
		{ RANGE("{from: 0, to: .inf, step: 1}"), 0, MEMBER("to") },
		{ RANGE("{from: 0, to: [1], step: 1}"), 0, MEMBER("to") },
		{ RANGE("{from: 2, to: 1, step: 1}"), 0, "sweep." KEY },
		{ RANGE("{from: 1, step: 1}"), 0, "sweep." KEY },
		{ RANGE("{to: 1, step: 1}"), 0, "sweep." KEY },
		{ RANGE("{from: 0, to: 8, scale: 2^k}"), 0, "sweep." KEY },
		{ RANGE("{from: 0, to: 8, scale: log, count: 2}"), 0, "sweep." KEY },
		{ RANGE("{from: 1, to: 8, scale: log, step: 1}"), 0, "sweep." KEY },
		{ RANGE("{from: 1, to: 8, scale: 2^k, step: 1}"), 0, "sweep." KEY },
		{ RANGE("{from: 1, to: 8, scale: 2^k, count: 2}"), 0, "sweep." KEY },
		{ RANGE("{from: 1, to: 8, step: 1, count: 2}"), 0, "sweep." KEY },
		{ RANGE("{from: 1, to: 8, scale: lin}"), 0, MEMBER("scale") },
		{ RANGE("{from: 1, to: 8, by: 1}"), 0, MEMBER("by") },
		{ SAMPLED("{count: 1}"), 1, NULL },
		{ SAMPLED("{count: 0}"), 0, "sweep.sample.count" },
		{ SAMPLED("{count: 100001}"), 0, "sweep.sample.count" },
		{ SAMPLED("{count: 2, seed: 0}"), 2, NULL },
		{ SAMPLED("{count: 2, seed: -1}"), 0, "sweep.sample.seed" },
		{ SAMPLED("{count: 2, over: [" KEY "]}"), 2, NULL },
		{ SAMPLED("{count: 2, over: [[" KEY "]]}"), 0, "sweep.sample.over" },
		{ SAMPLED("{count: 2, over: []}"), 0, "sweep.sample.over" },
		{ SAMPLED("{count: 2, over: " KEY "}"), 0, "sweep.sample.over" },
		{ SAMPLED("{seed: 1}"), 0, "sweep.sample" },
		{ SAMPLED("{count: 2, of: 1}"), 0, "sweep.sample.of" },
		{ SAMPLED("64"), 0, "sweep.sample" },
	};

	(void)state;
	for (size_t i = 0; i < PL_ARRAY_SIZE(cases); i++) {
		auto_problems problems = { 0 };
		auto_sweep struct exp_sweep *sweep = read_section(cases[i].section, &problems);
		if ((sweep != NULL ? sweep->count : 0) != cases[i].count)
			fail_msg("%s: %zu combinations", cases[i].section,
				 sweep != NULL ? sweep->count : 0);
		if (sweep != NULL)
			continue;
		assert_int_equal(problems.errors, 1);
		assert_string_equal(problems.items[0].key, cases[i].key);
		assert_int_equal(problems.items[0].line, 3);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_experiment_sweep_range__values),
		cmocka_unit_test(test_experiment_sweep_range__limits),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
