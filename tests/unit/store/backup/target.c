/* The list of tables that a backup copies, and sets of artifacts. */
#include "store/backup/target.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/file.h"
#include "base/text.h"
#include "store/db/sql.h"
#include "store/db/tables.h"
#include "unit/base/scratch.h"
#include "unit/store/stores.h"

static bool is_listed(const char *table)
{
	for (size_t i = 0; store_tables[i] != NULL; i++) {
		if (strcmp(store_tables[i], table) == 0)
			return true;
	}
	return false;
}

/* A table that is missing in the list would be in no archive of PostgreSQL. */
static void test_store_backup_target__every_table_is_listed(void **state)
{
	auto_tools tools = { 0 };
	auto_statement tables = NULL;
	struct store_sql sql = { 0 };
	struct pl_err err = PL_ERR_INIT;
	char path[SCRATCH_PATH];
	bool is_row = true;
	size_t count = 0, listed = 0;

	(void)state;
	scratch_folder(path);
	strcat(path, "/t.db");
	tools_init(&tools);
	store_close(open_store(&tools, path, false, false));
	assert_int_equal(store_sql_open(&sql, path, false, &err), 0);
	assert_int_equal(store_sql_prepare(&sql,
					   "SELECT name FROM sqlite_schema WHERE type = 'table'"
					   " AND name NOT LIKE 'sqlite_%'",
					   &tables, &err),
			 0);
	for (;; count++) {
		assert_int_equal(store_sql_step(tables, &is_row, &err), 0);
		if (!is_row)
			break;
		if (!is_listed(store_sql_text(tables, 0)))
			fail_msg("'%s' is missing in store_tables", store_sql_text(tables, 0));
	}
	while (store_tables[listed] != NULL)
		listed++;
	/* benchmark_texts and store_form are PostgreSQL's */
	assert_int_equal(count + 2, listed);
	store_sql_drop(pl_take(tables));
	store_sql_close(&sql);
}

static void test_store_backup_target__a_set_has_each_artifact_once(void **state)
{
	static const char hex[] = "0123456789abcdef";
	char path[SCRATCH_PATH];
	auto_target_set set = { 0 };
	struct pl_err err = PL_ERR_INIT;
	auto_buf text = PL_BUF(1 << 20);
	char sha256[STORE_SHA256_LEN + 1];

	(void)state;
	scratch_folder(path);
	strcat(path, "/list");
	for (size_t i = 0; i < 1000; i++) {
		for (size_t at = 0; at < STORE_SHA256_LEN; at++)
			sha256[at] = hex[(i * 7 + at * (i % 13)) % 16];
		sha256[STORE_SHA256_LEN] = '\0';
		pl_buf_addf(&text, "%s %zu\n", sha256, i);
	}
	assert_int_equal(pl_file_write(path, text.data, text.len, &err), 0);
	assert_int_equal(store_target_set_add(path, &set, &err), 0);
	assert_int_equal(store_target_set_add(path, &set, &err), 0);
	assert_int_equal(set.count, 2000);
	store_target_set_sort(&set);
	for (size_t i = 0; i < set.count; i++) {
		store_target_set_hex(&set.items[i], sha256);
		assert_true(store_target_set_has(&set, sha256));
		assert_true(i == 0 || memcmp(set.items[i - 1].sha256, set.items[i].sha256, 32) < 0);
	}
	/* 13 patterns with 16 first digits: i modulo 208 */
	assert_int_equal(set.count, 208);
	memset(sha256, 'e', STORE_SHA256_LEN - 1);
	assert_false(store_target_set_has(&set, sha256));
	assert_int_equal(pl_file_write(path, "x\n", 2, &err), 0);
	assert_int_equal(store_target_set_add(path, &set, &err), -1);
	assert_non_null(strstr(err.text, "line 1: expected a SHA-256 and a size in bytes"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_store_backup_target__every_table_is_listed),
		cmocka_unit_test(test_store_backup_target__a_set_has_each_artifact_once),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
