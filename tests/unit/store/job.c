#include "store/job.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>
#include <cmocka.h>

#include "base/file.h"
#include "base/zst.h"
#include "store/sqlite.h"
#include "unit/base/scratch.h"
#include "unit/store/stores.h"

#define BODY "[{}, {}, {}]"

static int64_t add(struct store *store, const char *name)
{
	struct pl_err err = PL_ERR_INIT;
	int64_t id = 0;

	if (store_job_add(store, "batch", name, "application/json", BODY, strlen(BODY), &id, &err) <
	    0)
		fail_msg("%s", err.text);
	return id;
}

static void next(struct store *store, struct store_job *job)
{
	struct pl_err err = PL_ERR_INIT;

	if (store_job_next(store, job, &err) < 0)
		fail_msg("%s", err.text);
}

/* text NULL: rejected. */
static struct store_put_result item(const struct tools *tools, struct store *store, int64_t id,
				    size_t index, const char *text)
{
	auto_store_document document = { .len = 0 };
	auto_prepared struct store_prepared *prepared = NULL;
	auto_json json_t *faults = json_array();
	struct store_put_result result = { .id = 0 };
	struct pl_err err = PL_ERR_INIT;
	struct store_job_item one = { .index = index, .name = "x.json" };

	json_array_append_new(faults, store_fault_new("/a", 3, "wrong"));
	if (text != NULL) {
		read_text(tools, text, &document);
		one.prepared = prepared = store_prepare(store, &document, one.name);
	} else {
		one.message = "no result";
		one.faults = faults;
	}
	if (store_job_item(store, id, &one, &result, &err) < 0)
		fail_msg("%s", err.text);
	return result;
}

static void assert_job(struct store *store, int64_t id, const char *path, const char *expected)
{
	auto_json json_t *json = NULL;
	struct pl_err err = PL_ERR_INIT;

	if (store_job_json(store, id, 0, 100, &json, &err) < 0)
		fail_msg("%s", err.text);
	auto_free char *told = pl_json_to_text(pl_json_get_path(json, path), PL_JSON_COMPACT);
	auto_free char *wanted = quoted(expected);
	assert_string_equal(told, wanted);
}

static void test_store_job__from_queue_to_end(void **state)
{
	auto_tools tools = { .fields = NULL };
	auto_store_job job = { .id = 0 };
	auto_store_job none = { .id = 7 };
	struct pl_err err = PL_ERR_INIT;
	json_t *json = json_null();

	tools_init(&tools);
	auto_store struct store *store = open_store(&tools, scratch_path(*state, "a.db"), false,
						    true);
	int64_t id = add(store, "b.json");
	assert_job(store, id, "state", "'queued'");
	assert_job(store, id, "counts",
		   "{'queued':1,'stored':0,'duplicate':0,'conflict':0,'rejected':0}");
	next(store, &job);
	assert_int_equal(job.id, id);
	assert_string_equal(job.kind, "batch");
	assert_string_equal(job.name, "b.json");
	assert_string_equal(job.media, "application/json");
	assert_int_equal(job.len, strlen(BODY));
	assert_string_equal(job.bytes, BODY);
	assert_int_equal(job.items_done, 0);
	next(store, &none);
	assert_int_equal(none.id, 0);

	assert_int_equal(store_job_expect(store, id, 5, &err), 0);
	assert_int_equal(item(&tools, store, id, 0, "{'run_id': 'r', 'odd': 1}").outcome,
			 STORE_STORED);
	assert_int_equal(item(&tools, store, id, 1, NULL).outcome, STORE_REJECTED);
	assert_int_equal(item(&tools, store, id, 2, "{'run_id': 'r'}").outcome, STORE_CONFLICT);
	assert_int_equal(item(&tools, store, id, 3, "{'odd': 1, 'run_id': 'r'}").outcome,
			 STORE_DUPLICATE);
	assert_job(store, id, "state", "'running'");
	assert_job(store, id, "counts",
		   "{'queued':1,'stored':1,'duplicate':1,'conflict':1,'rejected':1}");
	assert_job(store, id, "finished", "null");
	assert_int_equal(store_job_finish(store, id, &err), 0);
	assert_job(store, id, "state", "'done'");
	assert_job(store, id, "job_id", "'1'");
	assert_int_equal(store_job_json(store, 99, 0, 100, &json, &err), 0);
	assert_null(json);
}

static void test_store_job__items_as_json(void **state)
{
	auto_tools tools = { .fields = NULL };
	auto_store_job job = { .id = 0 };

	tools_init(&tools);
	auto_store struct store *store = open_store(&tools, scratch_path(*state, "a.db"), false,
						    true);
	int64_t id = add(store, "b.json");
	next(store, &job);
	item(&tools, store, id, 0, NULL);
	item(&tools, store, id, 1, FLAT);
	assert_job(store, id, "items",
		   "[{'index':0,'name':'x.json','state':'rejected','form':null,'id':null,"
		   "'run_id':null,'message':'no result','faults':[{'pointer':'/a','line':3,"
		   "'message':'wrong'}]},"
		   "{'index':1,'name':'x.json','state':'stored','form':'flat','id':1,'run_id':null,"
		   "'message':null,'faults':[]}]");
}

static void test_store_job__pages_of_items(void **state)
{
	static const struct {
		int64_t offset, limit;
		size_t count;
	} pages[] = { { 0, 3, 3 }, { 3, 3, 2 }, { 4, INT64_MAX, 1 }, { 5, 3, 0 }, { 0, 0, 0 } };
	auto_tools tools = { .fields = NULL };
	auto_store_job job = { .id = 0 };
	struct pl_err err = PL_ERR_INIT;

	tools_init(&tools);
	auto_store struct store *store = open_store(&tools, scratch_path(*state, "a.db"), false,
						    true);
	int64_t id = add(store, "b.json");
	next(store, &job);
	assert_int_equal(store_job_expect(store, id, 7, &err), 0);
	for (size_t i = 0; i < 5; i++)
		item(&tools, store, id, i, NULL);
	for (size_t i = 0; i < PL_ARRAY_SIZE(pages); i++) {
		auto_json json_t *told = NULL;
		assert_int_equal(
			store_job_json(store, id, pages[i].offset, pages[i].limit, &told, &err), 0);
		json_t *items = json_object_get(told, "items");
		assert_int_equal(json_array_size(items), pages[i].count);
		for (size_t k = 0; k < pages[i].count; k++)
			assert_int_equal(pl_json_get_i64(json_array_get(items, k), "index"),
					 pages[i].offset + (int64_t)k);
		assert_int_equal(json_integer_value(pl_json_get_path(told, "counts.rejected")), 5);
		assert_int_equal(json_integer_value(pl_json_get_path(told, "counts.queued")), 2);
	}
}

/* A process that is gone has left its job where it was. */
static void test_store_job__goes_on_where_it_stopped(void **state)
{
	auto_tools tools = { .fields = NULL };
	struct pl_err err = PL_ERR_INIT;

	tools_init(&tools);
	const char *path = scratch_path(*state, "a.db");
	auto_store struct store *store = open_store(&tools, path, false, true);
	int64_t first = add(store, "first"), second = add(store, "second");
	auto_store_job before = { .id = 0 };
	next(store, &before);
	item(&tools, store, first, 0, "{'run_id': 'r'}");
	item(&tools, store, first, 1, NULL);
	store_close(pl_take(store));

	store = open_store(&tools, path, false, true);
	auto_store_job after = { .id = 0 };
	next(store, &after);
	assert_int_equal(after.id, first);
	assert_int_equal(after.items_done, 2);
	assert_string_equal(after.bytes, BODY);
	assert_int_equal(store_job_finish(store, first, &err), 0);
	auto_store_job last = { .id = 0 };
	next(store, &last);
	assert_int_equal(last.id, second);
	assert_int_equal(last.items_done, 0);
}

static void test_store_job__one_process_works_on_them(void **state)
{
	auto_tools tools = { .fields = NULL };
	struct pl_err err = PL_ERR_INIT;
	struct store *second = NULL;
	struct store_job job = { .id = 0 };

	tools_init(&tools);
	const char *path = scratch_path(*state, "a.db");
	auto_store struct store *store = open_store(&tools, path, false, true);
	struct store_options options = { .path = path, .fields = tools.fields, .with_jobs = true };
	assert_int_equal(store_open(&options, &second, &err), -1);
	assert_int_equal(err.code, PL_ERR_BUSY);
	auto_free char *owner = pl_asprintf("is served by process %d", (int)getpid());
	assert_non_null(strstr(err.text, owner));
	/* others may add some, and store what they like */
	auto_store struct store *other = open_store(&tools, path, false, false);
	assert_int_equal(add(other, "x"), 1);
	assert_int_equal(store_job_next(other, &job, &err), -1);
	next(store, &job);
	assert_int_equal(job.id, 1);
	store_job_release(&job);
}

/* ---- what is left of a job ----------------------------------------------------------------- */

/* Digits that no packer makes shorter than a page holds, nor so short that others are alike. */
#define DIGITS 900

static void make_secret(char secret[DIGITS + 1])
{
	uint32_t state = 1;

	for (size_t i = 0; i < DIGITS; i++) {
		state = state * 1664525u + 1013904223u;
		secret[i] = "0123456789abcdef"[state >> 28];
	}
	secret[DIGITS] = '\0';
}

static bool file_has(const char *path, const char *bytes, size_t len)
{
	size_t text_len = 0;
	auto_free char *text = pl_file_text(path, 64u << 20, &text_len);

	return text != NULL && memmem(text, text_len, bytes, len) != NULL;
}

/* Does it stand in the database or its log, packed as jobs are? */
static bool is_left(const char *path, const char *secret)
{
	size_t len;
	auto_free char *packed = pl_zst_pack(secret, strlen(secret), &len);
	auto_free char *log = pl_asprintf("%s-wal", path);

	assert_true(len > 300);
	return file_has(path, packed + 50, 200) || file_has(log, packed + 50, 200);
}

static int64_t play(struct store *store, const char *bytes)
{
	struct pl_err err = PL_ERR_INIT;
	auto_store_job job = { .id = 0 };
	int64_t id = 0;

	if (store_job_add(store, "raw", "x", NULL, bytes, strlen(bytes), &id, &err) < 0)
		fail_msg("%s", err.text);
	next(store, &job);
	assert_int_equal(job.id, id);
	assert_string_equal(job.bytes, bytes);
	item(NULL, store, id, 0, NULL);
	if (store_job_finish(store, id, &err) < 0)
		fail_msg("%s", err.text);
	return id;
}

static void test_store_job__what_it_came_with_does_not_outlast_it(void **state)
{
	auto_tools tools = { .fields = NULL };
	struct pl_err err = PL_ERR_INIT;
	char secret[DIGITS + 1];

	tools_init(&tools);
	make_secret(secret);
	const char *path = scratch_path(*state, "a.db");
	auto_store struct store *store = open_store(&tools, path, false, true);
	play(store, secret);
	assert_true(is_left(path, secret));
	assert_int_equal(store_jobs_wipe(store, &err), 0);
	assert_false(is_left(path, secret));
	/* one that others read at the time is wiped when they have let go */
	struct store_sql other = { 0 };
	play(store, secret);
	if (store_sql_open(&other, path, false, &err) < 0 ||
	    store_sql_run(&other, "BEGIN; SELECT count(*) FROM jobs", &err) < 0)
		fail_msg("%s", err.text);
	assert_int_equal(store_jobs_wipe(store, &err), -1);
	assert_int_equal(err.code, PL_ERR_BUSY);
	store_sql_close(&other);
	assert_int_equal(store_jobs_wipe(store, &err), 0);
	assert_false(is_left(path, secret));
}

/* Where jobs never cease to come none is ever waited for. */
static void test_store_job__a_queue_without_end_is_wiped_on_the_way(void **state)
{
	auto_tools tools = { .fields = NULL };
	char secret[DIGITS + 1];

	tools_init(&tools);
	make_secret(secret);
	const char *path = scratch_path(*state, "a.db");
	auto_store struct store *store = open_store(&tools, path, false, true);
	play(store, secret);
	for (int i = 0; i < 16 && is_left(path, secret); i++)
		play(store, BODY);
	assert_false(is_left(path, secret));
}

static void test_store_job__nor_a_process_that_is_killed(void **state)
{
	auto_tools tools = { .fields = NULL };
	struct pl_err err = PL_ERR_INIT;
	char secret[DIGITS + 1];
	int status = 0;

	tools_init(&tools);
	make_secret(secret);
	const char *path = scratch_path(*state, "a.db");
	pid_t killed = fork();
	if (killed == 0) {
		play(open_store(&tools, path, false, true), secret);
		_exit(0);
	}
	assert_int_equal(waitpid(killed, &status, 0), killed);
	assert_int_equal(status, 0);
	assert_true(is_left(path, secret));
	auto_store struct store *store = open_store(&tools, path, false, true);
	assert_int_equal(store_jobs_wipe(store, &err), 0);
	assert_false(is_left(path, secret));
}

static void test_store_job__old_ones_are_forgotten(void **state)
{
	auto_tools tools = { .fields = NULL };
	struct pl_err err = PL_ERR_INIT;
	struct store_sql other = { 0 };
	json_t *json = NULL;

	tools_init(&tools);
	const char *path = scratch_path(*state, "a.db");
	auto_store struct store *store = open_store(&tools, path, false, true);
	int64_t first = play(store, BODY), second = play(store, BODY);
	/* 9,998 more that are done, and as many that wait, which push nothing out */
	if (store_sql_open(&other, path, false, &err) < 0 ||
	    store_sql_run(&other,
			  "WITH RECURSIVE n (i) AS"
			  " (SELECT 3 UNION ALL SELECT i + 1 FROM n WHERE i < 19998)"
			  " INSERT INTO jobs (id, kind, name, created, state)"
			  " SELECT i, 'json', '', '',"
			  " CASE WHEN i % 2 THEN 'done' ELSE 'running' END FROM n",
			  &err) < 0)
		fail_msg("%s", err.text);
	store_sql_close(&other);
	assert_job(store, first, "state", "'done'");
	assert_int_equal(play(store, BODY), 19999);
	assert_int_equal(store_job_json(store, first, 0, 100, &json, &err), 0);
	assert_null(json);
	assert_job(store, second, "state", "'done'");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		scratch_test(test_store_job__from_queue_to_end),
		scratch_test(test_store_job__items_as_json),
		scratch_test(test_store_job__pages_of_items),
		scratch_test(test_store_job__goes_on_where_it_stopped),
		scratch_test(test_store_job__one_process_works_on_them),
		scratch_test(test_store_job__what_it_came_with_does_not_outlast_it),
		scratch_test(test_store_job__a_queue_without_end_is_wiped_on_the_way),
		scratch_test(test_store_job__nor_a_process_that_is_killed),
		scratch_test(test_store_job__old_ones_are_forgotten),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
