/*
 * A column snapshot of a database that is replaced at each moment at which the file and the database could part: while the
 * file is written, and after its token was found and before the first changes are read.
 */
#include "store/column_snapshot/column_snapshot.h"

#include "request_contract.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <cmocka.h>

#include "base/text.h"
#include "mirror/image/image.h"
#include "query/query.h"
#include "store/column_snapshot/column_snapshot_priv.h"
#include "store/status.h"
#include "unit/base/scratch.h"
#include "unit/store/stores.h"

#define RESULTS 3

/* Statements to run on a database once an image was written or read. */
static const char *hook_path;
static const char *hook_sql;

int __real_mirror_image_write(const struct mirror_snapshot *snapshot,
			      const struct mirror_image_head *head, int fd, const atomic_bool *stop,
			      struct pl_err *err);
int __wrap_mirror_image_write(const struct mirror_snapshot *snapshot,
			      const struct mirror_image_head *head, int fd, const atomic_bool *stop,
			      struct pl_err *err);
int __real_mirror_image_read(struct mirror *mirror, int fd, unsigned threads, struct pl_err *err);
int __wrap_mirror_image_read(struct mirror *mirror, int fd, unsigned threads, struct pl_err *err);

static void change(const char *path, const char *sql)
{
	struct store_sql other = { 0 };
	struct pl_err err = PL_ERR_INIT;

	if (store_sql_open(&other, path, false, &err) < 0 || store_sql_run(&other, sql, &err) < 0)
		fail_msg("%s: %s", sql, err.text);
	store_sql_close(&other);
}

static void happen(void)
{
	if (hook_sql != NULL)
		change(hook_path, hook_sql);
	hook_sql = NULL;
}

int __wrap_mirror_image_write(const struct mirror_snapshot *snapshot,
			      const struct mirror_image_head *head, int fd, const atomic_bool *stop,
			      struct pl_err *err)
{
	int result = __real_mirror_image_write(snapshot, head, fd, stop, err);

	happen();
	return result;
}

int __wrap_mirror_image_read(struct mirror *mirror, int fd, unsigned threads, struct pl_err *err)
{
	int result = __real_mirror_image_read(mirror, fd, threads, err);

	happen();
	return result;
}

static struct store *open_with_snapshot(const struct tools *tools, const char *path)
{
	const struct store_options options = { .path = path,
					       .fields = tools->fields,
					       .with_columns = true,
					       .with_column_snapshot = true };
	struct pl_err err = PL_ERR_INIT;
	struct store *store = NULL;

	if (store_open(&options, &store, &err) < 0)
		fail_msg("%s", err.text);
	return store;
}

static void fill(const struct tools *tools, const char *path)
{
	auto_store struct store *store = open_store(tools, path, true, false);

	for (int i = 0; i < RESULTS; i++) {
		auto_free char *text = pl_asprintf("{'run_id': 'r%d', 'suite': 'former'}", i);
		assert_int_equal(put_text(tools, store, text).outcome, STORE_STORED);
	}
}

/* Returns the data version of the file; -1: it was not written. */
static int64_t save(const struct tools *tools, const char *path, const char *sql)
{
	auto_store struct store *store = open_with_snapshot(tools, path);
	struct pl_err err = PL_ERR_INIT;

	hook_path = path;
	hook_sql = sql;
	if (store_column_snapshot_save(store, &err) == 0)
		return store->column_snapshot->version;
	if (err.code != PL_ERR_BUSY || strstr(err.text, "replaced") == NULL)
		fail_msg("%s: %s", sql, err.text);
	assert_int_equal(access(store->column_snapshot->path, F_OK), -1);
	assert_int_equal(access(store->column_snapshot->temporary, F_OK), -1);
	return -1;
}

static int64_t number(const char *path, const char *sql)
{
	struct store_sql other = { 0 };
	struct store_stmt *statement = NULL;
	struct pl_err err = PL_ERR_INIT;
	int64_t found = -1;

	if (store_sql_open(&other, path, false, &err) < 0 ||
	    store_sql_prepare(&other, sql, &statement, &err) < 0 ||
	    store_sql_number(statement, &found, &err) < 0)
		fail_msg("%s: %s", sql, err.text);
	store_sql_drop(statement);
	store_sql_close(&other);
	return found;
}

static void test_store_column_snapshot__a_token_is_of_present_data(void **state)
{
	/* a dump of an earlier version was loaded, one of a later version, and one of the same version */
	static const char *const replaced[] = {
		"UPDATE store_state SET data_version = data_version - 1",
		("UPDATE store_state SET data_version = data_version + 5, "
		 "restored = data_version + 5"),
		"UPDATE store_marks SET mark = mark + 1",
		"DELETE FROM store_marks",
		"DELETE FROM store_state",
	};
	auto_tools tools = { .fields = NULL };

	tools_init(&tools);
	for (size_t i = 0; i < PL_ARRAY_SIZE(replaced); i++) {
		char name[16];
		snprintf(name, sizeof(name), "%zu.db", i);
		auto_free char *path = pl_strdup(scratch_path(*state, name));
		fill(&tools, path);
		assert_int_equal(save(&tools, path, replaced[i]), -1);
		assert_int_equal(number(path, "SELECT count(*) FROM column_snapshots"), 0);
	}
	/* later changes of the same data */
	auto_free char *path = pl_strdup(scratch_path(*state, "later.db"));
	fill(&tools, path);
	int64_t version = number(path, "SELECT data_version FROM store_state");
	assert_int_equal(save(&tools, path,
			      "UPDATE store_state SET data_version = data_version + 1,"
			      " commits = commits + 1, mark = 77;"
			      "INSERT INTO store_marks (slot, mark) VALUES (16000, 77)"),
			 version);
	assert_int_equal(number(path, "SELECT data_version FROM column_snapshots"), version);
}

/* Returns how many results in memory have this suite. */
static int64_t count_suite(struct store *store, const char *suite)
{
	auto_json json_t *request = json_pack("{s:{s:s, s:s, s:s}}", "filter", "field", "run.suite",
					      "op", "eq", "value", suite);
	auto_json json_t *answer = NULL;
	auto_schema_faults faults = { 0 };
	auto_snapshot struct mirror_snapshot *snapshot = NULL;
	auto_buf text = PL_BUF(1u << 20);
	struct pl_err err = PL_ERR_INIT;

	assert_true(request_fits(REQUEST_APPLY, request, &faults));
	if (store_snapshot_get(store, &snapshot, &err) < 0 ||
	    query_apply(snapshot, request, &text, &faults, &err) < 0)
		fail_msg("%s", err.text);
	answer = json_loadb(text.data, text.len, 0, NULL);
	assert_non_null(answer);
	return json_integer_value(json_object_get(answer, "count"));
}

/* Opens the store, with a change after the file was read, and expects results from the file and from the database. */
static void assert_start(const struct tools *tools, const char *path, const char *sql,
			 int64_t from_snapshot, int64_t from_database)
{
	hook_path = path;
	hook_sql = sql;
	auto_store struct store *store = open_with_snapshot(tools, path);
	struct store_memory_state state = store_memory_state(store);
	int64_t others = number(path, "SELECT count(*) FROM benchmark_runs WHERE deleted = 0 AND "
				      "\"run.suite\" = 'other'");

	assert_null(hook_sql);
	assert_int_equal(state.from_snapshot, from_snapshot);
	assert_int_equal(state.from_database, from_database);
	assert_int_equal(count_suite(store, "other"), others);
	assert_int_equal(count_suite(store, "former"), RESULTS - others);
	/* a file that does not fit is to be written again at the next change */
	assert_int_equal(store->column_snapshot->version == COLUMN_SNAPSHOT_NONE,
			 from_snapshot == 0);
}

static void test_store_column_snapshot__is_checked_again_with_the_changes(void **state)
{
	/* other data, without a change number that a reader of changes would find */
	static const char other[] =
		"UPDATE benchmark_runs SET \"run.suite\" = 'other' WHERE id = 2;";
	static const char *const replaced[] = {
		"DELETE FROM column_snapshots",
		"UPDATE column_snapshots SET data_version = data_version + 1",
		"UPDATE store_state SET data_version = data_version - 1",
		("UPDATE store_state SET data_version = data_version + 1, "
		 "restored = data_version + 1"),
	};
	auto_tools tools = { .fields = NULL };

	tools_init(&tools);
	for (size_t i = 0; i < PL_ARRAY_SIZE(replaced); i++) {
		char name[16];
		snprintf(name, sizeof(name), "%zu.db", i);
		auto_free char *path = pl_strdup(scratch_path(*state, name));
		auto_free char *sql = pl_asprintf("%s%s", other, replaced[i]);
		fill(&tools, path);
		assert_true(save(&tools, path, NULL) > 0);
		assert_start(&tools, path, sql, 0, RESULTS);
	}
	/* a change of the same data is read, and only it */
	auto_free char *path = pl_strdup(scratch_path(*state, "later.db"));
	fill(&tools, path);
	assert_true(save(&tools, path, NULL) > 0);
	assert_start(&tools, path,
		     "UPDATE store_state SET data_version = data_version + 1;"
		     "UPDATE benchmark_runs SET \"run.suite\" = 'other', changed ="
		     " (SELECT data_version FROM store_state) WHERE id = 2",
		     RESULTS, 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		scratch_test(test_store_column_snapshot__a_token_is_of_present_data),
		scratch_test(test_store_column_snapshot__is_checked_again_with_the_changes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
