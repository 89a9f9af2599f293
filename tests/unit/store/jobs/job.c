#include "store/jobs/job.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>
#include <cmocka.h>

#include "base/clock.h"
#include "base/file.h"
#include "base/zst.h"
#include "store/db/sql.h"
#include "store/store_priv.h"
#include "unit/base/scratch.h"
#include "unit/store/stores.h"

#define BODY "[{}, {}, {}]"
#define SHA  "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"

/* To the job *id, or a job of its own where that is 0. */
static enum store_job_answer add_to(struct store *store, int64_t *id, const char *name,
				    const char *bytes)
{
	char sha256[][65] = { SHA };
	const struct store_job_part part = { .kind = "batch",
					     .name = name,
					     .media = "application/json",
					     .bytes = bytes,
					     .len = strlen(bytes),
					     .sha256 = sha256,
					     .files = 1 };
	enum store_job_answer came;
	struct pl_err err = PL_ERR_INIT;

	if (store_job_add(store, id, STORE_SKIP, &part, &came, &err) < 0)
		fail_msg("%s", err.text);
	return came;
}

static int64_t add(struct store *store, const char *name)
{
	int64_t id = 0;

	assert_int_equal(add_to(store, &id, name, BODY), STORE_JOB_OK);
	return id;
}

static void next(struct store *store, struct store_job_work *work)
{
	struct pl_err err = PL_ERR_INIT;

	if (store_job_next(store, work, &err) < 0)
		fail_msg("%s", err.text);
}

static void begin(struct store *store, const struct store_job_work *work)
{
	struct pl_err err = PL_ERR_INIT;
	bool goes_on = false;

	if (store_job_group_begin(store, work, &goes_on, &err) < 0)
		fail_msg("%s", err.text);
	assert_true(goes_on);
}

static void end(struct store *store)
{
	struct pl_err err = PL_ERR_INIT;

	if (store_job_group_end(store, &err) < 0)
		fail_msg("%s", err.text);
}

/* A part that turns out to hold so many items. */
static void cut(struct store *store, struct store_job_work *work, size_t count)
{
	struct store_job_cut items[10];
	struct pl_err err = PL_ERR_INIT;

	for (size_t i = 0; i < count; i++)
		items[i] = (struct store_job_cut){ .name = "x.json" };
	store_job_lay_out(work, count);
	begin(store, work);
	if (store_job_cut(store, work, items, count, &err) < 0)
		fail_msg("%s", err.text);
	end(store);
}

/* text NULL: rejected. */
static struct store_put_result item(const struct tools *tools, struct store *store,
				    const struct store_job_work *work, size_t index,
				    const char *text)
{
	auto_store_document document = { .len = 0 };
	auto_prepared struct store_prepared *prepared = NULL;
	auto_json json_t *faults = json_array();
	struct store_put_result result = { .id = 0 };
	struct pl_err err = PL_ERR_INIT;
	struct store_job_item one = { .index = index,
				      .choice.on_conflict = work->on_conflict,
				      .len = 7 };

	for (size_t i = 0; i < work->count; i++) {
		const struct store_job_pending *pending = &work->pending[i];
		if (pending->index == index)
			one.choice = (struct store_choice){ .on_conflict = pending->on_conflict,
							    .expected = pending->expected };
	}
	json_array_append_new(faults, store_fault_new("/a", 3, "wrong"));
	if (text != NULL) {
		read_text(tools, text, &document);
		one.prepared = prepared = store_prepare(store, &document, "x.json");
	} else {
		one.message = "no result";
		one.faults = faults;
		one.retained = "{\"a\": 1}";
	}
	begin(store, work);
	if (store_job_item(store, work, &one, &result, &err) < 0)
		fail_msg("%s", err.text);
	end(store);
	return result;
}

static void done(struct store *store, const struct store_job_work *work)
{
	struct pl_err err = PL_ERR_INIT;

	begin(store, work);
	if (store_job_done(store, work, &err) < 0)
		fail_msg("%s", err.text);
	end(store);
}

static json_t *reported(struct store *store, int64_t id)
{
	const struct store_job_page page = { .limit = 100 };
	struct pl_err err = PL_ERR_INIT;
	json_t *json = NULL;

	if (store_job_json(store, id, &page, &json, &err) < 0)
		fail_msg("%s", err.text);
	return json;
}

static void assert_job(struct store *store, int64_t id, const char *path, const char *expected)
{
	auto_json json_t *json = reported(store, id);
	auto_free char *text = pl_json_to_text(pl_json_get_path(json, path), PL_JSON_COMPACT);
	auto_free char *wanted = quoted(expected);

	assert_string_equal(text, wanted);
}

/* Compares those of the eight counts that are not 0: "queued 1, stored 2". */
static void assert_counts(struct store *store, int64_t id, const char *expected)
{
	auto_json json_t *json = reported(store, id);
	auto_buf text = PL_BUF(1000);

	assert_int_equal(json_object_size(json_object_get(json, "counts")), 8);
	PL_JSON_EACH_MEMBER(name, count, json_object_get(json, "counts")) {
		if (json_integer_value(count) != 0)
			pl_buf_addf(&text, "%s%s %d", text.len > 0 ? ", " : "", name,
				    (int)json_integer_value(count));
	}
	assert_string_equal(pl_buf_text(&text), expected);
}

static void test_store_jobs_job__from_queue_to_end(void **state)
{
	auto_tools tools = { .fields = NULL };
	auto_store_job_work work = { .job = 0 };
	auto_store_job_work none = { .job = 7 };

	tools_init(&tools);
	auto_store struct store *store = open_store(&tools, scratch_path(*state, "a.db"), false,
						    true);
	int64_t id = add(store, "b.json");
	assert_job(store, id, "state", "'queued'");
	assert_counts(store, id, "queued 1");
	next(store, &work);
	assert_int_equal(work.job, id);
	assert_string_equal(work.kind, "batch");
	assert_string_equal(work.name, "b.json");
	assert_string_equal(work.media, "application/json");
	assert_int_equal(work.len, strlen(BODY));
	assert_string_equal(work.bytes, BODY);
	assert_false(work.is_cut);

	cut(store, &work, 5);
	assert_counts(store, id, "queued 5");
	assert_job(store, id, "state", "'running'");
	assert_int_equal(item(&tools, store, &work, 0, "{'run_id': 'r', 'odd': 1}").outcome,
			 STORE_STORED);
	assert_int_equal(item(&tools, store, &work, 1, NULL).outcome, STORE_REJECTED);
	assert_int_equal(item(&tools, store, &work, 2, "{'run_id': 'r'}").outcome, STORE_CONFLICT);
	assert_int_equal(item(&tools, store, &work, 3, "{'odd': 1, 'run_id': 'r'}").outcome,
			 STORE_DUPLICATE);
	store_job_mark(store, &work, 4, 1, STORE_ITEM_VALID);
	assert_counts(store, id, "valid 1, stored 1, duplicate 1, conflict 1, rejected 1");
	assert_job(store, id, "finished_at", "null");
	assert_int_equal(item(&tools, store, &work, 4, NULL).outcome, STORE_REJECTED);
	done(store, &work);
	assert_counts(store, id, "stored 1, duplicate 1, conflict 1, rejected 2");
	assert_job(store, id, "state", "'done'");
	assert_job(store, id, "job_id", "'1'");
	next(store, &none);
	assert_int_equal(none.job, 0);
	assert_null(reported(store, 99));
}

static void test_store_jobs_job__items_as_json(void **state)
{
	auto_tools tools = { .fields = NULL };
	auto_store_job_work work = { .job = 0 };

	tools_init(&tools);
	auto_store struct store *store = open_store(&tools, scratch_path(*state, "a.db"), false,
						    true);
	int64_t id = add(store, "b.json");
	next(store, &work);
	cut(store, &work, 3);
	item(&tools, store, &work, 0, NULL);
	item(&tools, store, &work, 1, FLAT);
	assert_job(store, id, "items",
		   "[{'index':0,'name':'x.json','state':'rejected','form':null,'id':null,"
		   "'run_id':null,'message':'no result','faults':[{'pointer':'/a','line':3,"
		   "'message':'wrong'}],'secrets':[],'possible_duplicates':[],'deleted':false,'"
		   "choice':null,"
		   "'bytes':7,'retryable':true},"
		   "{'index':1,'name':'x.json','state':'stored','form':'flat','id':1,'run_id':null,"
		   "'message':null,'faults':[],'secrets':[],'possible_duplicates':[],'deleted':"
		   "false,'choice':null,"
		   "'bytes':7,'retryable':false},"
		   "{'index':2,'name':'x.json','state':'queued','form':null,'id':null,"
		   "'run_id':null,'message':null,'faults':[],'secrets':[],'possible_duplicates':[],"
		   "'deleted':false,'choice':null,'bytes':0,'retryable':false}]");
}

static void test_store_jobs_job__pages_of_items(void **state)
{
	static const struct {
		struct store_job_page page;
		size_t count;
		int64_t first, total;
	} pages[] = {
		{ { 0, 3, NULL }, 3, 0, 7 },         { { 3, 3, NULL }, 3, 3, 7 },
		{ { 6, INT64_MAX, NULL }, 1, 6, 7 }, { { 7, 3, NULL }, 0, 0, 7 },
		{ { 0, 0, NULL }, 0, 0, 7 },         { { 1, 3, "rejected" }, 3, 1, 5 },
		{ { 1, 3, "queued" }, 1, 6, 2 },     { { 0, 3, "stored" }, 0, 0, 0 },
	};
	auto_tools tools = { .fields = NULL };
	auto_store_job_work work = { .job = 0 };
	struct pl_err err = PL_ERR_INIT;

	tools_init(&tools);
	auto_store struct store *store = open_store(&tools, scratch_path(*state, "a.db"), false,
						    true);
	int64_t id = add(store, "b.json");
	next(store, &work);
	cut(store, &work, 7);
	for (size_t i = 0; i < 5; i++)
		item(&tools, store, &work, i, NULL);
	for (size_t i = 0; i < PL_ARRAY_SIZE(pages); i++) {
		auto_json json_t *page = NULL;
		assert_int_equal(store_job_json(store, id, &pages[i].page, &page, &err), 0);
		json_t *items = json_object_get(page, "items");
		assert_int_equal(json_array_size(items), pages[i].count);
		for (size_t k = 0; k < pages[i].count; k++)
			assert_int_equal(pl_json_get_i64(json_array_get(items, k), "index"),
					 pages[i].first + (int64_t)k);
		assert_int_equal(pl_json_get_i64(page, "total"), pages[i].total);
		assert_int_equal(json_integer_value(pl_json_get_path(page, "counts.rejected")), 5);
		assert_int_equal(json_integer_value(pl_json_get_path(page, "counts.queued")), 2);
	}
}

/* A process that is gone has left its job where it was. */
static void test_store_jobs_job__goes_on_where_it_stopped(void **state)
{
	auto_tools tools = { .fields = NULL };

	tools_init(&tools);
	const char *path = scratch_path(*state, "a.db");
	auto_store struct store *store = open_store(&tools, path, false, true);
	int64_t first = add(store, "first"), second = add(store, "second");
	auto_store_job_work before = { .job = 0 };
	next(store, &before);
	cut(store, &before, 3);
	item(&tools, store, &before, 0, "{'run_id': 'r'}");
	item(&tools, store, &before, 1, NULL);
	store_close(pl_take(store));

	store = open_store(&tools, path, false, true);
	auto_store_job_work after = { .job = 0 };
	next(store, &after);
	assert_int_equal(after.job, first);
	assert_true(after.is_cut);
	assert_int_equal(after.count, 1);
	assert_int_equal(after.pending[0].index, 2);
	assert_string_equal(after.bytes, BODY);
	item(&tools, store, &after, 2, NULL);
	done(store, &after);
	auto_store_job_work last = { .job = 0 };
	next(store, &last);
	assert_int_equal(last.job, second);
	assert_false(last.is_cut);
}

static void test_store_jobs_job__one_process_works_on_them(void **state)
{
	auto_tools tools = { .fields = NULL };
	struct pl_err err = PL_ERR_INIT;
	struct store *second = NULL;
	struct store_job_work work = { .job = 0 };

	tools_init(&tools);
	const char *path = scratch_path(*state, "a.db");
	auto_store struct store *store = open_store(&tools, path, false, true);
	struct store_options options = { .path = path, .fields = tools.fields, .with_jobs = true };
	assert_int_equal(store_open(&options, &second, &err), -1);
	assert_int_equal(err.code, PL_ERR_BUSY);
	auto_free char *owner = pl_asprintf("is in use by process %d", (int)getpid());
	assert_non_null(strstr(err.text, owner));
	/* others may add some, and store what they like */
	auto_store struct store *other = open_store(&tools, path, false, false);
	assert_int_equal(add(other, "x"), 1);
	assert_int_equal(store_job_next(other, &work, &err), -1);
	next(store, &work);
	assert_int_equal(work.job, 1);
	store_job_release(&work);
}

/* ---- jobs of several parts ----------------------------------------------------------------- */

static int64_t open_job(struct store *store, enum store_conflict_policy on_conflict)
{
	const struct store_job_plan plan = {
		.name = "many", .files = 2, .bytes = -1, .on_conflict = on_conflict
	};
	struct pl_err err = PL_ERR_INIT;
	int64_t id = 0;

	if (store_job_open(store, &plan, &id, &err) < 0)
		fail_msg("%s", err.text);
	return id;
}

static void test_store_jobs_job__parts(void **state)
{
	auto_tools tools = { .fields = NULL };
	enum store_job_answer came;
	struct pl_err err = PL_ERR_INIT;
	int64_t none = 99;

	tools_init(&tools);
	auto_store struct store *store = open_store(&tools, scratch_path(*state, "a.db"), false,
						    true);
	int64_t id = open_job(store, STORE_SKIP);
	assert_job(store, id, "kind", "'parts'");
	assert_job(store, id, "expected", "{'files':2,'bytes':null}");
	assert_int_equal(add_to(store, &none, "x", BODY), STORE_JOB_NONE);
	for (int i = 0; i < 2; i++) {
		auto_store_job_work work = { .job = 0 };
		assert_int_equal(add_to(store, &id, "x", BODY), STORE_JOB_OK);
		next(store, &work);
		assert_int_equal(work.first, 2 * i);
		cut(store, &work, 2);
		item(&tools, store, &work, (size_t)i * 2, NULL);
		item(&tools, store, &work, (size_t)i * 2 + 1, i == 0 ? FLAT : NULL);
		done(store, &work);
		assert_job(store, id, "state", "'open'");
	}
	assert_job(store, id, "received", "{'files':2,'bytes':24}");
	assert_int_equal(add_to(store, &id, "x", BODY), STORE_JOB_OK);
	assert_int_equal(store_job_close(store, id, NULL, &came, &err), 0);
	assert_int_equal(came, STORE_JOB_OK);
	assert_job(store, id, "state", "'queued'");
	assert_int_equal(add_to(store, &id, "x", BODY), STORE_JOB_CLOSED);
	auto_store_job_work last = { .job = 0 };
	next(store, &last);
	cut(store, &last, 1);
	item(&tools, store, &last, 4, NULL);
	done(store, &last);
	assert_job(store, id, "state", "'done'");
	assert_counts(store, id, "stored 1, rejected 4");
	assert_int_equal(store_job_close(store, 99, NULL, &came, &err), 0);
	assert_int_equal(came, STORE_JOB_NONE);
}

static void test_store_jobs_job__cancel_and_retry(void **state)
{
	auto_tools tools = { .fields = NULL };
	enum store_job_answer came;
	struct pl_err err = PL_ERR_INIT;
	bool goes_on = true;
	size_t at = 0;

	tools_init(&tools);
	auto_store struct store *store = open_store(&tools, scratch_path(*state, "a.db"), false,
						    true);
	int64_t id = open_job(store, STORE_SKIP);
	assert_int_equal(add_to(store, &id, "x", BODY), STORE_JOB_OK);
	assert_int_equal(add_to(store, &id, "y", BODY), STORE_JOB_OK);
	auto_store_job_work work = { .job = 0 };
	next(store, &work);
	cut(store, &work, 3);
	item(&tools, store, &work, 0, FLAT);
	item(&tools, store, &work, 1, NULL);
	assert_int_equal(store_job_cancel(store, id, NULL, &came, &err), 0);
	assert_int_equal(came, STORE_JOB_OK);
	assert_job(store, id, "state", "'cancelled'");
	assert_counts(store, id, "stored 1, rejected 1, cancelled 2");
	/* the worker of the job stops */
	assert_int_equal(store_job_group_begin(store, &work, &goes_on, &err), 0);
	assert_false(goes_on);
	auto_store_job_work none = { .job = 0 };
	next(store, &none);
	assert_int_equal(none.job, 0);

	auto_json json_t *wrong = json_pack("[i, i]", 2, 0);
	assert_int_equal(store_job_retry(store, id, wrong, &came, &at, &err), 0);
	assert_int_equal(came, STORE_JOB_NO_ITEM);
	assert_int_equal(at, 1);
	assert_counts(store, id, "stored 1, rejected 1, cancelled 2");
	assert_int_equal(store_job_retry(store, id, NULL, &came, &at, &err), 0);
	assert_int_equal(came, STORE_JOB_OK);
	assert_counts(store, id, "queued 3, stored 1");
	/* of the first part what was cancelled; what was rejected, by its own bytes; then the other part */
	static const size_t counts[] = { 1, 1, 0 };
	for (size_t i = 0; i < PL_ARRAY_SIZE(counts); i++) {
		auto_store_job_work retry = { .job = 0 };
		next(store, &retry);
		assert_int_equal(retry.job, id);
		assert_int_equal(retry.part == 0, i == 1);
		assert_int_equal(retry.count, counts[i]);
		if (i == 2)
			cut(store, &retry, 1);
		if (i == 1)
			assert_string_equal(retry.pending[0].bytes, "{\"a\": 1}");
		item(&tools, store, &retry, retry.pending[0].index, NULL);
		done(store, &retry);
	}
	assert_job(store, id, "state", "'done'");
	assert_counts(store, id, "stored 1, rejected 3");
}

/* The worker of the other items of the part does not know of it. */
static void test_store_jobs_job__an_item_requested_during_the_work_is_not_lost(void **state)
{
	auto_tools tools = { .fields = NULL };
	enum store_job_answer came;
	struct pl_err err = PL_ERR_INIT;
	size_t at = 0;

	tools_init(&tools);
	auto_store struct store *store = open_store(&tools, scratch_path(*state, "a.db"), false,
						    true);
	int64_t id = add(store, "x");
	auto_store_job_work first = { .job = 0 }, second = { .job = 0 }, third = { .job = 0 };
	next(store, &first);
	cut(store, &first, 3);
	assert_int_equal(store_job_cancel(store, id, NULL, &came, &err), 0);
	auto_json json_t *one = json_pack("[i]", 0), *other = json_pack("[i]", 2);
	assert_int_equal(store_job_retry(store, id, one, &came, &at, &err), 0);
	next(store, &second);
	assert_int_equal(second.count, 1);
	assert_int_equal(store_job_retry(store, id, other, &came, &at, &err), 0);
	item(&tools, store, &second, 0, NULL);
	done(store, &second);
	assert_counts(store, id, "queued 1, rejected 1, cancelled 1");
	assert_job(store, id, "finished_at", "null");
	next(store, &third);
	assert_int_equal(third.part, second.part);
	assert_int_equal(third.count, 1);
	assert_int_equal(third.pending[0].index, 2);
	item(&tools, store, &third, 2, FLAT);
	done(store, &third);
	assert_counts(store, id, "stored 1, rejected 1, cancelled 1");
	assert_job(store, id, "state", "'done'");
}

/* Checks the facts about the existing result. */
static void assert_content(struct store *store, int64_t id, const char *suite)
{
	auto_store_entry entry = { .id = 0 };
	struct pl_err err = PL_ERR_INIT;

	if (store_get(store, id, &entry, &err) < 0)
		fail_msg("%s", err.text);
	assert_string_equal(pl_json_get_text(entry.document, "suite"), suite);
}

static void choose(struct store *store, int64_t id, enum store_conflict_policy choice,
		   const char *of)
{
	const struct store_job_request wanted = { .choice.on_conflict = choice, .of = of };
	enum store_job_answer came;
	struct pl_err err = PL_ERR_INIT;
	size_t at;

	if (store_job_choose(store, id, &wanted, &came, &at, &err) < 0)
		fail_msg("%s", err.text);
	assert_int_equal(came, STORE_JOB_OK);
}

/* Another user replaces the existing result between a choice and its execution. */
static void test_store_jobs_job__replaces_only_what_was_seen(void **state)
{
	auto_tools tools = { .fields = NULL };
	auto_store_document other = { .len = 0 };
	auto_json json_t *items = json_pack("[i]", 0);
	const struct store_choice replace = { .on_conflict = STORE_REPLACE };
	auto_store_entry seen = { .id = 0 };
	auto_store_job_work work = { .job = 0 };
	auto_store_job_work retry = { .job = 0 };
	struct pl_err err = PL_ERR_INIT;
	struct store_put_result result;
	enum store_job_answer came;
	size_t at;

	tools_init(&tools);
	auto_store struct store *store = open_store(&tools, scratch_path(*state, "a.db"), false,
						    true);
	put_text(&tools, store, "{'run_id': 'r', 'suite': 'one'}");
	int64_t id = add(store, "x");
	next(store, &work);
	cut(store, &work, 1);
	item(&tools, store, &work, 0, "{'run_id': 'r', 'suite': 'two'}");
	done(store, &work);
	assert_int_equal(store_get(store, 1, &seen, &err), 0);
	const struct store_job_request wanted = {
		.choice = { .on_conflict = STORE_REPLACE, .expected = seen.sha256 }, .items = items
	};
	assert_int_equal(store_job_choose(store, id, &wanted, &came, &at, &err), 0);
	assert_int_equal(came, STORE_JOB_OK);
	read_text(&tools, "{'run_id': 'r', 'suite': 'three'}", &other);
	auto_prepared struct store_prepared *prepared = store_prepare(store, &other, "x.json");
	assert_int_equal(store_put_as(store, prepared, &replace, &result, &err), 0);
	next(store, &retry);
	result = item(&tools, store, &retry, 0, "{'run_id': 'r', 'suite': 'two'}");
	assert_int_equal(result.outcome, STORE_CONFLICT);
	done(store, &retry);
	assert_content(store, 1, "three");
	/* the existing result is no longer the expected one */
	assert_int_equal(store_job_choose(store, id, &wanted, &came, &at, &err), 0);
	assert_int_equal(came, STORE_JOB_CHANGED);
	assert_job(store, id, "state", "'done'");
}

static void test_store_jobs_job__choices(void **state)
{
	auto_tools tools = { .fields = NULL };
	int64_t count = 0;
	struct pl_err err = PL_ERR_INIT;

	tools_init(&tools);
	auto_store struct store *store = open_store(&tools, scratch_path(*state, "a.db"), false,
						    true);
	put_text(&tools, store, "{'run_id': 'r', 'suite': 'one'}");
	int64_t id = add(store, "x");
	auto_store_job_work work = { .job = 0 };
	next(store, &work);
	cut(store, &work, 2);
	item(&tools, store, &work, 0, "{'run_id': 'r', 'suite': 'two'}");
	item(&tools, store, &work, 1, "{'run_id': 'r', 'suite': 'one'}");
	done(store, &work);
	assert_counts(store, id, "duplicate 1, conflict 1");
	choose(store, id, STORE_SKIP, NULL);
	assert_job(store, id, "state", "'done'");
	assert_content(store, 1, "one");

	choose(store, id, STORE_KEEP, "conflict");
	assert_counts(store, id, "queued 1, duplicate 1");
	auto_store_job_work keeps = { .job = 0 };
	next(store, &keeps);
	assert_int_equal(keeps.pending[0].on_conflict, STORE_KEEP);
	auto_free char *bytes = pl_strdup(keeps.pending[0].bytes);
	assert_non_null(strstr(bytes, "two"));
	assert_int_equal(item(&tools, store, &keeps, 0, "{'run_id': 'r', 'suite': 'two'}").id, 2);
	done(store, &keeps);
	assert_content(store, 2, "two");
	/* the bytes of a duplicate are those of the existing result */
	choose(store, id, STORE_KEEP, NULL);
	auto_store_job_work same = { .job = 0 };
	next(store, &same);
	assert_non_null(strstr(same.pending[0].bytes, "one"));
	assert_int_equal(item(&tools, store, &same, 1, "{'run_id': 'r', 'suite': 'one'}").id, 3);
	done(store, &same);
	assert_counts(store, id, "stored 2");
	assert_int_equal(store_count(store, &count, &err), 0);
	assert_int_equal(count, 3);

	int64_t beforehand = open_job(store, STORE_REPLACE);
	assert_int_equal(add_to(store, &beforehand, "x", BODY), STORE_JOB_OK);
	auto_store_job_work replaces = { .job = 0 };
	next(store, &replaces);
	cut(store, &replaces, 1);
	assert_int_equal(item(&tools, store, &replaces, 0, "{'run_id': 'r', 'suite': 'three'}").id,
			 1);
	done(store, &replaces);
	assert_content(store, 1, "three");
}

static void test_store_jobs_job__known_files(void **state)
{
	auto_tools tools = { .fields = NULL };
	auto_store_job_work work = { .job = 0 };
	auto_json json_t *requested = json_pack("[s, s]", SHA, "ff");
	struct pl_err err = PL_ERR_INIT;
	auto_json json_t *before = NULL;
	auto_json json_t *after = NULL;

	tools_init(&tools);
	auto_store struct store *store = open_store(&tools, scratch_path(*state, "a.db"), false,
						    true);
	add(store, "x");
	assert_int_equal(store_jobs_known(store, requested, 0, &before, &err), 0);
	auto_free char *text = pl_json_to_text(before, PL_JSON_COMPACT);
	assert_string_equal(text,
			    "{\"known\":[{\"sha256\":\"" SHA "\",\"job_id\":\"1\",\"index\":null,"
			    "\"state\":\"queued\",\"id\":null}]}");
	next(store, &work);
	cut(store, &work, 1);
	item(&tools, store, &work, 0, FLAT);
	done(store, &work);
	assert_int_equal(store_jobs_known(store, requested, 0, &after, &err), 0);
	auto_free char *then = pl_json_to_text(after, PL_JSON_COMPACT);
	assert_string_equal(then,
			    "{\"known\":[{\"sha256\":\"" SHA "\",\"job_id\":\"1\",\"index\":0,"
			    "\"state\":\"stored\",\"id\":1}]}");
}

/* ---- the remains of a job ------------------------------------------------------------------ */

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

/* Returns whether the database or its log contains it, packed as jobs are. */
static bool is_left(const char *path, const char *secret)
{
	size_t len;
	auto_free char *packed = pl_zst_pack_brief(secret, strlen(secret), &len);
	auto_free char *log = pl_asprintf("%s-wal", path);

	assert_true(len > 300);
	return file_has(path, packed + 50, 200) || file_has(log, packed + 50, 200);
}

/* Plays a job that is not JSON, of which nothing is stored. */
static int64_t play(struct store *store, const char *bytes)
{
	auto_store_job_work work = { .job = 0 };
	struct pl_err err = PL_ERR_INIT;
	struct store_put_result result;
	int64_t id = 0;

	assert_int_equal(add_to(store, &id, "x", bytes), STORE_JOB_OK);
	next(store, &work);
	assert_int_equal(work.job, id);
	assert_string_equal(work.bytes, bytes);
	cut(store, &work, 1);
	const struct store_job_item one = { .message = "no result" };
	begin(store, &work);
	if (store_job_item(store, &work, &one, &result, &err) < 0)
		fail_msg("%s", err.text);
	end(store);
	done(store, &work);
	return id;
}

static void test_store_jobs_job__what_it_came_with_does_not_outlast_it(void **state)
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
static void test_store_jobs_job__a_queue_without_end_is_wiped_on_the_way(void **state)
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

static void test_store_jobs_job__nor_a_process_that_is_killed(void **state)
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

static void run_beside(const char *path, const char *text)
{
	struct pl_err err = PL_ERR_INIT;
	struct store_sql other = { 0 };

	if (store_sql_open(&other, path, false, &err) < 0 || store_sql_run(&other, text, &err) < 0)
		fail_msg("%s", err.text);
	store_sql_close(&other);
}

static void test_store_jobs_job__old_ones_are_forgotten(void **state)
{
	auto_tools tools = { .fields = NULL };
	int64_t first, second;

	tools_init(&tools);
	const char *path = scratch_path(*state, "a.db");
	{
		auto_store struct store *store = open_store(&tools, path, false, true);
		first = play(store, BODY);
		second = play(store, BODY);
		/* 9,998 more that are done, and as many that wait, which push nothing out */
		run_beside(path, "WITH RECURSIVE n (i) AS"
				 " (SELECT 3 UNION ALL SELECT i + 1 FROM n WHERE i < 19998)"
				 " INSERT INTO jobs (id, kind, name, created, finished, state)"
				 " SELECT i, 'json', '', '', '2020-01-01T00:00:00Z',"
				 " CASE WHEN i % 2 THEN 'done' ELSE 'running' END FROM n");
		assert_int_equal(play(store, BODY), 19999);
	}
	{
		/* it is not old */
		auto_store struct store *store = open_store(&tools, path, false, true);
		assert_job(store, first, "state", "'done'");
		run_beside(path, "UPDATE jobs SET finished = '2020-01-01T00:00:00Z'");
	}
	auto_store struct store *store = open_store(&tools, path, false, true);
	assert_null(reported(store, first));
	assert_job(store, second, "state", "'done'");
}

/* The wall clock went eight days ahead while the store was open. */
static void test_store_jobs_job__a_clock_set_ahead_makes_none_old(void **state)
{
	auto_tools tools = { .fields = NULL };
	struct pl_err err = PL_ERR_INIT;

	tools_init(&tools);
	const char *path = scratch_path(*state, "a.db");
	auto_store struct store *store = open_store(&tools, path, false, true);
	run_beside(path,
		   "INSERT INTO jobs (id, kind, name, created, state) VALUES"
		   " (7, 'json', '', strftime('%Y-%m-%dT%H:%M:%SZ', 'now', '-8 days'), 'open')");
	store->opened_real_ns -= (int64_t)8 * 24 * 3600 * PL_NS_PER_S;
	store->jobs_looked_ns = pl_clock_now_ns() - (int64_t)24 * 3600 * PL_NS_PER_S;
	assert_int_equal(store_jobs_wipe(store, &err), 0);
	assert_job(store, 7, "state", "'open'");
	/* eight days that went by */
	store->opened_ns -= (int64_t)8 * 24 * 3600 * PL_NS_PER_S;
	store->jobs_looked_ns = pl_clock_now_ns() - (int64_t)24 * 3600 * PL_NS_PER_S;
	assert_int_equal(store_jobs_wipe(store, &err), 0);
	assert_job(store, 7, "state", "'done'");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		scratch_test(test_store_jobs_job__from_queue_to_end),
		scratch_test(test_store_jobs_job__items_as_json),
		scratch_test(test_store_jobs_job__pages_of_items),
		scratch_test(test_store_jobs_job__goes_on_where_it_stopped),
		scratch_test(test_store_jobs_job__one_process_works_on_them),
		scratch_test(test_store_jobs_job__parts),
		scratch_test(test_store_jobs_job__cancel_and_retry),
		scratch_test(test_store_jobs_job__an_item_requested_during_the_work_is_not_lost),
		scratch_test(test_store_jobs_job__choices),
		scratch_test(test_store_jobs_job__replaces_only_what_was_seen),
		scratch_test(test_store_jobs_job__known_files),
		scratch_test(test_store_jobs_job__what_it_came_with_does_not_outlast_it),
		scratch_test(test_store_jobs_job__a_queue_without_end_is_wiped_on_the_way),
		scratch_test(test_store_jobs_job__nor_a_process_that_is_killed),
		scratch_test(test_store_jobs_job__old_ones_are_forgotten),
		scratch_test(test_store_jobs_job__a_clock_set_ahead_makes_none_old),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
