/*
 * How the database runs each statement of the store: by an index, however large the table is. The
 * statements that read all of a table are listed here, with the reason. PostgreSQL is asked where
 * PROFLLM_TEST_POSTGRES names a server (tests/scenario/dash/test_postgres.py).
 */
#include "store/db/sql.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/buf.h"
#include "base/text.h"
#include "unit/base/scratch.h"
#include "unit/store/stores.h"

static const struct {
	const char *name;
	const char *table;
	const char *why;
} scans[] = {
#define ONE_ROW    "one row"
#define BOUNDED    "the number of rows has a limit"
#define QUEUE_ONLY "an index that has only what is queued"
	{ "sql_count_change", "store_state", ONE_ROW },
	{ "sql_count_change", "store_form", ONE_ROW },
	{ "sql_count_change", "pragma_user_version", ONE_ROW },
	{ "sql_set_point", "store_state", ONE_ROW },
	{ "sql_get_point", "store_state", ONE_ROW },
	{ "sql_get_point", "store_form", ONE_ROW },
	{ "sql_get_point", "pragma_user_version", ONE_ROW },
	{ "sql_get_database", "store_state", ONE_ROW },
	{ "sql_get_place", "store_state", ONE_ROW },
	{ "sql_name_database", "store_state", ONE_ROW },
	{ "sql_is_loaded", "store_state", ONE_ROW },
	{ "sql_set_version", "store_state", ONE_ROW },
	{ "store_sql_get_version", "store_state", ONE_ROW },
	{ "sql_note_pruned", "store_state", ONE_ROW },
	{ "sql_get_pruned", "store_state", ONE_ROW },
	{ "sql_get_changed", "s", ONE_ROW },
	{ "sql_get_changed", "store_state", ONE_ROW },
	{ "sql_count", "benchmark_runs", "counts all, for /health and commands" },
	{ "sql_get_status", "store_state", ONE_ROW },
	{ "sql_count_deleted", "benchmark_runs", "for metrics, after changes, at most every 30 s" },
	{ "sql_list_deleted", "r", "prune" },
	{ "sql_list_deleted", "o", "prune" },
	{ "sql_list_deleted", "n", "prune" },
	{ "sql_list_all_deleted", "benchmark_runs", "prune" },
	{ "sql_list_ids", "benchmark_runs", "after prune" },
	{ "sql_note_rows_pruned", "store_state", ONE_ROW },
	{ "sql_list_holds", "holds", BOUNDED },
	{ "sql_list_holds", "holds_pkey", BOUNDED },
	{ "sql_count_holds", "holds", BOUNDED },
	{ "sql_count_holds", "holds_pkey", BOUNDED },
	{ "sql_forget_unclaimed", "artifacts", "prune" },
	{ "sql_forget_unclaimed", "n", "prune" },
	{ "sql_forget_unclaimed", "r", "prune, with a hash of all run IDs" },
	{ "sql_forget_jobs", "jobs", BOUNDED },
	{ "sql_close_old_jobs", "job_parts_job_queued", QUEUE_ONLY },
	{ "sql_forget_old_bytes", "jobs", BOUNDED },
	{ "sql_forget_old_bytes", "job_bytes", "of jobs, which have a limit, and rarely" },
	{ "sql_forget_old_parts", "job_parts", "of jobs, which have a limit, and rarely" },
	{ "sql_forget_old_parts", "jobs", BOUNDED },
	{ "sql_list_jobs", "jobs", BOUNDED },
	{ "sql_count_jobs", "jobs", BOUNDED },
	{ "sql_count_jobs", "jobs_state", BOUNDED },
	{ "sql_next_part", "p", QUEUE_ONLY },
	{ "sql_next_retry", "i", QUEUE_ONLY },
	{ "sql_add_items", "json_each", "the names that the statement is given" },
	{ "sql_count_views", "views", BOUNDED },
	{ "sql_count_views", "views_bytes", BOUNDED },
	{ "sql_count_views", "views_created_by", BOUNDED },
	{ "sql_list_sweeps", "sweeps", BOUNDED },
	{ "sql_count_other_sweeps", "sweeps", BOUNDED },
	{ "sql_count_other_sweeps", "sweeps_pkey", BOUNDED },
	{ "sql_list_presets", "presets", BOUNDED },
	{ "sql_list_baselines", "baselines", BOUNDED },
	{ "sql_list_baselines", "baselines_pkey", BOUNDED },
	{ "sql_count_other_baselines", "baselines", BOUNDED },
	{ "sql_count_other_baselines", "baselines_pkey", BOUNDED },
	{ "sql_count_other_baselines", "baselines_name_key", BOUNDED },
	{ "sql_count_decisions", "decisions", BOUNDED },
	{ "sql_count_decisions", "decisions_pkey", BOUNDED },
	{ "sql_count_decisions", "decisions_series", BOUNDED },
	{ "sql_count_annotations", "annotations", BOUNDED },
	{ "sql_count_annotations", "annotations_pkey", BOUNDED },
	{ "sql_newest_watch_state", "watch_states", "one row, by the index of ids" },
	{ "sql_list_watch_news", "w", BOUNDED },
	{ "sql_clear_default_preset", "presets", BOUNDED },
	{ "sql_get_restored_at", "store_state", ONE_ROW },
	{ "sql_add_token", "store_state", ONE_ROW },
	{ "sql_add_token", "store_marks", "16,384 rows, with each column snapshot" },
	{ "sql_expire_sessions", "sessions", BOUNDED },
	{ "sql_limit_sessions", "sessions", BOUNDED },
	{ "sql_list_sessions", "sessions", BOUNDED },
#define SEGMENTS "one row per 256 results"
	{ "sql_list_forms", "field_forms", BOUNDED },
	{ "sql_find_form", "field_forms", BOUNDED },
	{ "sql_segments_with", "field_segments", SEGMENTS },
	{ "sql_list_segments", "field_segments", SEGMENTS },
	{ "sql_all_segments", "field_segments", SEGMENTS },
	{ "sql_drop_segments_of_form", "field_segments", SEGMENTS },
	{ "sql_all_rows", "field_rows", "rows that are not combined yet: some hundred" },
	{ "sql_all_rows", "field_rows_form", "the same, by its index" },
	{ "sql_all_ids", "benchmark_documents", "once, in the background at start" },
	{ "sql_any_result", "benchmark_documents", "its first row" },
};

static bool may_scan(const char *name, const char *table)
{
	for (size_t i = 0; i < PL_ARRAY_SIZE(scans); i++) {
		if (strcmp(scans[i].name, name) == 0 && strcmp(scans[i].table, table) == 0)
			return true;
	}
	return false;
}

/* Runs one statement and hands out each row's text in `column`. */
static void each_row(struct store_sql *sql, const char *text, int column,
		     void (*take)(void *data, const char *line), void *data)
{
	struct store_stmt *statement = NULL;
	struct pl_err err = PL_ERR_INIT;
	bool is_row = true;

	if (store_sql_prepare(sql, text, &statement, &err) < 0)
		fail_msg("%s: %s", text, err.text);
	while (is_row) {
		if (store_sql_step(statement, &is_row, &err) < 0)
			fail_msg("%s: %s", text, err.text);
		if (is_row)
			take(data, store_sql_text(statement, column));
	}
	store_sql_drop(statement);
}

struct look {
	const char *name;
	const char *text;
	const char *const *marks; /* the words before a table that is read whole */
	char table[64];           /* read by an index, and no line gave its condition yet */
	size_t faults;
};

static void note_scan(struct look *look, const char *table, const char *line)
{
	if (may_scan(look->name, table))
		return;
	print_error("statement %s reads all of '%s': %s\n    %.100s\n", look->name, table, line,
		    look->text);
	look->faults++;
}

/* PostgreSQL calls a walk through a whole index an index scan, too, but gives it no condition. */
static void end_index_scan(struct look *look)
{
	if (look->table[0] != '\0')
		note_scan(look, look->table, "by an index, without a condition");
	look->table[0] = '\0';
}

/* "Index Scan using i on jobs j  (cost=…": the last word before the costs, as "SCAN j" of SQLite. */
static bool begins_index_scan(const char *line, char *table, size_t room)
{
	static const char *const words[] = { "Index Scan", "Index Only Scan" };
	const char *end = strstr(line, "  (cost=");
	const char *begin = end;

	while (begin != NULL && begin > line && begin[-1] != ' ')
		begin--;
	for (size_t i = 0; begin != NULL && i < PL_ARRAY_SIZE(words); i++) {
		if (strstr(line, words[i]) == NULL)
			continue;
		snprintf(table, room, "%.*s", (int)(end - begin), begin);
		return true;
	}
	return false;
}

static void take_line(void *data, const char *line)
{
	struct look *look = data;
	char table[64];

	for (size_t i = 0; look->marks[i] != NULL; i++) {
		const char *scan = strstr(line, look->marks[i]);
		if (scan != NULL && sscanf(scan + strlen(look->marks[i]), "%63s", table) == 1)
			note_scan(look, table, line);
	}
	if (strstr(line, "Index Cond:") != NULL)
		look->table[0] = '\0';
	if (strstr(line, "(cost=") != NULL) {
		end_index_scan(look);
		if (!begins_index_scan(line, look->table, sizeof(look->table)))
			look->table[0] = '\0';
	}
}

static size_t look_at(struct store_sql *sql, const struct store_statement *which,
		      const char *requested, int column, const char *const *marks)
{
	struct look look = { .name = which->name,
			     .text = store_sql_statement_text(sql, which),
			     .marks = marks };

	each_row(sql, requested, column, take_line, &look);
	end_index_scan(&look);
	return look.faults;
}

static void make_store(const char *path)
{
	auto_tools tools = { .fields = NULL };

	tools_init(&tools);
	struct store *store = open_store(&tools, path, true, true);
	(void)put_text(&tools, store, FLAT);
	store_close(store);
}

static void test_store_plans__sqlite(void **state)
{
	static const char *const marks[] = { "SCAN ", NULL };
	const char *path = scratch_path(*state, "a.db");
	struct store_sql sql = { 0 };
	struct pl_err err = PL_ERR_INIT;
	size_t faults = 0;

	/* the whole library is linked (tests/CMakeLists.txt), not only what this test calls */
	assert_true(STORE_STATEMENT_COUNT > 90);
	make_store(path);
	if (store_sql_open(&sql, path, false, &err) < 0)
		fail_msg("%s", err.text);
	for (const struct store_statement *which = __start_store_statements;
	     which < __stop_store_statements; which++) {
		auto_free char *requested = pl_asprintf("EXPLAIN QUERY PLAN %s",
							store_sql_statement_text(&sql, which));
		faults += look_at(&sql, which, requested, 3, marks);
	}
	store_sql_close(&sql);
	assert_int_equal(faults, 0);
}

/* "EXPLAIN EXECUTE p (NULL, NULL)": the number of parameters is the largest in the text. */
static char *execute_text(const char *statement)
{
	auto_buf text = PL_BUF(10000);
	int count = 0;

	for (const char *at = strchr(statement, '?'); at != NULL; at = strchr(at + 1, '?')) {
		int number = atoi(at + 1);
		count = number > count ? number : count;
	}
	pl_buf_add_text(&text, "EXPLAIN EXECUTE p");
	for (int i = 0; i < count; i++)
		pl_buf_addf(&text, "%sNULL", i == 0 ? " (" : ", ");
	pl_buf_add_text(&text, count > 0 ? ")" : "");
	return pl_buf_take(&text);
}

static char *with_dollars(const char *statement)
{
	char *text = pl_strdup(statement);

	for (char *at = strchr(text, '?'); at != NULL; at = strchr(at + 1, '?'))
		*at = '$';
	return text;
}

/* A table with one page is read whole for its size, so PostgreSQL gets the size of a million rows. */
#define MANY_ROWS                                                                                \
	"UPDATE pg_class SET reltuples = 1000000, relpages = 1 WHERE relkind = 'r' AND relname " \
	"IN ('benchmark_runs', 'benchmark_documents')"

static void test_store_plans__postgresql(void **state)
{
	static const char *const marks[] = { "Seq Scan on ", NULL };
	const char *address = getenv("PROFLLM_TEST_POSTGRES");
	struct store_sql sql = { 0 };
	struct pl_err err = PL_ERR_INIT;
	size_t faults = 0;

	(void)state;
	if (address == NULL)
		skip();
	make_store(address);
	if (store_sql_open(&sql, address, false, &err) < 0 ||
	    store_sql_run(&sql, MANY_ROWS, &err) < 0 ||
	    store_sql_run(&sql, "SET enable_seqscan = off", &err) < 0 ||
	    store_sql_run(&sql, "SET plan_cache_mode = force_generic_plan", &err) < 0)
		fail_msg("%s", err.text);
	for (const struct store_statement *which = __start_store_statements;
	     which < __stop_store_statements; which++) {
		const char *text = store_sql_statement_text(&sql, which);
		auto_free char *dollars = with_dollars(text);
		auto_free char *prepare = pl_asprintf("PREPARE p AS %s", dollars);
		auto_free char *execute = execute_text(text);
		if (store_sql_run(&sql, prepare, &err) < 0)
			fail_msg("%s: %s", text, err.text);
		faults += look_at(&sql, which, execute, 0, marks);
		if (store_sql_run(&sql, "DEALLOCATE p", &err) < 0)
			fail_msg("%s", err.text);
	}
	store_sql_close(&sql);
	assert_int_equal(faults, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		scratch_test(test_store_plans__sqlite),
		scratch_test(test_store_plans__postgresql),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
