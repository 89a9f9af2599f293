#include "query/query.h"

#include "query/filter.h"
#include "request_contract.h"
#include "tbl/request_bounds.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <cmocka.h>

/* The values of a cell, in the order of an ascending sort by tags.v. */
static const char *const rising[] = {
	"-5",    "0.25",  "3",           "1e300", "false", "true", "\"\"",
	"\"A\"", "\"a\"", "\"trusted\"", "[]",    "{}",    "null", NULL,
};
#define ROWS (sizeof(rising) / sizeof(rising[0]))

static json_t *document_of(size_t at)
{
	char text[128];

	if (rising[at] == NULL)
		return json_pack("{s:{}}", "tags");
	snprintf(text, sizeof(text), "{\"tags\": {\"v\": %s, \"same\": 1}}", rising[at]);
	return json_loads(text, 0, NULL);
}

/* Returns the position of the row with this id in the order. */
static size_t position_of(int64_t id)
{
	return (size_t)(id * 5 % (int64_t)ROWS);
}

static int read_document(void *context, int64_t id, const char *member, json_t **ret,
			 int64_t *ret_changed, struct pl_err *err)
{
	(void)context;
	(void)member;
	(void)err;
	*ret_changed = 0;
	*ret = document_of(position_of(id));
	return 0;
}

static struct mirror *made_mirror(const struct res_fields *fields)
{
	struct mirror *mirror = mirror_new(fields, read_document, NULL);

	for (int64_t id = 1; id <= (int64_t)ROWS; id++) {
		auto_json json_t *document = document_of(position_of(id));
		auto_row row = { .id = 0 };
		mirror_row_of_document(fields, document, &row);
		row.id = id;
		mirror_append(mirror, &row);
	}
	mirror_publish(mirror);
	return mirror;
}

#define ANSWER_BYTES_MAX (1u << 20)

static json_t *requested(struct mirror *mirror, const char *text)
{
	auto_snapshot struct mirror_snapshot *snapshot = mirror_snapshot_take(mirror);
	auto_json json_t *request = json_loads(text, 0, NULL);
	auto_buf answer = PL_BUF(ANSWER_BYTES_MAX);
	auto_schema_faults faults = { 0 };
	struct pl_err err = PL_ERR_INIT;
	json_t *json;

	assert_non_null(request);
	assert_true(request_fits(REQUEST_APPLY, request, &faults));
	if (query_apply(snapshot, request, &answer, &faults, &err) < 0)
		fail_msg("%s", err.text);
	json = json_loadb(answer.data, answer.len, 0, NULL);
	assert_non_null(json);
	return json;
}

static int64_t id_at(const json_t *answer, size_t i)
{
	const json_t *row = json_array_get(json_object_get(answer, "rows"), i);

	return json_integer_value(json_object_get(row, "id"));
}

static void test_query_query__values_have_one_order_and_nothing_is_last(void **state)
{
	auto_fields struct res_fields *fields = res_fields_new(NULL);
	auto_mirror struct mirror *mirror = made_mirror(fields);
	auto_json json_t *up = requested(mirror,
					 "{\"sort\": [{\"field\": \"tags.v\", \"dir\": \"asc\"}]}");
	auto_json json_t *down = requested(
		mirror, "{\"sort\": [{\"field\": \"tags.v\", \"dir\": \"desc\"}]}");
	size_t there = ROWS - 2;

	(void)state;
	for (size_t i = 0; i < ROWS; i++) {
		assert_int_equal(position_of(id_at(up, i)), i);
		assert_int_equal(position_of(id_at(down, i)), i < there ? there - 1 - i : i);
	}
}

static void test_query_query__equal_values_are_newest_first(void **state)
{
	auto_fields struct res_fields *fields = res_fields_new(NULL);
	auto_mirror struct mirror *mirror = made_mirror(fields);
	static const char *const requests[] = {
		"{}",
		"{\"sort\": [{\"field\": \"server.model\", \"dir\": \"asc\"}]}",
		"{\"sort\": [{\"field\": \"server.model\", \"dir\": \"desc\"}], \"facets\": false}",
		"{\"filter\": {\"and\": []}, \"columns\": [], \"offset\": 0}",
	};

	(void)state;
	for (size_t k = 0; k < PL_ARRAY_SIZE(requests); k++) {
		auto_json json_t *answer = requested(mirror, requests[k]);
		for (size_t i = 0; i < ROWS; i++)
			assert_int_equal(id_at(answer, i), ROWS - i);
	}
}

static void test_query_query__reports_some_faults_and_that_there_are_more(void **state)
{
	auto_fields struct res_fields *fields = res_fields_new(NULL);
	auto_mirror struct mirror *mirror = made_mirror(fields);
	auto_json json_t *request = json_pack("{s:[]}", "fields");
	auto_snapshot struct mirror_snapshot *snapshot = mirror_snapshot_take(mirror);
	auto_buf answer = PL_BUF(ANSWER_BYTES_MAX);
	auto_schema_faults faults = { 0 };
	struct pl_err err = PL_ERR_INIT;

	(void)state;
	for (int i = 0; i < 50; i++) {
		char id[16];
		snprintf(id, sizeof(id), "none/%d", i);
		json_array_append_new(json_object_get(request, "fields"), json_string(id));
	}
	assert_true(request_fits(REQUEST_OPTIONS, request, &faults));
	assert_int_equal(query_options(snapshot, request, &answer, &faults, &err), -1);
	assert_int_equal(faults.count, 20);
	assert_true(faults.cut);
	assert_int_equal(err.code, PL_ERR_INVALID);
	assert_string_equal(err.text, "/fields/0: found \"none/0\", expected the id of a field");
}

/* Every result has another model. */
static void append_models(struct mirror *mirror, const struct res_fields *fields, int64_t count)
{
	size_t column_count, model = 0;
	const struct res_field *const *columns = mirror_column_fields(fields, &column_count);
	auto_free struct mirror_cell *cells = pl_alloc_array(column_count, sizeof(*cells));

	while (strcmp(columns[model]->id, "server.model") != 0)
		model++;
	for (int64_t id = 1; id <= count; id++) {
		char text[32];
		snprintf(text, sizeof(text), "m%lld", (long long)id);
		cells[model] = (struct mirror_cell){ .state = RES_VALUE_PRESENT,
						     .kind = RES_VALUE_TEXT,
						     .text = text };
		mirror_append(mirror, &(struct mirror_row){ .id = id, .cells = cells });
	}
	mirror_publish(mirror);
}

static void test_query_query__a_filter_looks_at_so_many_values(void **state)
{
	auto_fields struct res_fields *fields = res_fields_new(NULL);
	auto_mirror struct mirror *mirror = mirror_new(fields, read_document, NULL);
	auto_json json_t *request = json_pack("{s:{s:[]}}", "filter", "or");
	json_t *terms = json_object_get(json_object_get(request, "filter"), "or");
	enum { PREDICATES = BOUND_FILTER_NODES_MAX - 1 };
	int64_t rows = QUERY_FILTER_VALUES_MAX / PREDICATES + 1;
	auto_buf answer = PL_BUF(ANSWER_BYTES_MAX);
	auto_schema_faults faults = { 0 };
	struct pl_err err = PL_ERR_INIT;
	char pointer[64];

	(void)state;
	append_models(mirror, fields, rows);
	for (int i = 0; i < PREDICATES; i++)
		json_array_append_new(
			terms, json_pack("{s:s, s:s}", "field", "server.model", "op", "is_null"));
	auto_snapshot struct mirror_snapshot *snapshot = mirror_snapshot_take(mirror);
	assert_true(request_fits(REQUEST_APPLY, request, &faults));
	assert_int_equal(query_apply(snapshot, request, &answer, &faults, &err), -1);
	assert_int_equal(faults.count, 1);
	snprintf(pointer, sizeof(pointer), "/filter/or/%d", PREDICATES - 1);
	assert_string_equal(faults.items[0].pointer, pointer);
}

static void test_query_query__no_rows_are_an_answer_too(void **state)
{
	auto_fields struct res_fields *fields = res_fields_new(NULL);
	auto_mirror struct mirror *mirror = mirror_new(fields, read_document, NULL);
	auto_json json_t *answer = requested(
		mirror, "{\"filter\": {\"not\": {\"field\": \"server.model\", \"op\": "
			"\"is_recorded\"}}, \"facets\": true, \"sort\": [{\"field\": "
			"\"server.model\", \"dir\": \"asc\"}]}");

	(void)state;
	assert_int_equal(json_integer_value(json_object_get(answer, "count")), 0);
	assert_int_equal(json_array_size(json_object_get(answer, "rows")), 0);
	assert_int_equal(json_object_size(json_object_get(answer, "facets")), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_query_query__values_have_one_order_and_nothing_is_last),
		cmocka_unit_test(test_query_query__equal_values_are_newest_first),
		cmocka_unit_test(test_query_query__reports_some_faults_and_that_there_are_more),
		cmocka_unit_test(test_query_query__a_filter_looks_at_so_many_values),
		cmocka_unit_test(test_query_query__no_rows_are_an_answer_too),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
