#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <strings.h>
#include <cmocka.h>

#include "mirror/view.h"
#include "store/db/sql.h"
#include "store/memory_rows_priv.h"
#include "unit/base/scratch.h"
#include "unit/store/stores.h"

#define SEED                                                                        \
	"{'run_id': '%d', 'schema_version': 1, 'config': {'server': {'seed': %d}, " \
	"'server_source': {'seed': 'explicit'}}}"

/* Undoes the migration steps after the first one. */
#define OLDER                                                                                      \
	"DROP VIEW benchmark_results;"                                                             \
	"DROP TABLE document_places; DROP TABLE presets; DROP TABLE views; DROP TABLE artifacts; " \
	"DROP TABLE dictionaries; DROP TABLE sweeps; DROP TABLE decisions;"                        \
	"DROP TABLE annotations; DROP TABLE watch_states; DROP TABLE watches; DROP TABLE prices;"  \
	"DROP TABLE baselines; DROP TABLE job_files; DROP TABLE job_parts; DROP TABLE job_bytes;"  \
	"DROP TABLE benchmark_edits; DROP TABLE benchmark_changes;"                                \
	"DROP INDEX job_items_again; DROP INDEX benchmark_runs_near;"                              \
	"DROP INDEX benchmark_runs_content;"                                                       \
	"CREATE UNIQUE INDEX benchmark_runs_content ON benchmark_runs (content_sha256);"           \
	"ALTER TABLE benchmark_runs DROP COLUMN deleted;"                                          \
	"ALTER TABLE benchmark_runs DROP COLUMN repeat;"                                           \
	"ALTER TABLE benchmark_runs DROP COLUMN upload;"                                           \
	"ALTER TABLE benchmark_runs DROP COLUMN near_key;"                                         \
	"ALTER TABLE benchmark_runs DROP COLUMN near_inputs;"                                      \
	"ALTER TABLE benchmark_runs DROP COLUMN near;"                                             \
	"ALTER TABLE jobs DROP COLUMN author; ALTER TABLE job_items DROP COLUMN chosen_by;"        \
	"ALTER TABLE job_items DROP COLUMN expected;"                                              \
	"ALTER TABLE jobs DROP COLUMN on_known;"                                                   \
	"ALTER TABLE jobs DROP COLUMN expected_files;"                                             \
	"ALTER TABLE jobs DROP COLUMN expected_bytes;"                                             \
	"ALTER TABLE jobs DROP COLUMN received_files;"                                             \
	"ALTER TABLE jobs DROP COLUMN received_bytes;"                                             \
	"ALTER TABLE jobs ADD COLUMN media TEXT;"                                                  \
	"ALTER TABLE jobs ADD COLUMN expected INTEGER;"                                            \
	"ALTER TABLE jobs ADD COLUMN bytes BLOB;"                                                  \
	"ALTER TABLE job_items DROP COLUMN part;"                                                  \
	"ALTER TABLE job_items DROP COLUMN secrets;"                                               \
	"ALTER TABLE job_items DROP COLUMN near;"                                                  \
	"ALTER TABLE job_items DROP COLUMN is_deleted;"                                            \
	"ALTER TABLE job_items DROP COLUMN choice;"                                                \
	"ALTER TABLE job_items DROP COLUMN bytes;"                                                 \
	"ALTER TABLE job_items DROP COLUMN content;"                                               \
	"DROP TABLE sessions; DROP TABLE holds; ALTER TABLE store_state DROP COLUMN restored;"     \
	"ALTER TABLE store_state DROP COLUMN pruned;"                                              \
	"DROP TABLE field_chunks; DROP TABLE field_segments; DROP TABLE field_rows;"               \
	"DROP TABLE field_forms; DROP TABLE store_marks;"                                          \
	"ALTER TABLE store_state DROP COLUMN database_id;"                                         \
	"ALTER TABLE store_state DROP COLUMN epoch; ALTER TABLE store_state DROP COLUMN mark;"     \
	"ALTER TABLE store_state DROP COLUMN commits; DROP TABLE column_snapshots;"

static void run_sql(const char *path, const char *text)
{
	struct store_sql sql = { 0 };
	struct pl_err err = PL_ERR_INIT;

	if (store_sql_open(&sql, path, true, &err) < 0 || store_sql_run(&sql, text, &err) < 0)
		fail_msg("%s", err.text);
	store_sql_close(&sql);
}

/* The only value of a query, as text; free(). */
static char *ask_sql(const char *path, const char *text)
{
	struct store_sql sql = { 0 };
	struct pl_err err = PL_ERR_INIT;
	struct store_stmt *statement = NULL;
	bool is_row = false;

	if (store_sql_open(&sql, path, false, &err) < 0 ||
	    store_sql_prepare(&sql, text, &statement, &err) < 0 ||
	    store_sql_step(statement, &is_row, &err) < 0)
		fail_msg("%s", err.text);
	char *answer = pl_strdup(is_row ? store_sql_text(statement, 0) : NULL);
	store_sql_drop(statement);
	store_sql_close(&sql);
	return answer;
}

static void assert_sql(const char *path, const char *text, const char *expected)
{
	auto_free char *answer = ask_sql(path, text);

	assert_non_null(answer);
	assert_string_equal(answer, expected);
}

static void fill(const struct tools *tools, const char *path, int count)
{
	auto_store struct store *store = open_store(tools, path, false, false);

	for (int i = 1; i <= count; i++) {
		/* of another kind, so that it is packed by itself, as all once were */
		auto_free char *text = pl_asprintf("%s" SEED, i % 2 == 0 ? "\n" : "", i, i);
		put_text(tools, store, text);
	}
}

static void test_store_migrate__refuses_a_newer_file(void **state)
{
	auto_tools tools = { .fields = NULL };
	struct pl_err err = PL_ERR_INIT;
	struct store *store = NULL;

	tools_init(&tools);
	const char *path = scratch_path(*state, "a.db");
	fill(&tools, path, 1);
	run_sql(path, "PRAGMA user_version = 99; ALTER TABLE jobs RENAME TO work;");
	struct store_options options = { .path = path, .fields = tools.fields };
	assert_int_equal(store_open(&options, &store, &err), -1);
	assert_int_equal(err.code, PL_ERR_INVALID);
	assert_non_null(strstr(
		err.text, "was written by a newer version: found database format 99, expected"));
	/* and left as it is */
	assert_sql(path, "PRAGMA user_version", "99");
	assert_sql(path, "SELECT count(*) FROM work", "0");
}

static void test_store_migrate__leaves_other_programs_files_alone(void **state)
{
	static const char *const texts[] = {
		"CREATE TABLE mine (a)",
		"PRAGMA application_id = 5",
	};
	auto_tools tools = { .fields = NULL };

	tools_init(&tools);
	for (size_t i = 0; i < PL_ARRAY_SIZE(texts); i++) {
		struct pl_err err = PL_ERR_INIT;
		struct store *store = NULL;
		const char *path = scratch_path(*state, i == 0 ? "0.db" : "1.db");
		run_sql(path, texts[i]);
		struct store_options options = { .path = path, .fields = tools.fields };
		assert_int_equal(store_open(&options, &store, &err), -1);
		assert_non_null(strstr(err.text, "is the database of another program"));
		assert_sql(path, "SELECT count(*) FROM sqlite_schema", i == 0 ? "1" : "0");
		assert_sql(path, "PRAGMA journal_mode", "delete");
	}
}

/* A program that is older than the rows has made the file: it knew nothing of a field that its documents
 * have. */
static void test_store_migrate__new_columns_have_old_values(void **state)
{
	auto_tools tools = { .fields = NULL };

	tools_init(&tools);
	const char *path = scratch_path(*state, "a.db");
	fill(&tools, path, 3);
	assert_sql(path, "SELECT explicit_fields FROM benchmark_runs WHERE id = 2",
		   "[\"server.seed\"]");
	run_sql(path, "ALTER TABLE benchmark_runs DROP COLUMN \"server.seed\";"
		      "ALTER TABLE benchmark_runs DROP COLUMN \"run.duration\";"
		      "ALTER TABLE benchmark_runs ADD COLUMN \"of.another\";"
		      "UPDATE benchmark_runs SET explicit_fields = '[\"of.another\"]', "
		      "\"of.another\" = 5");
	fill(&tools, path, 4);
	assert_sql(path, "SELECT group_concat(\"server.seed\") FROM benchmark_runs", "1,2,3,4");
	assert_sql(path, "SELECT count(*) FROM benchmark_runs WHERE \"run.duration\" IS NULL", "4");
	/* what this program knows nothing of stays */
	assert_sql(path, "SELECT count(\"of.another\") FROM benchmark_runs", "3");
	assert_sql(path, "SELECT explicit_fields FROM benchmark_runs WHERE id = 2",
		   "[\"server.seed\"]");
	/* a process that has the columns in memory takes the changed rows in */
	assert_sql(path, "SELECT group_concat(changed) FROM benchmark_runs", "4,5,6,7");
	assert_sql(path, "SELECT data_version FROM store_state", "7");
}

static void test_store_migrate__a_broken_document_keeps_nobody_away(void **state)
{
	auto_tools tools = { .fields = NULL };

	tools_init(&tools);
	const char *path = scratch_path(*state, "a.db");
	fill(&tools, path, 3);
	run_sql(path, "ALTER TABLE benchmark_runs DROP COLUMN \"server.seed\";"
		      "UPDATE benchmark_documents SET bytes = x'00' WHERE id = 2");
	fill(&tools, path, 4);
	assert_sql(path,
		   "SELECT group_concat(coalesce(\"server.seed\", 'none')) FROM benchmark_runs",
		   "1,none,3,4");
}

/* Its places were not written down when its documents came. */
static void test_store_migrate__old_documents_have_places(void **state)
{
	auto_tools tools = { .fields = NULL };

	tools_init(&tools);
	const char *path = scratch_path(*state, "a.db");
	fill(&tools, path, 2);
	auto_free char *before = ask_sql(path, "SELECT group_concat(place) FROM document_places");
	assert_non_null(strstr(before, "config.server_source.seed"));
	run_sql(path, OLDER "PRAGMA user_version = 1");
	fill(&tools, path, 2);
	assert_sql(path, "SELECT group_concat(place) FROM document_places", before);
	/* an unreadable document may have any value, and the others are present nevertheless */
	run_sql(path, OLDER "PRAGMA user_version = 1;"
			    "UPDATE benchmark_documents SET bytes = x'00' WHERE id = 1");
	fill(&tools, path, 2);
	assert_sql(path, "SELECT count(*) FROM document_places WHERE place = ''", "1");
	assert_sql(path,
		   "SELECT count(*) FROM document_places WHERE place ="
		   " 'config.server_source.seed'",
		   "1");
}

static void test_store_migrate__once_only(void **state)
{
	auto_tools tools = { .fields = NULL };

	tools_init(&tools);
	const char *path = scratch_path(*state, "a.db");
	fill(&tools, path, 1);
	auto_free char *before = ask_sql(path, "PRAGMA schema_version");
	fill(&tools, path, 2);
	assert_sql(path, "PRAGMA schema_version", before);
	assert_sql(path, "PRAGMA journal_mode", "wal");
}

/* How SQLite runs the statement that reads rows; free(). */
static char *plan_of(struct tools *tools, const char *path, const char *rest)
{
	struct pl_err err = PL_ERR_INIT;
	struct store_sql sql = { 0 };
	struct store_columns columns = { .fields = tools->fields };
	struct store_stmt *statement = NULL;
	bool is_row = false;

	if (store_sql_open(&sql, path, false, &err) < 0)
		fail_msg("%s", err.text);
	columns.items = mirror_column_fields(tools->fields, &columns.count);
	auto_free char *text = store_memory_rows_text(&sql, &columns, rest);
	auto_free char *requested = pl_asprintf("EXPLAIN QUERY PLAN %s", text);
	if (store_sql_prepare(&sql, requested, &statement, &err) < 0 ||
	    store_sql_step(statement, &is_row, &err) < 0 || !is_row)
		fail_msg("%s", err.text);
	char *plan = pl_strdup(store_sql_text(statement, 3));
	store_sql_drop(statement);
	store_sql_close(&sql);
	return plan;
}

/* A write costs as much in a large table as in a small one: what changed is found by its index. */
static void test_store_migrate__changes_are_read_by_their_index(void **state)
{
	auto_tools tools = { .fields = NULL };

	tools_init(&tools);
	const char *path = scratch_path(*state, "a.db");
	fill(&tools, path, 3);
	auto_free char *changes = plan_of(&tools, path, MEMORY_ROWS_CHANGED);
	assert_string_equal(changes,
			    "SEARCH benchmark_runs USING INDEX benchmark_runs_changed (changed>?)");
	/* the first load reads all of it in the order of its rows */
	auto_free char *all = plan_of(&tools, path, MEMORY_ROWS_ALL);
	assert_string_equal(all, "SCAN benchmark_runs");
}

/* Names of columns ignore case, and are quoted. */
static void test_store_migrate__every_field_can_be_a_column(void **state)
{
	auto_fields struct res_fields *fields = res_fields_new(NULL);
	size_t count;
	const struct res_field *const *columns = mirror_column_fields(fields, &count);

	(void)state;
	assert_in_range(count, 1, 1000);
	for (size_t i = 0; i < count; i++) {
		assert_null(strchr(columns[i]->id, '"'));
		for (size_t k = 0; k < i; k++)
			assert_int_not_equal(strcasecmp(columns[i]->id, columns[k]->id), 0);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		scratch_test(test_store_migrate__refuses_a_newer_file),
		scratch_test(test_store_migrate__leaves_other_programs_files_alone),
		scratch_test(test_store_migrate__changes_are_read_by_their_index),
		scratch_test(test_store_migrate__new_columns_have_old_values),
		scratch_test(test_store_migrate__a_broken_document_keeps_nobody_away),
		scratch_test(test_store_migrate__old_documents_have_places),
		scratch_test(test_store_migrate__once_only),
		cmocka_unit_test(test_store_migrate__every_field_can_be_a_column),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
