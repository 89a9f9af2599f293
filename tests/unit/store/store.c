#include "store/store.h"

#include "request_contract.h"

#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <cmocka.h>

#include "base/clock.h"
#include "mirror/mirror.h"
#include "mirror/view.h"
#include "query/query.h"
#include "store/change.h"
#include "store/store_priv.h"
#include "unit/base/scratch.h"
#include "unit/store/stores.h"

#define THREADS 4
#define EACH    12

static int64_t count(struct store *store)
{
	struct pl_err err = PL_ERR_INIT;
	int64_t result = -1;

	if (store_count(store, &result, &err) < 0)
		fail_msg("%s", err.text);
	return result;
}

static void assert_result(struct store_put_result result, enum store_outcome outcome, int64_t id)
{
	assert_int_equal(result.outcome, outcome);
	assert_int_equal(result.id, id);
}

static void test_store__takes_each_content_once(void **state)
{
	auto_tools tools = { .fields = NULL };

	tools_init(&tools);
	auto_store struct store *store = open_store(&tools, scratch_path(*state, "a.db"), false,
						    false);
	assert_result(put_text(&tools, store, "{'run_id': 'r', 'duration': 1}"), STORE_STORED, 1);
	assert_result(put_text(&tools, store, "{ 'duration': 1, 'run_id': 'r'}"), STORE_DUPLICATE,
		      1);
	assert_result(put_text(&tools, store, "{'run_id': 'r', 'duration': 2}"), STORE_CONFLICT, 1);
	assert_result(put_text(&tools, store, "{'run_id': 's', 'duration': 1}"), STORE_STORED, 2);
	/* vLLM's have no run_id that could be another's */
	assert_result(put_text(&tools, store, FLAT), STORE_STORED, 3);
	assert_result(put_text(&tools, store, FLAT), STORE_DUPLICATE, 3);
	assert_int_equal(count(store), 3);
}

static void test_store__gives_back_what_came(void **state)
{
	auto_tools tools = { .fields = NULL };
	struct pl_err err = PL_ERR_INIT;
	int64_t id = 0;

	tools_init(&tools);
	const char *path = scratch_path(*state, "a.db");
	auto_store struct store *store = open_store(&tools, path, false, false);
	put_text(&tools, store, "{ 'run_id': 'r', 'more': 1 }");
	put_text(&tools, store, FLAT);
	store_close(pl_take(store));
	store = open_store(&tools, path, false, false);

	auto_store_entry own = { .id = 0 };
	assert_int_equal(store_get(store, 1, &own, &err), 0);
	assert_int_equal(own.id, 1);
	assert_string_equal(own.run_id, "r");
	assert_string_equal(own.name, "x.json");
	assert_int_equal(own.form, STORE_FORM_PLAIN);
	assert_string_equal(own.bytes, "{ \"run_id\": \"r\", \"more\": 1 }");
	assert_int_equal(own.len, strlen(own.bytes));
	assert_int_equal(json_integer_value(json_object_get(own.document, "more")), 1);
	assert_int_equal(json_array_size(own.notes), 1);
	assert_int_equal(strlen(own.stored_at), strlen("2026-01-02T03:04:05.678Z"));

	auto_store_entry flat = { .id = 0 };
	assert_int_equal(store_get(store, 2, &flat, &err), 0);
	assert_null(flat.run_id);
	assert_int_equal(flat.form, STORE_FORM_FLAT);
	assert_non_null(pl_json_get_path(flat.document, "results.p99_ttft_ms"));

	auto_store_entry none = { .id = 7 };
	assert_int_equal(store_get(store, 3, &none, &err), 0);
	assert_int_equal(none.id, 0);
	assert_int_equal(store_find(store, "r", &id, &err), 0);
	assert_int_equal(id, 1);
	assert_int_equal(store_find(store, "x", &id, &err), 0);
	assert_int_equal(id, 0);
}

static void test_store__a_batch_is_there_as_a_whole(void **state)
{
	auto_tools tools = { .fields = NULL };
	struct pl_err err = PL_ERR_INIT;

	tools_init(&tools);
	auto_store struct store *store = open_store(&tools, scratch_path(*state, "a.db"), false,
						    false);
	assert_int_equal(store_batch_begin(store, &err), 0);
	assert_result(put_text(&tools, store, "{'run_id': 'a'}"), STORE_STORED, 1);
	assert_result(put_text(&tools, store, "{'run_id': 'a'}"), STORE_DUPLICATE, 1);
	assert_result(put_text(&tools, store, "{'run_id': 'b'}"), STORE_STORED, 2);
	assert_int_equal(count(store), 0);
	assert_int_equal(store_batch_end(store, &err), 0);
	assert_int_equal(count(store), 2);
}

struct artifact {
	struct store *store;
	const struct store_document *document;
	struct store_prepared *prepared;
};

static void *prepare(void *data)
{
	struct artifact *artifact = data;

	artifact->prepared = store_prepare(artifact->store, artifact->document, "x.json");
	return NULL;
}

/* A writer does not block the preparation of documents. */
static void test_store__documents_are_prepared_during_a_batch(void **state)
{
	auto_tools tools = { .fields = NULL };
	auto_store_document document = { .len = 0 };
	struct store_put_result result = { .id = 0 };
	struct pl_err err = PL_ERR_INIT;
	pthread_t thread;

	tools_init(&tools);
	auto_store struct store *store = open_store(&tools, scratch_path(*state, "a.db"), false,
						    false);
	read_text(&tools, "{'run_id': 'b'}", &document);
	struct artifact artifact = { .store = store, .document = &document };
	assert_int_equal(store_batch_begin(store, &err), 0);
	assert_result(put_text(&tools, store, "{'run_id': 'a'}"), STORE_STORED, 1);
	assert_int_equal(pthread_create(&thread, NULL, prepare, &artifact), 0);
	pthread_join(thread, NULL);
	assert_int_equal(store_batch_end(store, &err), 0);
	assert_int_equal(store_put(store, artifact.prepared, &result, &err), 0);
	store_prepared_free(artifact.prepared);
	assert_result(result, STORE_STORED, 2);
}

/* ---- the columns in memory ----------------------------------------------------------------- */

static size_t in_memory(struct store *store, int64_t *ret_version)
{
	auto_snapshot struct mirror_snapshot *snapshot = NULL;
	auto_view struct mirror_view *view = NULL;
	struct pl_err err = PL_ERR_INIT;

	if (store_snapshot_get(store, &snapshot, &err) < 0 ||
	    mirror_view_new(snapshot, &(struct mirror_ids){ .count = 0 }, &view, &err) < 0)
		fail_msg("%s", err.text);
	*ret_version = mirror_snapshot_version(snapshot);
	return mirror_view_count(view);
}

static void test_store__columns_follow_every_writer(void **state)
{
	auto_tools tools = { .fields = NULL };
	struct pl_err err = PL_ERR_INIT;
	int64_t version = 0, stored = 0;

	tools_init(&tools);
	const char *path = scratch_path(*state, "a.db");
	auto_store struct store *other = open_store(&tools, path, false, false);
	put_text(&tools, other, "{'run_id': 'a'}");
	auto_store struct store *store = open_store(&tools, path, true, false);
	assert_int_equal(in_memory(store, &version), 1);
	put_text(&tools, store, "{'run_id': 'b'}");
	put_text(&tools, store, "{'run_id': 'b'}");
	assert_int_equal(in_memory(store, &version), 2);
	put_text(&tools, other, FLAT);
	assert_int_equal(in_memory(store, &version), 3);
	assert_int_equal(store_data_version(store, &stored, &err), 0);
	assert_int_equal(version, stored);
	assert_int_equal(version, 3);
}

/* Statements of another program. */
static void change(const char *path, const char *text)
{
	struct store_sql sql = { 0 };
	struct pl_err err = PL_ERR_INIT;

	if (store_sql_open(&sql, path, false, &err) < 0 || store_sql_run(&sql, text, &err) < 0)
		fail_msg("%s", err.text);
	store_sql_close(&sql);
}

/* Rows in memory, those that are dead, too. */
static size_t places_in_memory(struct store *store)
{
	auto_snapshot struct mirror_snapshot *snapshot = NULL;
	auto_view struct mirror_view *view = NULL;
	struct pl_err err = PL_ERR_INIT;
	size_t positions = 0;

	if (store_snapshot_get(store, &snapshot, &err) < 0 ||
	    mirror_view_new(snapshot, &(struct mirror_ids){ .count = 0 }, &view, &err) < 0)
		fail_msg("%s", err.text);
	for (size_t i = 0; i < mirror_view_segments(view); i++)
		positions += mirror_view_rows(view, i);
	return positions;
}

static void test_store__rows_that_cannot_be_read_are_taken_in_later(void **state)
{
	auto_tools tools = { .fields = NULL };
	struct mirror_snapshot *snapshot = NULL;
	struct pl_err err = PL_ERR_INIT;
	int64_t version;

	tools_init(&tools);
	const char *path = scratch_path(*state, "a.db");
	auto_store struct store *store = open_store(&tools, path, true, false);
	auto_store struct store *other = open_store(&tools, path, false, false);
	put_text(&tools, store, "{'run_id': 'a'}");
	for (int i = 0; i < 3; i++) {
		char text[32];
		snprintf(text, sizeof(text), "{'run_id': 'r%d'}", i);
		put_text(&tools, other, text);
	}
	change(path, "UPDATE benchmark_runs SET explicit_fields = '{' WHERE run_id = 'r1'");
	for (int i = 0; i < 5; i++) {
		assert_int_equal(store_snapshot_get(store, &snapshot, &err), -1);
		assert_non_null(strstr(err.text, "result 3: "));
		err = (struct pl_err)PL_ERR_INIT;
	}
	change(path, "UPDATE benchmark_runs SET explicit_fields = '[]' WHERE run_id = 'r1'");
	assert_int_equal(in_memory(store, &version), 4);
	assert_int_equal(places_in_memory(store), 4);
	assert_int_equal(version, 4);
	/* the same where rows of one pass have changed before the next one */
	put_text(&tools, other, "{'run_id': 'r3'}");
	put_text(&tools, other, "{'run_id': 'r4'}");
	change(path, "UPDATE benchmark_runs SET explicit_fields = '{' WHERE run_id = 'r4'");
	assert_int_equal(store_snapshot_get(store, &snapshot, &err), -1);
	change(path, "UPDATE benchmark_runs SET explicit_fields = '[]' WHERE run_id = 'r4';"
		     "UPDATE store_state SET data_version = 7;"
		     "UPDATE benchmark_runs SET changed = 7 WHERE run_id = 'r3'");
	assert_int_equal(in_memory(store, &version), 6);
	assert_int_equal(places_in_memory(store), 7);
}

static void test_store__rows_may_go_while_nobody_looks(void **state)
{
	auto_tools tools = { .fields = NULL };
	struct pl_err err = PL_ERR_INIT;
	enum store_change_answer answer;
	int64_t version, pruned = 0;

	tools_init(&tools);
	const char *path = scratch_path(*state, "a.db");
	auto_store struct store *store = open_store(&tools, path, true, false);
	auto_store struct store *other = open_store(&tools, path, false, false);
	put_text(&tools, other, "{'run_id': 'a'}");
	put_text(&tools, other, "{'run_id': 'b'}");
	put_text(&tools, other, "{'run_id': 'c'}");
	assert_int_equal(in_memory(store, &version), 3);
	assert_int_equal(store_delete(other, 2, NULL, &answer, &err), 0);
	assert_int_equal(store_prune(other, pl_clock_real_ns(), 0, &pruned, &err), 0);
	assert_int_equal(pruned, 1);
	put_text(&tools, other, "{'run_id': 'd'}");
	assert_int_equal(in_memory(store, &version), 3);
	assert_int_equal(places_in_memory(store), 4);
}

static void test_store__a_smaller_id_may_come_later(void **state)
{
	auto_tools tools = { .fields = NULL };
	int64_t version;

	tools_init(&tools);
	const char *path = scratch_path(*state, "a.db");
	auto_store struct store *other = open_store(&tools, path, false, false);
	put_text(&tools, other, "{'run_id': 'a'}");
	put_text(&tools, other, "{'run_id': 'b'}");
	change(path, "UPDATE benchmark_runs SET id = 9 WHERE id = 2");
	auto_store struct store *store = open_store(&tools, path, true, false);
	assert_int_equal(in_memory(store, &version), 2);
	change(path, "UPDATE store_state SET data_version = 3;"
		     "UPDATE benchmark_runs SET id = 5, changed = 3 WHERE id = 9");
	assert_int_equal(in_memory(store, &version), 3); /* 9 as it was, too */
	assert_int_equal(version, 3);
}

/* The answer's count; -1: it failed. */
static int64_t ask(struct store *store, const char *field)
{
	auto_json json_t *request = json_pack("{s:{s:s, s:s}}", "filter", "field", field, "op",
					      "is_recorded");
	auto_json json_t *answer = NULL;
	auto_schema_faults faults = { 0 };
	auto_snapshot struct mirror_snapshot *snapshot = NULL;
	auto_buf text = PL_BUF(1u << 20);
	struct pl_err err = PL_ERR_INIT;

	if (store_snapshot_get(store, &snapshot, &err) < 0)
		fail_msg("%s", err.text);
	assert_true(request_fits(REQUEST_APPLY, request, &faults));
	int result = query_apply(snapshot, request, &text, &faults, &err);
	if (faults.count > 0)
		return -2;
	if (result < 0)
		return -1;
	answer = json_loadb(text.data, text.len, 0, NULL);
	assert_non_null(answer);
	return json_integer_value(json_object_get(answer, "count"));
}

/* More than one batch of rows is read ahead, and less than a whole one at the end. */
static void test_store__all_rows_are_there_at_the_start(void **state)
{
	enum { RESULTS = 150 };
	auto_tools tools = { .fields = NULL };
	struct pl_err err = PL_ERR_INIT;
	struct store *broken = NULL;
	int64_t version;

	tools_init(&tools);
	const char *path = scratch_path(*state, "a.db");
	auto_store struct store *other = open_store(&tools, path, false, false);
	assert_int_equal(store_batch_begin(other, &err), 0);
	for (int i = 0; i < RESULTS; i++) {
		char text[64];
		snprintf(text, sizeof(text), "{'run_id': 'r%d', 'tags': {'n': %d}}", i, i);
		put_text(&tools, other, text);
	}
	assert_int_equal(store_batch_end(other, &err), 0);
	auto_store struct store *store = open_store(&tools, path, true, false);
	assert_int_equal(in_memory(store, &version), RESULTS);
	assert_int_equal(places_in_memory(store), RESULTS);
	assert_int_equal(ask(store, "run.run_id"), RESULTS);
	assert_int_equal(ask(store, "tags.n"), RESULTS);
	/* one that cannot be read ends it, wherever the thread is */
	change(path, "UPDATE benchmark_runs SET explicit_fields = '{' WHERE id = 40");
	const struct store_options retry = { .path = path,
					     .fields = tools.fields,
					     .with_columns = true };
	assert_int_equal(store_open(&retry, &broken, &err), -1);
	assert_non_null(strstr(err.text, "result 40: "));
}

/* Documents that cannot be read show who reads them. The index has nothing, as for results of older programs. */
static void test_store__documents_are_read_for_what_one_of_them_has(void **state)
{
	auto_tools tools = { .fields = NULL };
	struct store_sql sql = { 0 };
	struct pl_err err = PL_ERR_INIT;

	tools_init(&tools);
	const char *path = scratch_path(*state, "a.db");
	auto_store struct store *store = open_store(&tools, path, true, false);
	auto_store struct store *other = open_store(&tools, path, false, false);
	put_text(&tools, store, "{'run_id': 'a', 'tags': {'one': 1}}");
	put_text(&tools, other, "{'run_id': 'b', 'tags': {'two': 1}}");
	assert_int_equal(ask(store, "tags.one"), 1);
	assert_int_equal(ask(store, "tags.three"), 0);
	assert_int_equal(ask(store, "nothing.of.that"), -2);
	if (store_sql_open(&sql, path, false, &err) < 0 ||
	    store_sql_run(&sql, "UPDATE benchmark_documents SET bytes = x'00'", &err) < 0)
		fail_msg("%s", err.text);
	assert_int_equal(ask(store, "tags.two"), 1); /* the index has it */
	assert_int_equal(ask(store, "tags"), 2);
	if (store_sql_run(&sql, "DELETE FROM field_rows", &err) < 0)
		fail_msg("%s", err.text);
	store_sql_close(&sql);
	assert_int_equal(ask(store, "run.tags"), -1);
	assert_int_equal(ask(store, "tags.one"), 1); /* it was read before */
	assert_int_equal(ask(store, "tags.four"), 0);
	assert_int_equal(ask(store, "nothing.of.these"), -2);
	/* a document that was rolled back is stored at the next attempt */
	assert_int_equal(store_batch_begin(other, &err), 0);
	put_text(&tools, other, "{'run_id': 'c', 'tags': {'five': 1}}");
	other->batch_err = (struct pl_err){ .code = PL_ERR_IO };
	assert_int_equal(store_batch_end(other, &err), -1);
	assert_int_equal(ask(store, "tags.five"), 0);
	put_text(&tools, other, "{'run_id': 'c', 'tags': {'five': 1}}");
	assert_int_equal(ask(store, "tags.five"), 1);
}

struct writer {
	const struct tools *tools;
	struct store *store;
	int number;
};

static void *write_and_read(void *data)
{
	const struct writer *writer = data;
	int64_t version;
	size_t before = 0;

	for (int i = 0; i < EACH; i++) {
		/* every result comes from two threads */
		auto_free char *text = pl_asprintf("{'run_id': 'r%d_%d'}", writer->number / 2, i);
		put_text(writer->tools, writer->store, text);
		size_t now = in_memory(writer->store, &version);
		assert_true(now > (size_t)i && now >= before && (int64_t)now == version);
		before = now;
	}
	return NULL;
}

static void test_store__many_threads(void **state)
{
	auto_tools tools = { .fields = NULL };
	struct writer writers[THREADS];
	pthread_t threads[THREADS];
	int64_t version;

	tools_init(&tools);
	auto_store struct store *store = open_store(&tools, scratch_path(*state, "a.db"), true,
						    false);
	for (int i = 0; i < THREADS; i++) {
		writers[i] = (struct writer){ .tools = &tools, .store = store, .number = i };
		assert_int_equal(pthread_create(&threads[i], NULL, write_and_read, &writers[i]), 0);
	}
	for (int i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
	assert_int_equal(in_memory(store, &version), THREADS / 2 * EACH);
}

/* ---- files that are none ------------------------------------------------------------------- */

static void assert_refused(const struct tools *tools, const char *path, bool must_exist,
			   enum pl_err_code code, const char *says)
{
	struct store_options options = { .path = path,
					 .fields = tools->fields,
					 .must_exist = must_exist };
	struct pl_err err = PL_ERR_INIT;
	struct store *store = NULL;

	assert_int_equal(store_open(&options, &store, &err), -1);
	if (strstr(err.text, says) == NULL)
		fail_msg("%s", err.text);
	assert_int_equal(err.code, code);
}

static void test_store__refuses_what_is_no_database(void **state)
{
	auto_tools tools = { .fields = NULL };
	char text[SCRATCH_PATH], folder[SCRATCH_PATH];

	tools_init(&tools);
	int fd = scratch_file(text);
	assert_int_equal(write(fd,
			       "no database, and longer than its head would be: a text that runs "
			       "on for more than a hundred bytes",
			       97),
			 97);
	close(fd);
	assert_refused(&tools, text, false, PL_ERR_INVALID, "is not a SQLite database");
	scratch_folder(folder);
	assert_refused(&tools, folder, false, PL_ERR_IO, "could not open '");
	assert_refused(&tools, scratch_path(*state, "none.db"), true, PL_ERR_IO,
		       "could not open '");
	assert_refused(&tools, scratch_path(*state, "none/x.db"), false, PL_ERR_IO,
		       "could not open '");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		scratch_test(test_store__takes_each_content_once),
		scratch_test(test_store__gives_back_what_came),
		scratch_test(test_store__a_batch_is_there_as_a_whole),
		scratch_test(test_store__documents_are_prepared_during_a_batch),
		scratch_test(test_store__columns_follow_every_writer),
		scratch_test(test_store__rows_that_cannot_be_read_are_taken_in_later),
		scratch_test(test_store__rows_may_go_while_nobody_looks),
		scratch_test(test_store__a_smaller_id_may_come_later),
		scratch_test(test_store__all_rows_are_there_at_the_start),
		scratch_test(test_store__documents_are_read_for_what_one_of_them_has),
		scratch_test(test_store__many_threads),
		scratch_test(test_store__refuses_what_is_no_database),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
