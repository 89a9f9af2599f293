#include "mirror/view.h"

#include "request_contract.h"

#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "mirror/cancel_token.h"
#include "mirror/mirror_priv.h"
#include "query/points/points.h"
#include "query/query.h"

#define ROWS             100
#define THREADS          4
#define ROUNDS           20
#define ANSWER_BYTES_MAX (16u << 20)

/* A result by its id: tags.n is the id, tags.kK its remainder by K. */
struct source {
	size_t reads;
	int64_t changed[ROWS + 3]; /* by id: the version of its last change */
	int64_t broken;            /* the id of a document that cannot be read; 0: none */
	/* the mirror whose questions end when `ends_at` is read; or NULL */
	struct mirror *ends;
	int64_t ends_at;
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

static int read_document(void *context, int64_t id, const char *member, json_t **ret,
			 int64_t *ret_changed, struct pl_err *err)
{
	struct source *source = context;

	(void)member;
	source->reads++;
	if (id == source->broken)
		return pl_err_set(err, PL_ERR_IO, "the disk is gone");
	if (source->ends != NULL && id == source->ends_at)
		mirror_end_questions(source->ends);
	*ret_changed = id < ROWS + 3 ? source->changed[id] : 0;
	*ret = document_of(id);
	return 0;
}

static void append(struct mirror *mirror, const struct res_fields *fields, int64_t id)
{
	auto_json json_t *document = document_of(id);
	auto_row row = { .id = 0 };

	mirror_row_of_document(fields, document, &row);
	row.id = id;
	mirror_append(mirror, &row);
	mirror_publish(mirror);
}

typedef int query_fn(const struct mirror_snapshot *snapshot, const json_t *request,
		     struct pl_buf *ret_json, struct schema_faults *faults, struct pl_err *err);

/* The answer's count; -1: it failed. */
static int64_t count_by(query_fn *query, struct mirror *mirror, const json_t *request,
			struct pl_err *err)
{
	auto_snapshot struct mirror_snapshot *snapshot = mirror_snapshot_take(mirror);
	auto_buf text = PL_BUF(ANSWER_BYTES_MAX);
	auto_schema_faults faults = { 0 };
	auto_json json_t *answer = NULL;

	assert_true(request_fits(query == query_points ? REQUEST_POINTS : REQUEST_APPLY, request,
				 &faults));
	if (query(snapshot, request, &text, &faults, err) < 0) {
		assert_int_equal(faults.count, 0);
		return -1;
	}
	answer = json_loadb(text.data, text.len, 0, NULL);
	assert_non_null(answer);
	return json_integer_value(json_object_get(answer, "count"));
}

static int64_t count_of(struct mirror *mirror, const char *field, int number)
{
	auto_json json_t *request = json_pack("{s:{s:s, s:s, s:i}, s:i}", "filter", "field", field,
					      "op", "eq", "value", number, "limit", 0);
	struct pl_err err = PL_ERR_INIT;

	return count_by(query_apply, mirror, request, &err);
}

static void test_mirror_view__a_field_that_is_none_is_read_once(void **state)
{
	auto_fields struct res_fields *fields = res_fields_new(NULL);
	struct source source = { 0 };
	auto_mirror struct mirror *mirror = mirror_new(fields, read_document, &source);

	(void)state;
	for (int64_t id = 1; id <= ROWS; id++)
		append(mirror, fields, id);
	assert_int_equal(count_of(mirror, "server.seed", 7), 1);
	assert_int_equal(source.reads, 0);
	assert_int_equal(count_of(mirror, "tags.k2", 0), ROWS / 2);
	assert_int_equal(count_of(mirror, "tags.k2", 1), ROWS / 2);
	assert_int_equal(source.reads, ROWS);
	append(mirror, fields, ROWS + 1);
	assert_int_equal(count_of(mirror, "tags.k2", 1), ROWS / 2 + 1);
	assert_int_equal(source.reads, ROWS + 1);
	/* what took another's place is read, and no other one */
	auto_json json_t *document = document_of(1);
	auto_row row = { .id = 0 };
	mirror_row_of_document(fields, document, &row);
	row.id = 1;
	assert_true(mirror_replace(mirror, &row));
	row.id = ROWS + 2;
	assert_false(mirror_replace(mirror, &row));
	mirror_publish(mirror);
	assert_int_equal(count_of(mirror, "tags.k2", 1), ROWS / 2 + 1);
	assert_int_equal(source.reads, ROWS + 2);
	auto_snapshot struct mirror_snapshot *snapshot = mirror_snapshot_take(mirror);
	assert_int_equal(mirror_snapshot_version(snapshot), ROWS + 2);
	/* so is a row in its own segment */
	mirror_seal(mirror);
	append(mirror, fields, ROWS + 2);
	assert_int_equal(count_of(mirror, "tags.k2", 0), ROWS / 2 + 1);
	assert_int_equal(source.reads, ROWS + 3);
	/* which is no more is not read */
	assert_true(mirror_remove(mirror, 1));
	assert_true(mirror_remove(mirror, 2));
	assert_false(mirror_remove(mirror, 2));
	mirror_publish(mirror);
	assert_int_equal(count_of(mirror, "tags.k3", 0), ROWS / 3 + 1);
	assert_int_equal(source.reads, ROWS + 3 + ROWS);
}

static void test_mirror_view__queries_end_on_request(void **state)
{
	auto_fields struct res_fields *fields = res_fields_new(NULL);
	struct source source = { .ends_at = 10 };
	auto_mirror struct mirror *mirror = mirror_new(fields, read_document, &source);
	auto_json json_t *reads = json_loads("{\"facets\": [\"tags.k2\"], \"limit\": 0}", 0, NULL);
	static const struct {
		query_fn *query;
		const char *request;
	} others[] = {
		{ query_apply, "{\"facets\": true, \"columns\": []}" },
		{ query_apply, "{\"metrics\": [\"server.seed\"]}" },
		{ query_points, "{\"x\": \"server.seed\", \"y\": \"server.seed\"}" },
		{ query_points, "{\"form\": \"bins\", \"x\": \"server.seed\", \"color\": "
				"\"server.seed\", \"match\": true}" },
	};
	struct pl_err err = PL_ERR_INIT;

	(void)state;
	for (int64_t id = 1; id <= ROWS; id++)
		append(mirror, fields, id);
	source.ends = mirror;
	assert_int_equal(count_by(query_apply, mirror, reads, &err), -1);
	assert_int_equal(err.code, PL_ERR_INTERRUPTED);
	assert_int_equal(source.reads, 10);
	for (size_t i = 0; i < PL_ARRAY_SIZE(others); i++) {
		auto_json json_t *request = json_loads(others[i].request, 0, NULL);
		err = (struct pl_err)PL_ERR_INIT;
		assert_int_equal(count_by(others[i].query, mirror, request, &err), -1);
		assert_int_equal(err.code, PL_ERR_INTERRUPTED);
	}
}

/* A client that leaves after a number of documents was read. */
struct leaver {
	struct mirror_cancel_token cancel_token;
	const struct source *source;
	size_t reads;
};

static bool has_left(struct mirror_cancel_token *cancel_token)
{
	const struct leaver *leaver = PL_CONTAINER_OF(cancel_token, struct leaver, cancel_token);

	return leaver->source->reads >= leaver->reads;
}

static void test_mirror_view__a_query_ends_when_its_client_has_left(void **state)
{
	auto_fields struct res_fields *fields = res_fields_new(NULL);
	struct source source = { 0 };
	auto_mirror struct mirror *mirror = mirror_new(fields, read_document, &source);
	auto_json json_t *request = json_loads("{\"facets\": [\"tags.k2\"], \"limit\": 0}", 0,
					       NULL);
	struct leaver leaver = { { has_left }, &source, 10 };
	auto_buf text = PL_BUF(ANSWER_BYTES_MAX);
	auto_schema_faults faults = { 0 };
	struct pl_err err = PL_ERR_INIT;

	(void)state;
	for (int64_t id = 1; id <= ROWS; id++)
		append(mirror, fields, id);
	struct mirror_snapshot *whole = mirror_snapshot_take(mirror);
	auto_snapshot struct mirror_snapshot *own = mirror_snapshot_for(whole,
									&leaver.cancel_token);
	mirror_snapshot_put(whole);
	assert_int_equal(query_apply(own, request, &text, &faults, &err), -1);
	assert_int_equal(err.code, PL_ERR_INTERRUPTED);
	assert_string_equal(err.text, "the query was canceled: the client disconnected");
	assert_int_equal(source.reads, 10);
	/* other questions do not end, and the documents already read are not read again */
	assert_int_equal(count_by(query_apply, mirror, request, &err), ROWS);
	assert_int_equal(source.reads, ROWS);
}

static bool may_have(void *context, const char *id)
{
	(void)context;
	return strcmp(id, "tags.k2") == 0;
}

static void test_mirror_view__nothing_is_read_for_what_no_document_has(void **state)
{
	auto_fields struct res_fields *fields = res_fields_new(NULL);
	struct source source = { 0 };
	auto_mirror struct mirror *mirror = mirror_new(fields, read_document, &source);

	(void)state;
	mirror_ask_first(mirror, may_have);
	for (int64_t id = 1; id <= ROWS; id++)
		append(mirror, fields, id);
	assert_int_equal(count_of(mirror, "tags.k3", 0), 0);
	assert_int_equal(source.reads, 0);
	assert_int_equal(count_of(mirror, "tags.k2", 0), ROWS / 2);
	assert_int_equal(source.reads, ROWS);
	/* the rows that came since are asked about again */
	append(mirror, fields, ROWS + 1);
	assert_int_equal(count_of(mirror, "tags.k3", 0), 0);
	assert_int_equal(source.reads, ROWS);
	assert_int_equal(count_of(mirror, "tags.k2", 1), ROWS / 2 + 1);
	assert_int_equal(source.reads, ROWS + 1);
}

static bool has_none(void *context, const char *id)
{
	(void)context;
	(void)id;
	return false;
}

/* Several segments, none of them full, after the existing rows. */
static void test_mirror_view__synthetic_ids_are_many(void **state)
{
	auto_fields struct res_fields *fields = res_fields_new(NULL);
	struct source source = { 0 };
	auto_mirror struct mirror *mirror = mirror_new(fields, read_document, &source);
	auto_json json_t *request = json_pack("{s:{s:{s:s, s:s}}, s:[]}", "filter", "not", "field",
					      "tags.made_3", "op", "is_recorded", "facets");
	struct pl_err err = PL_ERR_INIT;

	(void)state;
	mirror_ask_first(mirror, has_none);
	for (int k = 0; k < 400; k++) {
		char id[32];
		snprintf(id, sizeof(id), "tags.made_%d", k * 7 % 400);
		json_array_append_new(json_object_get(request, "facets"), json_string(id));
	}
	for (int64_t id = 1; id <= ROWS; id++) {
		if (id % 30 == 0)
			mirror_seal(mirror);
		append(mirror, fields, id);
		if (id % 25 == 0)
			assert_int_equal(count_by(query_apply, mirror, request, &err), id);
	}
	assert_int_equal(source.reads, 0);
}

static void test_mirror_view__a_snapshot_that_is_too_old_is_reported(void **state)
{
	auto_fields struct res_fields *fields = res_fields_new(NULL);
	struct source source = { 0 };
	auto_mirror struct mirror *mirror = mirror_new(fields, read_document, &source);
	auto_json json_t *request = json_pack("{s:[s], s:[]}", "facets", "tags.k2", "columns");

	(void)state;
	for (int64_t id = 1; id <= 5; id++)
		append(mirror, fields, id);
	auto_snapshot struct mirror_snapshot *old = mirror_snapshot_take(mirror);
	assert_true(mirror_remove(mirror, 4));
	mirror_publish(mirror);
	assert_int_equal(count_of(mirror, "tags.k2", 0), 1);
	/* row 4, which is in it, was not read */
	auto_buf text = PL_BUF(ANSWER_BYTES_MAX);
	auto_schema_faults faults = { 0 };
	struct pl_err err = PL_ERR_INIT;
	assert_int_equal(query_apply(old, request, &text, &faults, &err), -1);
	assert_int_equal(err.code, PL_ERR_BUSY);
	assert_int_equal(count_of(mirror, "tags.k2", 1), 3);
}

/* Fields that are not columns are read again for rows with new places. An older snapshot keeps what it has read. */
static void test_mirror_view__rows_that_move_keep_their_values(void **state)
{
	auto_fields struct res_fields *fields = res_fields_new(NULL);
	struct source source = { 0 };
	auto_mirror struct mirror *mirror = mirror_new(fields, read_document, &source);
	auto_json json_t *read = json_pack("{s:[s], s:[]}", "facets", "tags.k2", "columns");
	auto_json json_t *unread = json_pack("{s:[s], s:[]}", "facets", "tags.k3", "columns");

	(void)state;
	for (int64_t id = 1; id <= ROWS; id++)
		append(mirror, fields, id);
	auto_snapshot struct mirror_snapshot *old = mirror_snapshot_take(mirror);
	assert_int_equal(count_of(mirror, "tags.k2", 0), ROWS / 2);
	for (int64_t id = 1; id <= ROWS - 5; id++) {
		assert_true(mirror_remove(mirror, id));
		source.changed[id] = ROWS + id;
	}
	mirror_compact(mirror);
	mirror_publish(mirror);
	source.reads = 0;
	for (int64_t id = ROWS - 5; id <= ROWS; id++)
		assert_int_equal(count_of(mirror, "server.seed", (int)id), id > ROWS - 5);
	assert_int_equal(count_of(mirror, "tags.k2", 0), 3);
	assert_int_equal(count_of(mirror, "tags.k3", 0), 2);
	assert_int_equal(source.reads, 10);
	/* the older snapshot has the values read before, and none that would be of another version */
	auto_buf text = PL_BUF(ANSWER_BYTES_MAX);
	auto_schema_faults faults = { 0 };
	struct pl_err err = PL_ERR_INIT;
	assert_int_equal(mirror_snapshot_count(old), ROWS);
	assert_int_equal(query_apply(old, read, &text, &faults, &err), 0);
	assert_int_equal(source.reads, 10);
	assert_int_equal(query_apply(old, unread, &text, &faults, &err), -1);
	assert_int_equal(err.code, PL_ERR_BUSY);
}

/* A document that changed after the snapshot is read for the snapshot if no newer one exists. */
static void test_mirror_view__a_document_that_is_newer_is_not_taken(void **state)
{
	auto_fields struct res_fields *fields = res_fields_new(NULL);
	struct source source = { .changed = { [3] = 6 } };
	auto_mirror struct mirror *mirror = mirror_new(fields, read_document, &source);
	auto_json json_t *request = json_pack("{s:[s], s:i}", "facets", "tags.k2", "limit", 0);
	auto_json json_t *document = document_of(3);
	auto_row row = { .id = 0 };
	struct pl_err err = PL_ERR_INIT;

	(void)state;
	for (int64_t id = 1; id <= 5; id++)
		append(mirror, fields, id);
	auto_snapshot struct mirror_snapshot *old = mirror_snapshot_take(mirror);
	assert_int_equal(mirror_snapshot_version(old), 5);
	for (int i = 0; i < 2; i++) {
		assert_int_equal(count_by(query_apply, mirror, request, &err), -1);
		assert_int_equal(err.code, PL_ERR_BUSY);
	}
	mirror_row_of_document(fields, document, &row);
	row.id = 3;
	assert_true(mirror_replace(mirror, &row));
	mirror_publish(mirror);
	assert_int_equal(count_of(mirror, "tags.k2", 1), 3);
	/* each document once, and the newer one twice */
	assert_int_equal(source.reads, 6);
	auto_buf text = PL_BUF(ANSWER_BYTES_MAX);
	auto_schema_faults faults = { 0 };
	assert_int_equal(query_apply(old, request, &text, &faults, &err), -1);
	assert_int_equal(err.code, PL_ERR_BUSY);
}

static void test_mirror_view__those_used_least_are_dropped(void **state)
{
	auto_fields struct res_fields *fields = res_fields_new(NULL);
	struct source source = { 0 };
	auto_mirror struct mirror *mirror = mirror_new(fields, read_document, &source);

	(void)state;
	append(mirror, fields, 1);
	for (int k = 1; k <= ROWS; k++) {
		char field[16];
		snprintf(field, sizeof(field), "tags.k%d", k);
		(void)count_of(mirror, field, 0);
		(void)count_of(mirror, "tags.n", 1);
	}
	assert_int_equal(source.reads, ROWS + 1);
	(void)count_of(mirror, "tags.k100", 0);
	assert_int_equal(source.reads, ROWS + 1);
	(void)count_of(mirror, "tags.k1", 0);
	assert_int_equal(source.reads, ROWS + 2);
}

static void test_mirror_view__a_document_that_cannot_be_read_ends_the_query(void **state)
{
	auto_fields struct res_fields *fields = res_fields_new(NULL);
	struct source source = { .broken = 3 };
	auto_mirror struct mirror *mirror = mirror_new(fields, read_document, &source);
	auto_json json_t *request = json_pack("{s:[s]}", "columns", "tags.n");
	struct pl_err err = PL_ERR_INIT;

	(void)state;
	for (int64_t id = 1; id <= 5; id++)
		append(mirror, fields, id);
	assert_int_equal(count_by(query_apply, mirror, request, &err), -1);
	assert_string_equal(err.text, "result 3: the disk is gone");
	assert_int_equal(err.code, PL_ERR_IO);
	source.broken = 0;
	assert_int_equal(count_of(mirror, "tags.n", 5), 1);
	/* the first two were read, and are not read again */
	assert_int_equal(source.reads, 3 + 3);
}

struct asker {
	pthread_t thread;
	struct mirror *mirror;
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
			"{s:{s:s, s:s, s:i}, s:[s], s:[s], s:[{s:s, s:s}]}", "filter", "field",
			field, "op", "eq", "value", 1, "columns", "tags.n", "facets", "server.seed",
			"sort", "field", "tags.n", "dir", "asc");
		struct pl_err err = PL_ERR_INIT;
		if (count_by(query_apply, asker->mirror, request, &err) <= 0)
			asker->is_right = false;
	}
	return NULL;
}

/* Queries are reads: they allocate and free arrays concurrently. */
static void test_mirror_view__many_may_ask_at_once(void **state)
{
	auto_fields struct res_fields *fields = res_fields_new(NULL);
	struct source source = { 0 };
	auto_mirror struct mirror *mirror = mirror_new(fields, read_document, &source);
	struct asker askers[THREADS];

	(void)state;
	for (int64_t id = 1; id <= ROWS; id++)
		append(mirror, fields, id);
	for (int i = 0; i < THREADS; i++) {
		askers[i] = (struct asker){ .mirror = mirror, .number = i * 20 };
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
		cmocka_unit_test(test_mirror_view__queries_end_on_request),
		cmocka_unit_test(test_mirror_view__a_query_ends_when_its_client_has_left),
		cmocka_unit_test(test_mirror_view__a_field_that_is_none_is_read_once),
		cmocka_unit_test(test_mirror_view__nothing_is_read_for_what_no_document_has),
		cmocka_unit_test(test_mirror_view__synthetic_ids_are_many),
		cmocka_unit_test(test_mirror_view__a_snapshot_that_is_too_old_is_reported),
		cmocka_unit_test(test_mirror_view__rows_that_move_keep_their_values),
		cmocka_unit_test(test_mirror_view__a_document_that_is_newer_is_not_taken),
		cmocka_unit_test(test_mirror_view__those_used_least_are_dropped),
		cmocka_unit_test(test_mirror_view__a_document_that_cannot_be_read_ends_the_query),
		cmocka_unit_test(test_mirror_view__many_may_ask_at_once),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
