#include "schema/former.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "base/json.h"
#include "base/mem.h"

/* ' for " */
static json_t *parse(const char *text)
{
	auto_free char *own = pl_strdup(text);
	json_t *json = NULL;

	for (char *at = own; *at != '\0'; at++)
		*at = *at == '\'' ? '"' : *at;
	json = json_loads(own, JSON_DECODE_ANY, NULL);
	assert_non_null(json);
	return json;
}

static void test_schema_former__keys_and_values_are_renamed(void **state)
{
	static const struct {
		const char *document, *expected;
	} cases[] = {
		{ "{'on_known': 'keep', 'name': 'x'}", "{'on_conflict': 'keep', 'name': 'x'}" },
		{ "{'form': 'near', 'near': 3}", "{'form': 'neighbors', 'neighbors': 3}" },
		{ "{'form': ['near'], 'colour': null}", "{'form': ['near'], 'color': null}" },
		/* both names: the former one stays, and is refused by the contract */
		{ "{'colour': 'a', 'color': 'b'}", "{'colour': 'a', 'color': 'b'}" },
		{ "{'runs': [{'cell': 'a', 'point': {'cell': 1}, 'status': 'falls_out'}, 7, "
		  "{'gone': true}]}",
		  "{'runs': [{'combination': 'a', 'parameters': {'cell': 1}, 'status': 'skipped'}, "
		  "7, {'removed': true}]}" },
		/* keys of a run at the top, and of the top in a run */
		{ "{'cell': 'a', 'status': 'not_sent', 'runs': [{'left_out': 1, 'status': "
		  "'not_sent'}]}",
		  "{'cell': 'a', 'status': 'not_sent', 'runs': [{'left_out': 1, 'status': "
		  "'not_uploaded'}]}" },
		{ "{'runs': {'cell': 'a'}}", "{'runs': {'cell': 'a'}}" },
		{ "[{'colour': 1}]", "[{'colour': 1}]" },
		{ "'colour'", "'colour'" },
		{ "{}", "{}" },
	};

	(void)state;
	for (size_t i = 0; i < PL_ARRAY_SIZE(cases); i++) {
		auto_json json_t *document = parse(cases[i].document);
		auto_json json_t *expected = parse(cases[i].expected);
		schema_rename_former(document);
		assert_true(json_equal(document, expected));
	}
}

static void test_schema_former__one_run_is_renamed(void **state)
{
	auto_json json_t *run = parse("{'cell': 'a', 'on_known': 1, 'runs': [{'cell': 'b'}]}");
	auto_json json_t *expected = parse(
		"{'combination': 'a', 'on_known': 1, 'runs': [{'cell': 'b'}]}");

	(void)state;
	schema_rename_former_run(run);
	assert_true(json_equal(run, expected));
}

static void test_schema_former__results_of_earlier_versions_are_renamed(void **state)
{
	static const struct {
		const char *document, *expected;
	} cases[] = {
		{ "{'schema_version': 2, 'quality': {'measurement': {'worst_figure': 'x'}, "
		  "'checks': "
		  "[7, {'id': 'cap_held_rate', 'status': 'beyond', 'text': 'ok'}, {'id': 'a', "
		  "'status': 'ok'}, {'id': 'b', 'status': 'unknown', 'differences': [{'asked': "
		  "1}]}]}}",
		  "{'schema_version': 2, 'quality': {'measurement': {'metric': 'x'}, 'checks': "
		  "[7, {'id': 'concurrency_limited', 'status': 'over_limit', 'text': 'ok'}, {'id': "
		  "'a', "
		  "'status': 'passed'}, {'id': 'b', 'status': 'unknown', 'differences': "
		  "[{'requested': 1}]}]}}" },
		{ "{'schema_version': 1, 'config': {'server': {'absent': 'absent'}, "
		  "'server_source': "
		  "{'a': 'absent', 'b': 'default', 'c': 3}}}",
		  "{'schema_version': 1, 'config': {'server': {'absent': 'absent'}, "
		  "'server_source': "
		  "{'a': 'not_in_release', 'b': 'default', 'c': 3}}}" },
		{ "{'schema_version': 2, 'launch': {'beside': 1, 'exit': {'beside': 2}}, 'system': "
		  "{'telemetry': {'late_p50_ms': 1, 'late_p99_ms': 2, 'late_max_ms': 3, "
		  "'metrics_asked': 4}}, 'environment': {'client': {'summary_worst': 'x'}, "
		  "'repeat_of': {'differences': [{'then': 1, 'now': 2}]}}}",
		  "{'schema_version': 2, 'launch': {'other_servers_max': 1, 'exit': {'beside': "
		  "2}}, "
		  "'system': {'telemetry': {'lateness_p50_ms': 1, 'lateness_p99_ms': 2, "
		  "'lateness_max_ms': 3, 'metrics_requested': 4}}, 'environment': {'client': "
		  "{'summary_difference_metric': 'x'}, 'repeat_of': {'differences': [{'original': "
		  "1, "
		  "'current': 2}]}}}" },
		/* both names: the former one stays, and is an unknown key */
		{ "{'schema_version': 2, 'launch': {'beside': 1, 'other_servers_max': 2}}",
		  "{'schema_version': 2, 'launch': {'beside': 1, 'other_servers_max': 2}}" },
		/* of this version, of a later one, and of no version of ours */
		{ "{'schema_version': 3, 'launch': {'beside': 1}}",
		  "{'schema_version': 3, 'launch': {'beside': 1}}" },
		{ "{'schema_version': '1.0', 'launch': {'beside': 1}}",
		  "{'schema_version': '1.0', 'launch': {'beside': 1}}" },
		{ "{'launch': {'beside': 1}}", "{'launch': {'beside': 1}}" },
		{ "{'schema_version': 2, 'launch': 3, 'quality': null}",
		  "{'schema_version': 2, 'launch': 3, 'quality': null}" },
	};

	(void)state;
	for (size_t i = 0; i < PL_ARRAY_SIZE(cases); i++) {
		auto_json json_t *document = parse(cases[i].document);
		auto_json json_t *expected = parse(cases[i].expected);
		schema_rename_former_result(document);
		assert_true(json_equal(document, expected));
	}
	schema_rename_former_result(NULL);
}

/* A journal's state has no version. */
static void test_schema_former__parts_are_renamed(void **state)
{
	auto_json json_t *document = parse("{'launch': {'beside': 1}}");
	auto_json json_t *record = parse("{'prompt_tokens_asked': 1, 'output_tokens_asked': null, "
					 "'lacks_done': true, 'beside': 1}");
	auto_json json_t *head = parse("{'beside': true, 'lacks_done': true}");
	json_t *expected[] = {
		parse("{'launch': {'other_servers_max': 1}}"),
		parse("{'prompt_tokens_requested': 1, 'output_tokens_requested': null, "
		      "'done_missing': true, 'beside': 1}"),
		parse("{'separate': true, 'lacks_done': true}"),
	};

	(void)state;
	schema_rename_former_sections(document);
	schema_rename_former_record(record);
	schema_rename_former_head(head);
	assert_true(json_equal(document, expected[0]));
	assert_true(json_equal(record, expected[1]));
	assert_true(json_equal(head, expected[2]));
	for (size_t i = 0; i < PL_ARRAY_SIZE(expected); i++)
		json_decref(expected[i]);
}

static void test_schema_former__the_version_before_is_checked_as_the_present_one(void **state)
{
	static const struct {
		const char *document;
		int version;
	} cases[] = {
		{ "{'schema_version': 1}", 1 },
		{ "{'schema_version': 2}", 3 },
		{ "{'schema_version': 3}", 3 },
		{ "{'schema_version': 4}", 4 },
	};

	(void)state;
	for (size_t i = 0; i < PL_ARRAY_SIZE(cases); i++) {
		auto_json json_t *document = parse(cases[i].document);
		auto_json json_t *before = parse(cases[i].document);
		auto_json json_t *checked = schema_result_to_check(document);
		assert_int_equal(json_integer_value(json_object_get(checked, "schema_version")),
				 cases[i].version);
		assert_true(json_equal(document, before));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_schema_former__keys_and_values_are_renamed),
		cmocka_unit_test(test_schema_former__one_run_is_renamed),
		cmocka_unit_test(test_schema_former__results_of_earlier_versions_are_renamed),
		cmocka_unit_test(test_schema_former__parts_are_renamed),
		cmocka_unit_test(
			test_schema_former__the_version_before_is_checked_as_the_present_one),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
