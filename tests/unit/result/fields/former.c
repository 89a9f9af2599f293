#include "result/fields/former.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "base/json.h"
#include "base/mem.h"
#include "result/fields/fields.h"
#include "schema/former.h"

static void test_res_former__ids_have_present_ones(void **state)
{
	static const struct {
		const char *id, *expected;
	} cases[] = {
		{ "launch.beside", "launch.other_servers_max" },
		{ "quality.measurement.worst_figure", "quality.measurement.metric" },
		{ "quality.cap_held_rate.value", "quality.concurrency_limited.value" },
		{ "quality.cap_held_rate.status", "quality.concurrency_limited.status" },
		{ "stored.near", "stored.possible_duplicate" },
		{ "launch.other_servers_max", NULL },
		{ "launch.beside.x", NULL },
		{ "launch", NULL },
		{ "beside", NULL }, /* check-words: allow beside */
		{ "quality.client_error.status", NULL },
		{ "tags.cap_held_rate", NULL },
		{ "", NULL },
	};

	(void)state;
	for (size_t i = 0; i < PL_ARRAY_SIZE(cases); i++) {
		auto_free char *found = res_field_former_id(cases[i].id);
		if (cases[i].expected == NULL)
			assert_null(found);
		else
			assert_string_equal(found, cases[i].expected);
	}
}

/* Each row of a section is a former id of a field that exists. */
static void test_res_former__ids_are_fields(void **state)
{
	auto_fields struct res_fields *fields = res_fields_new(NULL);
	struct schema_former row;
	size_t count = 0;

	(void)state;
	for (size_t i = 0; schema_former_row(i, &row); i++) {
		if (row.path == NULL || row.key != NULL)
			continue;
		auto_free char *former = pl_asprintf("%s.%s", row.path, row.former);
		auto_free char *present = pl_asprintf("%s.%s", row.path, row.name);
		const struct res_field *field = res_fields_find(fields, former);
		if (res_fields_find(fields, present) == NULL)
			continue;
		assert_non_null(field);
		assert_string_equal(field->id, present);
		count++;
	}
	assert_int_equal(count, 10);
}

static void test_res_former__values_of_statuses_have_present_ones(void **state)
{
	(void)state;
	assert_string_equal(res_field_former_value("quality.failures.status", "ok"), "passed");
	assert_string_equal(res_field_former_value("quality.failures.status", "beyond"),
			    "over_limit");
	assert_string_equal(res_field_former_value("quality.failures.status", "passed"), "passed");
	assert_string_equal(res_field_former_value("quality.failures.text", "ok"), "ok");
	assert_string_equal(res_field_former_value("run.status", "ok"), "ok");
}

static json_t *parse(const char *text)
{
	auto_free char *own = pl_strdup(text);

	for (char *at = own; *at != '\0'; at++)
		*at = *at == '\'' ? '"' : *at;
	json_t *json = json_loads(own, 0, NULL);
	assert_non_null(json);
	return json;
}

static void test_res_former__filters_and_lists_are_renamed(void **state)
{
	auto_json json_t *filter = parse(
		"{'and': [{'or': [{'field': 'quality.failures.status', 'op': 'in', 'value': ['ok', "
		"3, "
		"'unknown']}]}, {'not': {'field': 'quality.failures.status', 'op': 'eq', 'value': "
		"'beyond'}}, {'field': 'launch.beside', 'op': 'is_null'}, {'field': 'run.name', "
		"'op': "
		"'eq', 'value': 'ok'}, 7]}");
	auto_json json_t *renamed = parse(
		"{'and': [{'or': [{'field': 'quality.failures.status', 'op': 'in', 'value': "
		"['passed', "
		"3, 'unknown']}]}, {'not': {'field': 'quality.failures.status', 'op': 'eq', "
		"'value': "
		"'over_limit'}}, {'field': 'launch.other_servers_max', 'op': 'is_null'}, {'field': "
		"'run.name', 'op': 'eq', 'value': 'ok'}, 7]}");
	auto_json json_t *list = parse("['run.name', 'stored.near', {'field': 'launch.beside', "
				       "'dir': 'asc'}, null]");
	auto_json json_t *list_renamed = parse(
		"['run.name', 'stored.possible_duplicate', {'field': "
		"'launch.other_servers_max', 'dir': 'asc'}, null]");

	(void)state;
	res_filter_rename_former(filter);
	assert_true(json_equal(filter, renamed));
	res_fields_rename_former(list);
	assert_true(json_equal(list, list_renamed));
	res_filter_rename_former(NULL);
	res_fields_rename_former(NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_res_former__ids_have_present_ones),
		cmocka_unit_test(test_res_former__ids_are_fields),
		cmocka_unit_test(test_res_former__values_of_statuses_have_present_ones),
		cmocka_unit_test(test_res_former__filters_and_lists_are_renamed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
