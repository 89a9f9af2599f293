/*
 * Functions of the store report the statement that fails: each of the tables that a function needs is missing once before its
 * statements were made and once after. The function fails with a message that names the table, and succeeds when it is back.
 * Then each call to the database fails once: the function fails with the message of that call, and the next one succeeds.
 */
#include "store/store.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "base/mem.h"
#include "base/text.h"
#include "store/analysis/annotation.h"
#include "store/analysis/decision.h"
#include "store/analysis/watch.h"
#include "store/artifacts/artifact.h"
#include "store/change.h"
#include "store/db/driver_priv.h"
#include "store/jobs/job.h"
#include "store/saved/link.h"
#include "store/saved/preset.h"
#include "store/store_priv.h"
#include "store/sweeps/sweep.h"
#include "unit/base/scratch.h"
#include "unit/store/stores.h"

#define SHA "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"

/* The rows of the database before each call. */
struct known {
	struct store *store;
	int64_t id, job, preset, annotation, watch;
	bool is_deleted; /* the result */
	char *link;
	struct store_prepared *prepared; /* a result that no job has brought */
};

static int count(struct known *known, struct pl_err *err)
{
	int64_t all;

	return store_count(known->store, &all, err);
}

static int find(struct known *known, struct pl_err *err)
{
	int64_t id;

	return store_find(known->store, "nothing", &id, err);
}

static int version(struct known *known, struct pl_err *err)
{
	int64_t of;

	return store_data_version(known->store, &of, err);
}

static int job_open(struct known *known, struct pl_err *err)
{
	const struct store_job_plan plan = { .name = "j", .files = -1, .bytes = -1 };
	int64_t id;

	return store_job_open(known->store, &plan, &id, err);
}

static int job_add(struct known *known, struct pl_err *err)
{
	char sha256[][65] = { SHA };
	const struct store_job_part part = { .kind = "batch",
					     .name = "x.json",
					     .media = "application/json",
					     .bytes = "[{}]",
					     .len = 4,
					     .sha256 = sha256,
					     .files = 1,
					     .key = "k" };
	enum store_job_answer answer;

	return store_job_add(known->store, &known->job, STORE_SKIP, &part, &answer, err);
}

static int job_close(struct known *known, struct pl_err *err)
{
	enum store_job_answer answer;

	return store_job_close(known->store, known->job, NULL, &answer, err);
}

static int job_cancel(struct known *known, struct pl_err *err)
{
	enum store_job_answer answer;

	return store_job_cancel(known->store, known->job, NULL, &answer, err);
}

static int job_retry(struct known *known, struct pl_err *err)
{
	enum store_job_answer answer;
	size_t at;

	return store_job_retry(known->store, known->job, NULL, &answer, &at, err);
}

static int job_json(struct known *known, struct pl_err *err)
{
	const struct store_job_page page = { .limit = 10 };
	auto_json json_t *json = NULL;

	return store_job_json(known->store, known->job, &page, &json, err);
}

static int jobs_json(struct known *known, struct pl_err *err)
{
	const struct store_job_page page = { .limit = 10 };
	auto_json json_t *json = NULL;

	return store_jobs_json(known->store, &page, &json, err);
}

static int jobs_known(struct known *known, struct pl_err *err)
{
	auto_json json_t *sha256 = json_pack("[s]", SHA), *json = NULL;

	return store_jobs_known(known->store, sha256, 0, &json, err);
}

static int link_put(struct known *known, struct pl_err *err)
{
	auto_free char *id = NULL;
	enum store_link_outcome outcome;

	return store_link_put(known->store, "{\"b\":1}", "ann", &outcome, &id, err);
}

static int link_get(struct known *known, struct pl_err *err)
{
	auto_link link = { 0 };

	return store_link_get(known->store, known->link, &link, err);
}

static int preset_put(struct known *known, struct pl_err *err)
{
	auto_json json_t *preset = json_pack("{s:s}", "name", "p"), *ret = NULL;
	enum store_saved_outcome outcome;

	return store_preset_put(known->store, known->preset, preset, NULL, &outcome, &ret, err);
}

static int preset_get(struct known *known, struct pl_err *err)
{
	auto_json json_t *ret = NULL;

	return store_preset_get(known->store, known->preset, &ret, err);
}

static int preset_list(struct known *known, struct pl_err *err)
{
	auto_json json_t *ret = NULL;

	return store_preset_list(known->store, &ret, err);
}

static int preset_remove(struct known *known, struct pl_err *err)
{
	enum store_saved_outcome outcome;

	return store_preset_remove(known->store, known->preset, &outcome, err);
}

static int decision_add(struct known *known, struct pl_err *err)
{
	auto_json json_t *decision = json_pack("{s:s, s:s, s:i, s:s, s:I, s:s}", "series", "k",
					       "metric", "m", "at", 1, "order_by", "time",
					       "experiment_id", (json_int_t)known->id, "kind",
					       "expected"),
			 *ret = NULL;
	enum store_decision_outcome outcome;

	return store_decision_add(known->store, decision, &outcome, &ret, err);
}

static int decision_list(struct known *known, struct pl_err *err)
{
	auto_json json_t *ret = NULL;

	return store_decision_list(known->store, NULL, &ret, err);
}

static int decision_list_of_series(struct known *known, struct pl_err *err)
{
	auto_json json_t *ret = NULL;

	return store_decision_list(known->store, "k", &ret, err);
}

static int annotation_add(struct known *known, struct pl_err *err)
{
	auto_json json_t *annotation = json_pack("{s:s, s:s}", "version", "1", "text", "t"),
			 *ret = NULL;
	enum store_saved_outcome outcome;

	if (store_annotation_add(known->store, annotation, &outcome, &ret, err) < 0)
		return -1;
	known->annotation = pl_json_get_i64(ret, "id");
	return 0;
}

static int annotation_change(struct known *known, struct pl_err *err)
{
	auto_json json_t *change = json_pack("{s:s}", "text", "u"), *ret = NULL;
	enum store_saved_outcome outcome;

	return store_annotation_change(known->store, known->annotation, 0, change, &outcome, &ret,
				       err);
}

static int annotation_list(struct known *known, struct pl_err *err)
{
	auto_json json_t *ret = NULL;

	return store_annotation_list(known->store, &ret, err);
}

static int annotation_remove(struct known *known, struct pl_err *err)
{
	enum store_saved_outcome outcome;

	return store_annotation_remove(known->store, known->annotation, 0, &outcome, err);
}

static int watch_change(struct known *known, struct pl_err *err)
{
	auto_json json_t *watch = json_pack("{s:s, s:s, s:{}}", "name", "w", "fail_on", "suspect",
					    "question"),
			 *ret = NULL;
	enum store_saved_outcome outcome;

	if (store_watch_change(known->store, known->watch, 0, watch, &outcome, &ret, err) < 0)
		return -1;
	if (outcome != STORE_SAVED_NONE)
		return 0;
	return store_watch_add(known->store, watch, &outcome, &ret, err);
}

/* Each call starts an entry of the history. */
static int watch_settle(struct known *known, struct pl_err *err)
{
	static int version;
	bool changed;
	auto_json json_t *state = json_pack("{s:s, s:b, s:{}}", "state",
					    version++ % 2 == 0 ? "stable" : "regression", "failed",
					    0, "counts");

	return store_watch_settle(known->store, known->watch, 1, version, state, &changed, err);
}

static int watch_list(struct known *known, struct pl_err *err)
{
	auto_json json_t *ret = NULL;

	return store_watch_list(known->store, true, &ret, err);
}

static int watch_news(struct known *known, struct pl_err *err)
{
	auto_json json_t *ret = NULL;

	return store_watch_news(known->store, -1, &ret, err);
}

static int watch_remove(struct known *known, struct pl_err *err)
{
	enum store_saved_outcome outcome;

	return store_watch_remove(known->store, known->watch, 0, &outcome, err);
}

static int sweep_remove(struct known *known, struct pl_err *err)
{
	bool found;

	return store_sweep_remove(known->store, "20260101-000000-abcdef", &found, err);
}

static int artifacts_of(struct known *known, struct pl_err *err)
{
	auto_artifacts artifacts = { 0 };

	return store_artifacts_of(known->store, known->id, &artifacts, err);
}

static int change(struct known *known, struct pl_err *err)
{
	static int number;
	auto_json json_t *wanted = json_pack("{s:o}", "notes", json_sprintf("note %d", ++number));
	enum store_change_answer answer;

	return store_change(known->store, known->id, wanted, &answer, err);
}

static int changes_json(struct known *known, struct pl_err *err)
{
	auto_json json_t *json = NULL;

	return store_changes_json(known->store, known->id, &json, err);
}

static int delete (struct known *known, struct pl_err *err)
{
	enum store_change_answer answer;

	return store_delete(known->store, known->id, NULL, &answer, err);
}

static int restore(struct known *known, struct pl_err *err)
{
	enum store_change_answer answer;

	return store_restore(known->store, known->id, NULL, &answer, err);
}

static int get(struct known *known, struct pl_err *err)
{
	auto_store_entry entry = { 0 };

	return store_get(known->store, known->id, &entry, err);
}

static int work_on(struct known *known, struct store_job_work *work, struct pl_err *err)
{
	struct store_job_cut names[] = { { .name = "a" }, { .name = "b" } };
	auto_json json_t *faults = json_array();
	struct store_job_item wrong = {
		.index = work->first + 1, .message = "wrong", .faults = faults, .retained = "{}"
	};
	struct store_job_item right = { .index = work->first, .prepared = known->prepared };
	struct store_put_result result;

	store_job_lay_out(work, PL_ARRAY_SIZE(names));
	if (store_job_cut(known->store, work, names, PL_ARRAY_SIZE(names), err) < 0 ||
	    store_job_item(known->store, work, &wrong, &result, err) < 0 ||
	    store_job_item(known->store, work, &right, &result, err) < 0)
		return -1;
	return store_job_done(known->store, work, err);
}

static int job_work(struct known *known, struct pl_err *err)
{
	auto_store_job_work work = { .job = 0 };
	bool goes_on;

	if (store_job_next(known->store, &work, err) < 0 ||
	    store_job_group_begin(known->store, &work, &goes_on, err) < 0)
		return -1;
	assert_true(goes_on);
	int result = work_on(known, &work, err);
	return store_job_group_end(known->store, result < 0 ? PL_ERR_IGNORED : err) < 0 ? -1
											: result;
}

/* Work that was cancelled after it was read. */
static int job_work_cancelled(struct known *known, struct pl_err *err)
{
	auto_store_job_work work = { .job = 0 };
	bool goes_on;

	if (store_job_next(known->store, &work, err) < 0)
		return -1;
	work.hold++;
	int result = store_job_group_begin(known->store, &work, &goes_on, err);
	assert_false(goes_on);
	return result;
}

static int find_known(struct known *known, struct pl_err *err)
{
	int64_t id;

	return store_find(known->store, "1", &id, err);
}

static const struct {
	int (*call)(struct known *known, struct pl_err *err);
	const char *needs; /* the tables of its statements */
} calls[] = {
	{ count, "benchmark_runs" },
	{ find, "benchmark_runs" },
	{ find_known, "benchmark_runs" },
	{ get, "benchmark_runs benchmark_documents benchmark_edits" },
	{ version, "store_state" },
	{ job_open, "jobs" },
	{ job_add, "job_parts job_files" },
	{ job_json, "benchmark_runs jobs job_items job_parts job_bytes" },
	{ jobs_json, "jobs job_items job_parts" },
	{ jobs_known, "benchmark_runs job_items job_parts job_files" },
	{ job_retry, "jobs job_items job_parts job_bytes" },
	{ job_close, "jobs job_items job_parts" },
	{ job_cancel, "jobs job_items job_parts" },
	{ job_work, "jobs job_items job_parts job_files job_bytes" },
	{ job_work_cancelled, "jobs job_parts" },
	{ link_put, "views" },
	{ link_get, "views" },
	{ preset_put, "presets" },
	{ preset_get, "presets" },
	{ preset_list, "presets" },
	{ preset_remove, "presets" },
	{ decision_add, "decisions benchmark_runs store_state store_marks" },
	{ decision_list, "decisions" },
	{ decision_list_of_series, "decisions" },
	{ annotation_add, "annotations store_state store_marks" },
	{ annotation_change, "annotations store_state store_marks" },
	{ annotation_list, "annotations" },
	{ annotation_remove, "annotations store_state store_marks" },
	{ watch_change, "watches" },
	{ watch_settle, "watches watch_states" },
	{ watch_list, "watches watch_states" },
	{ watch_news, "watches watch_states" },
	{ watch_remove, "watches" },
	{ sweep_remove, "sweeps" },
	{ artifacts_of, "benchmark_runs benchmark_documents benchmark_edits" },
	{ change, "benchmark_runs benchmark_edits benchmark_changes store_state store_marks" },
	{ changes_json, "benchmark_runs benchmark_edits benchmark_changes" },
	{ delete, "benchmark_runs benchmark_edits benchmark_changes store_state store_marks" },
	{ restore, "benchmark_runs benchmark_edits benchmark_changes store_state store_marks" },
};

static void run(struct store_sql *sql, const char *text)
{
	struct pl_err err = PL_ERR_INIT;

	if (store_sql_run(sql, text, &err) < 0)
		fail_msg("%s: %s", text, err.text);
}

/* A new annotation, and a new watch of revision 1. */
static void fill_analysis(struct store *store, struct known *known)
{
	struct known with = { .store = store, .watch = known->watch };
	auto_json json_t *watch = json_pack("{s:s, s:s, s:{}}", "name", "w", "fail_on", "suspect",
					    "question"),
			 *ret = NULL;
	enum store_saved_outcome outcome;
	struct pl_err err = PL_ERR_INIT;

	if (known->annotation != 0) {
		with.annotation = known->annotation;
		assert_int_equal(annotation_remove(&with, &err), 0);
	}
	assert_int_equal(annotation_add(&with, &err), 0);
	known->annotation = with.annotation;
	assert_int_equal(watch_remove(&with, &err), 0);
	assert_int_equal(store_watch_add(store, watch, &outcome, &ret, &err), 0);
	assert_int_equal(outcome, STORE_SAVED_OK);
	known->watch = pl_json_get_i64(ret, "id");
}

/* By another connection, which leaves no statement ready in the one that is tested. */
static void fill(struct store *store, struct known *known)
{
	struct known with = { .store = store };
	auto_json json_t *preset = json_pack("{s:s}", "name", "p"), *ret = NULL;
	enum store_saved_outcome outcome;
	enum store_change_answer answer;
	struct pl_err err = PL_ERR_INIT;

	if (known->is_deleted)
		assert_int_equal(store_delete(store, known->id, NULL, &answer, &err), 0);
	else
		assert_int_equal(store_restore(store, known->id, NULL, &answer, &err), 0);
	assert_int_equal(job_add(&with, &err), 0);
	known->job = with.job;
	if (store_preset_put(store, known->preset, preset, NULL, &outcome, &ret, &err) < 0 ||
	    ret == NULL)
		assert_int_equal(store_preset_put(store, 0, preset, NULL, &outcome, &ret, &err), 0);
	known->preset = pl_json_get_i64(ret, "id");
	fill_analysis(store, known);
}

static void call_without_tables(size_t k, struct known *known, struct store *other,
				struct store_sql *sql)
{
	for (const char *at = calls[k].needs; *at != '\0'; at += strspn(at, " ")) {
		auto_free char *table = pl_strndup(at, strcspn(at, " "));
		auto_free char *away = pl_asprintf("ALTER TABLE %s RENAME TO away", table);
		auto_free char *back = pl_asprintf("ALTER TABLE away RENAME TO %s", table);
		struct pl_err err = PL_ERR_INIT;

		at += strlen(table);
		fill(other, known);
		run(sql, away);
		int result = calls[k].call(known, &err);
		run(sql, back);
		if (result != -1 || strstr(err.text, table) == NULL)
			fail_msg("call %zu without %s: %d %s", k, table, result, err.text);
	}
}

static void call_with_tables(size_t k, struct known *known, struct store *other)
{
	struct pl_err err = PL_ERR_INIT;

	fill(other, known);
	if (calls[k].call(known, &err) < 0)
		fail_msg("call %zu: %s", k, err.text);
}

/* ---- each call fails once ---- */

static int remaining; /* calls until the one that fails; 0: none does */

static bool fails(struct pl_err *err)
{
	if (remaining == 0 || --remaining > 0)
		return false;
	pl_err_set(err, PL_ERR_IO, "the call was refused");
	return true;
}

static int begin_or_fail(struct store_sql *sql, enum store_sql_access access, struct pl_err *err)
{
	return fails(err) ? -1 : store_sqlite_driver.begin(sql, access, err);
}

static int commit_or_fail(struct store_sql *sql, struct pl_err *err)
{
	if (!fails(err))
		return store_sqlite_driver.commit(sql, err);
	store_sqlite_driver.rollback(sql); /* so does a commit that fails */
	return -1;
}

static int prepare_or_fail(struct store_sql *sql, const char *text, bool is_cursor,
			   struct store_stmt **ret, struct pl_err *err)
{
	return fails(err) ? -1 : store_sqlite_driver.prepare(sql, text, is_cursor, ret, err);
}

static int step_or_fail(struct store_stmt *statement, bool *ret_row, struct pl_err *err)
{
	if (!fails(err))
		return store_sqlite_driver.step(statement, ret_row, err);
	store_sqlite_driver.reset(statement); /* so does a step that fails */
	return -1;
}

/* Drops the statements that are ready, so that each is prepared again. */
static void forget_statements(struct store_sql *sql)
{
	for (size_t i = 0; i < STORE_STATEMENT_COUNT; i++) {
		store_sql_drop(sql->cached[i]);
		sql->cached[i] = NULL;
	}
}

static void call_with_refusals(size_t k, struct known *known, struct store *other)
{
	for (int number = 1;; number++) {
		struct pl_err err = PL_ERR_INIT;
		fill(other, known);
		forget_statements(&known->store->writer);
		forget_statements(&known->store->reader);
		remaining = number;
		int result = calls[k].call(known, &err);
		bool was_refused = remaining == 0;
		remaining = 0;
		if (!was_refused && result == 0)
			return;
		if (result != -1 || strcmp(err.text, "the call was refused") != 0)
			fail_msg("call %zu, statement %d: %d %s", k, number, result, err.text);
	}
}

static void a_call_that_is_refused_is_reported(struct known *known, const struct tools *tools,
					       const char *path, struct store *other)
{
	struct store_sql_driver driver = store_sqlite_driver;

	driver.begin = begin_or_fail;
	driver.commit = commit_or_fail;
	driver.prepare = prepare_or_fail;
	driver.step = step_or_fail;
	for (size_t k = 0; k < PL_ARRAY_SIZE(calls); k++) {
		known->store = open_store(tools, path, false, true);
		known->is_deleted = calls[k].call == restore;
		known->store->writer.driver = known->store->reader.driver = &driver;
		call_with_refusals(k, known, other);
		store_close(known->store);
	}
}

static void a_statement_that_fails_is_reported(void **state)
{
	auto_tools tools;

	tools_init(&tools);
	const char *path = scratch_path(*state, "s.db");
	struct store *other = open_store(&tools, path, false, false);
	struct known known = { .id = put_text(&tools, other, FLAT).id };
	enum store_link_outcome link_outcome;
	struct store_sql sql = { 0 };
	struct pl_err err = PL_ERR_INIT;

	auto_store_document document = { .len = 0 };
	read_text(
		&tools,
		"{'date': '20260102-000000', 'backend': 'vllm', 'model_id': 'm', 'num_prompts': 2, "
		"'completed': 2, 'duration': 1.5, 'mean_ttft_ms': 5}",
		&document);
	known.prepared = store_prepare(other, &document, "x.json");
	assert_int_equal(store_link_put(other, "{\"a\":1}", NULL, &link_outcome, &known.link, &err),
			 0);
	assert_int_equal(store_sql_open(&sql, path, false, &err), 0);
	assert_int_equal(store_sql_use(&sql, STORE_SQL_WRITE, &err), 0);
	for (size_t k = 0; k < PL_ARRAY_SIZE(calls); k++) {
		/* first its statements cannot be made, then they are ready and fail */
		known.store = open_store(&tools, path, false, true);
		known.is_deleted = calls[k].call == restore;
		call_without_tables(k, &known, other, &sql);
		call_with_tables(k, &known, other);
		call_without_tables(k, &known, other, &sql);
		call_with_tables(k, &known, other);
		store_close(known.store);
	}
	store_sql_close(&sql);
	a_call_that_is_refused_is_reported(&known, &tools, path, other);
	store_prepared_free(known.prepared);
	store_close(other);
	free(known.link);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		scratch_test(a_statement_that_fails_is_reported),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
