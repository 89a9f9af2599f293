#include "store/job.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <cmocka.h>

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
	auto_json json_t *faults = json_array();
	struct store_put_result result = { .id = 0 };
	struct pl_err err = PL_ERR_INIT;
	struct store_job_item one = { .index = index, .name = "x.json" };

	json_array_append_new(faults, store_fault_new("/a", 3, "wrong"));
	if (text != NULL) {
		read_text(tools, text, &document);
		one.document = &document;
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

	if (store_job_json(store, id, &json, &err) < 0)
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
	assert_int_equal(store_job_json(store, 99, &json, &err), 0);
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

int main(void)
{
	const struct CMUnitTest tests[] = {
		scratch_test(test_store_job__from_queue_to_end),
		scratch_test(test_store_job__items_as_json),
		scratch_test(test_store_job__goes_on_where_it_stopped),
		scratch_test(test_store_job__one_process_works_on_them),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
