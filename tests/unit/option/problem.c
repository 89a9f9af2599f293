#include "option/problem.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static void a_problem_is_one_line(void **state)
{
	static const struct {
		struct option_problem problem;
		const char *text;
	} cases[] = {
		{ { OPTION_ERROR, "e.yaml", 3, 9, "server.seed", NULL, "text 'x'", "an integer",
		    NULL, false, NULL, NULL },
		  "e.yaml:3:9: server.seed: found text 'x', expected an integer" },
		{ { OPTION_ERROR, "e.yaml", 3, 9, "nmae", NULL, "unknown key", "a key", "name",
		    false, NULL, NULL },
		  "e.yaml:3:9: nmae: unknown key, expected a key (did you mean 'name'?)" },
		{ { OPTION_WARNING, "--set", 0, 0, "server.seed", "some_rule", "1", "2", NULL,
		    false, NULL, NULL },
		  "--set: server.seed: found 1, expected 2 (rule some_rule)" },
		{ { OPTION_ERROR, "e", 2, 1, "server.seed", "rule", "seed 1", "needs a sum", NULL,
		    true, NULL, NULL },
		  "e:2:1: server.seed: needs a sum (found seed 1; rule rule)" },
		{ { OPTION_ERROR, NULL, 0, 0, "", NULL, NULL, "a mapping", NULL, false, NULL,
		    NULL },
		  "found nothing, expected a mapping" },
		{ { OPTION_ERROR, "e", 1, 1, "a\nb", NULL, "text 'x\r\n\x1b[31m'", NULL, NULL,
		    false, NULL, NULL },
		  "e:1:1: a?b: found text 'x???[31m'" },
		/* the remedy comes after the likely name */
		{ { OPTION_ERROR, "e", 1, 1, "x", NULL, "1", "2; use y", "z", false, NULL, NULL },
		  "e:1:1: x: found 1, expected 2 (did you mean 'z'?); use y" },
	};

	(void)state;
	for (size_t i = 0; i < PL_ARRAY_SIZE(cases); i++) {
		auto_buf text = { 0 };
		pl_buf_init(&text, 1024);
		option_problem_text(&cases[i].problem, OPTION_AS_FILE, &text);
		assert_string_equal(pl_buf_text(&text), cases[i].text);
	}
}

static void the_audience_selects_the_words(void **state)
{
	static const struct {
		struct option_problem problem;
		const char *as_file, *as_flag;
	} cases[] = {
		/* null can be written in a file, but not in a command line */
		{ { .source = "e.yaml",
		    .line = 3,
		    .column = 9,
		    .key = "benchmark.input_len",
		    .found = "number -3",
		    .expected = "an integer of at least 0, or null; use 0" },
		  "e.yaml:3:9: benchmark.input_len: found number -3, expected an integer of at "
		  "least 0, or null; use 0",
		  "--input-len: found number -3, expected an integer of at least 0; use 0" },
		{ { .source = "e.yaml",
		    .line = 3,
		    .column = 9,
		    .key = "benchmark.ramp_up_end_rps",
		    .found = "null",
		    .expected = "a rate of at least {benchmark.ramp_up_start_rps}" },
		  "e.yaml:3:9: benchmark.ramp_up_end_rps: found null, expected a rate of at least "
		  "benchmark.ramp_up_start_rps",
		  "--ramp-up-end-rps: found nothing, expected a rate of at least "
		  "--ramp-up-start-rps" },
		{ { .source = "e",
		    .key = "benchmark.extra_body.a_b",
		    .found = "text '{benchmark.seed}'",
		    .expected = "{}, {x y} or {launch.url}" },
		  "e: benchmark.extra_body.a_b: found text '{benchmark.seed}', expected {}, {x y} "
		  "or launch.url",
		  "--extra-body.a_b: found text '{benchmark.seed}', expected {}, {x y} or "
		  "--base-url" },
		{ { .source = "e",
		    .key = "server.seed",
		    .expected = "no such file",
		    .expected_is_reason = true },
		  "e: server.seed: no such file",
		  "server.seed: no such file" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		auto_buf file = { 0 }, flag = { 0 };
		pl_buf_init(&file, 1024);
		pl_buf_init(&flag, 1024);
		option_problem_text(&cases[i].problem, OPTION_AS_FILE, &file);
		option_problem_text(&cases[i].problem, OPTION_AS_FLAG, &flag);
		assert_string_equal(pl_buf_text(&file), cases[i].as_file);
		assert_string_equal(pl_buf_text(&flag), cases[i].as_flag);
	}
}

static void problems_are_copied_and_counted(void **state)
{
	auto_problems problems = { 0 };
	char key[] = "server.seed";

	(void)state;
	for (int i = 0; i < 100; i++)
		option_problems_add(&problems,
				    &(struct option_problem){
					    .severity = i % 4 == 0 ? OPTION_ERROR : OPTION_WARNING,
					    .line = i,
					    .key = key,
				    });
	key[0] = 'x';
	assert_int_equal(problems.count, 100);
	assert_int_equal(problems.errors, 25);
	assert_string_equal(problems.items[99].key, "server.seed");
	assert_int_equal(problems.items[99].line, 99);
}

static void a_problem_as_json(void **state)
{
	auto_json json_t *by = json_pack("[{s:s, s:i}]", "key", "c", "value", 1);
	const struct option_problem placed = { OPTION_ERROR, "e.yaml",    3,   9,     "a.b", NULL,
					       "f",          "not {a.b}", "n", false, "w",   by };
	const struct option_problem unplaced = { .severity = OPTION_WARNING, .rule = "r" };
	auto_json json_t *first = option_problem_to_json(&placed);
	auto_json json_t *second = option_problem_to_json(&unplaced);
	auto_free char *one = pl_json_to_text(first, PL_JSON_COMPACT);
	auto_free char *two = pl_json_to_text(second, PL_JSON_COMPACT);

	(void)state;
	assert_string_equal(one,
			    "{\"severity\":\"error\",\"source\":\"e.yaml\",\"line\":3,\"col\":9,"
			    "\"key\":\"a.b\",\"pointer\":\"/a/b\",\"rule\":null,"
			    "\"reason\":\"w\",\"found\":\"f\",\"expected\":\"not a.b\","
			    "\"nearest\":\"n\",\"replaced_by\":[{\"key\":\"c\",\"value\":1}]}");
	assert_string_equal(two,
			    "{\"severity\":\"warning\",\"source\":null,\"line\":null,"
			    "\"col\":null,\"key\":null,\"pointer\":null,\"rule\":\"r\","
			    "\"reason\":null,\"found\":null,\"expected\":null,\"nearest\":null,"
			    "\"replaced_by\":null}");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_problem_is_one_line),
		cmocka_unit_test(the_audience_selects_the_words),
		cmocka_unit_test(problems_are_copied_and_counted),
		cmocka_unit_test(a_problem_as_json),
	};

	return cmocka_run_group_tests_name("model/problem", tests, NULL, NULL);
}
