#include "schema/former.h"

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
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

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_schema_former__keys_and_values_are_renamed),
		cmocka_unit_test(test_schema_former__one_run_is_renamed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
