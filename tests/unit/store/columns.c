#include "store/columns.h"

#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "store/query.h"
#include "store/view.h"

#define ROWS    100
#define THREADS 4
#define ROUNDS  20

/* A result by its id: tags.n is the id, tags.kK its remainder by K. */
struct source {
	size_t reads;
	int64_t broken; /* the id of a document that cannot be read; 0: none */
};

static json_t *document_of(int64_t id)
{
	json_t *tags = json_pack("{s:I}", "n", (json_int_t)id);

	for (int k = 1; k <= ROWS; k++) {
		char key[16];
		snprintf(key, sizeof(key), "k%d", k);
		json_object_set_new(tags, key, json_integer((json_int_t)id % k));
	}
	return json_pack("{s:s, s:o, s:{s:{s:I}}}", "run_id", "r", "tags", tags, "config", "server",
			 "seed", (json_int_t)id);
}

static int read_document(void *context, int64_t id, json_t **ret, struct pl_err *err)
{
	struct source *source = context;

	source->reads++;
	if (id == source->broken)
		return pl_err_set(err, PL_ERR_IO, "the disk is gone");
	*ret = document_of(id);
	return 0;
}

static void append(struct store_columns *columns, const struct res_fields *fields, int64_t id)
{
	auto_json json_t *document = document_of(id);
	auto_row row = { .id = 0 };

	store_row_of_document(fields, document, &row);
	row.id = id;
	store_columns_append(columns, &row);
}

static size_t count_of(const struct store_columns *columns, const char *field, int number)
{
	auto_json json_t *request = json_pack("{s:{s:s, s:s, s:i}, s:i}", "filter", "field", field,
					      "op", "eq", "value", number, "limit", 0);
	auto_json json_t *answer = NULL;
	auto_schema_faults faults = { 0 };
	struct pl_err err = PL_ERR_INIT;

	assert_int_equal(store_query_apply(columns, request, &answer, &faults, &err), 0);
	return (size_t)json_integer_value(json_object_get(answer, "count"));
}

static void test_store_columns__a_field_that_is_none_is_read_once(void **state)
{
	auto_fields struct res_fields *fields = res_fields_new(NULL);
	struct source source = { 0 };
	auto_columns struct store_columns *columns = store_columns_new(fields, read_document,
								       &source);

	(void)state;
	for (int64_t id = 1; id <= ROWS; id++)
		append(columns, fields, id);
	assert_int_equal(count_of(columns, "server.seed", 7), 1);
	assert_int_equal(source.reads, 0);
	assert_int_equal(count_of(columns, "tags.k2", 0), ROWS / 2);
	assert_int_equal(count_of(columns, "tags.k2", 1), ROWS / 2);
	assert_int_equal(source.reads, ROWS);
	append(columns, fields, ROWS + 1);
	assert_int_equal(count_of(columns, "tags.k2", 1), ROWS / 2 + 1);
	assert_int_equal(source.reads, ROWS + 1);
	/* what took another's place may have changed any of them */
	auto_json json_t *document = document_of(1);
	auto_row row = { .id = 0 };
	store_row_of_document(fields, document, &row);
	row.id = 1;
	assert_true(store_columns_replace(columns, &row));
	row.id = ROWS + 2;
	assert_false(store_columns_replace(columns, &row));
	assert_int_equal(count_of(columns, "tags.k2", 1), ROWS / 2 + 1);
	assert_int_equal(source.reads, 2 * (ROWS + 1));
	assert_int_equal(store_columns_count(columns), ROWS + 1);
	assert_int_equal(store_columns_version(columns), ROWS + 2);
}

static bool may_have(void *context, const char *id)
{
	(void)context;
	return strcmp(id, "tags.k2") == 0;
}

static void test_store_columns__nothing_is_read_for_what_no_document_has(void **state)
{
	auto_fields struct res_fields *fields = res_fields_new(NULL);
	struct source source = { 0 };
	auto_columns struct store_columns *columns = store_columns_new(fields, read_document,
								       &source);

	(void)state;
	store_columns_ask_first(columns, may_have);
	for (int64_t id = 1; id <= ROWS; id++)
		append(columns, fields, id);
	assert_int_equal(count_of(columns, "tags.k3", 0), 0);
	assert_int_equal(source.reads, 0);
	assert_int_equal(count_of(columns, "tags.k2", 0), ROWS / 2);
	assert_int_equal(source.reads, ROWS);
	/* the rows that came since are asked about again */
	append(columns, fields, ROWS + 1);
	assert_int_equal(count_of(columns, "tags.k3", 0), 0);
	assert_int_equal(source.reads, ROWS);
	assert_int_equal(count_of(columns, "tags.k2", 1), ROWS / 2 + 1);
	assert_int_equal(source.reads, ROWS + 1);
}

static void test_store_columns__those_used_least_are_dropped(void **state)
{
	auto_fields struct res_fields *fields = res_fields_new(NULL);
	struct source source = { 0 };
	auto_columns struct store_columns *columns = store_columns_new(fields, read_document,
								       &source);

	(void)state;
	append(columns, fields, 1);
	for (int k = 1; k <= ROWS; k++) {
		char field[16];
		snprintf(field, sizeof(field), "tags.k%d", k);
		(void)count_of(columns, field, 0);
		(void)count_of(columns, "tags.n", 1);
	}
	assert_int_equal(source.reads, ROWS + 1);
	(void)count_of(columns, "tags.k100", 0);
	assert_int_equal(source.reads, ROWS + 1);
	(void)count_of(columns, "tags.k1", 0);
	assert_int_equal(source.reads, ROWS + 2);
}

static void test_store_columns__a_document_that_cannot_be_read_ends_the_query(void **state)
{
	auto_fields struct res_fields *fields = res_fields_new(NULL);
	struct source source = { .broken = 3 };
	auto_columns struct store_columns *columns = store_columns_new(fields, read_document,
								       &source);
	auto_json json_t *request = json_pack("{s:[s]}", "columns", "tags.n");
	auto_json json_t *answer = NULL;
	auto_schema_faults faults = { 0 };
	struct pl_err err = PL_ERR_INIT;

	(void)state;
	for (int64_t id = 1; id <= 5; id++)
		append(columns, fields, id);
	assert_int_equal(store_query_apply(columns, request, &answer, &faults, &err), -1);
	assert_null(answer);
	assert_int_equal(faults.count, 0);
	assert_string_equal(err.text, "result 3: the disk is gone");
	assert_int_equal(err.code, PL_ERR_IO);
	source.broken = 0;
	assert_int_equal(count_of(columns, "tags.n", 5), 1);
}

struct asker {
	pthread_t thread;
	const struct store_columns *columns;
	int number;
	bool is_right;
};

static void *ask(void *data)
{
	struct asker *asker = data;

	asker->is_right = true;
	for (int i = 0; i < ROUNDS; i++) {
		char field[16];
		snprintf(field, sizeof(field), "tags.k%d", 2 + (asker->number + i) % 90);
		auto_json json_t *request = json_pack(
			"{s:{s:s, s:s, s:i}, s:[s], s:[s], s:[{s:s}]}", "filter", "field", field,
			"op", "eq", "value", 1, "columns", "tags.n", "facets", "server.seed",
			"sort", "field", "tags.n");
		auto_json json_t *answer = NULL;
		auto_schema_faults faults = { 0 };
		struct pl_err err = PL_ERR_INIT;
		if (store_query_apply(asker->columns, request, &answer, &faults, &err) < 0 ||
		    json_integer_value(json_object_get(answer, "count")) == 0)
			asker->is_right = false;
	}
	return NULL;
}

/* Queries are reads: they make and drop arrays beside each other. */
static void test_store_columns__many_may_ask_at_once(void **state)
{
	auto_fields struct res_fields *fields = res_fields_new(NULL);
	struct source source = { 0 };
	auto_columns struct store_columns *columns = store_columns_new(fields, read_document,
								       &source);
	struct asker askers[THREADS];

	(void)state;
	for (int64_t id = 1; id <= ROWS; id++)
		append(columns, fields, id);
	for (int i = 0; i < THREADS; i++) {
		askers[i] = (struct asker){ .columns = columns, .number = i * 20 };
		assert_int_equal(pthread_create(&askers[i].thread, NULL, ask, &askers[i]), 0);
	}
	for (int i = 0; i < THREADS; i++) {
		pthread_join(askers[i].thread, NULL);
		assert_true(askers[i].is_right);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_store_columns__a_field_that_is_none_is_read_once),
		cmocka_unit_test(test_store_columns__nothing_is_read_for_what_no_document_has),
		cmocka_unit_test(test_store_columns__those_used_least_are_dropped),
		cmocka_unit_test(test_store_columns__a_document_that_cannot_be_read_ends_the_query),
		cmocka_unit_test(test_store_columns__many_may_ask_at_once),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
