/*
 * Checks the contract of store/db/sql.h for each kind of database: an SQLite file, and the
 * PostgreSQL database of PROFLLM_TEST_POSTGRES, if it is set (tests/scenario/dash/test_postgres.py
 * sets it).
 */
#include "store/db/runs.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "base/clock.h"
#include "store/db/driver_priv.h"
#include "unit/base/scratch.h"

static const char *name_of(void **state, bool is_postgres)
{
	const char *address = getenv("PROFLLM_TEST_POSTGRES");

	if (is_postgres && address == NULL)
		skip();
	return is_postgres ? address : scratch_path(*state, "a.db");
}

static void open_sql(struct store_sql *sql, const char *name, enum store_sql_access access)
{
	struct pl_err err = PL_ERR_INIT;

	if (store_sql_open(sql, name, true, &err) < 0 || store_sql_use(sql, access, &err) < 0)
		fail_msg("%s", err.text);
}

static void run(struct store_sql *sql, const char *text)
{
	struct pl_err err = PL_ERR_INIT;

	if (store_sql_run(sql, text, &err) < 0)
		fail_msg("%s", err.text);
}

static int64_t ask(struct store_sql *sql, const char *text)
{
	struct pl_err err = PL_ERR_INIT;
	auto_statement statement = NULL;
	int64_t number = 0;

	if (store_sql_prepare(sql, text, &statement, &err) < 0 ||
	    store_sql_number(statement, &number, &err) < 0)
		fail_msg("%s", err.text);
	return number;
}

static void make(struct store_sql *sql)
{
	struct pl_err err = PL_ERR_INIT;

	run(sql, "DROP TABLE IF EXISTS things");
	if (store_sql_make(sql,
			   "CREATE TABLE things (id INTEGER PRIMARY KEY AUTOINCREMENT,"
			   " whole INTEGER, number REAL, text TEXT, bytes BLOB, json TEXT JSON)",
			   &err) < 0)
		fail_msg("%s", err.text);
}

#define ADD                                                             \
	"INSERT INTO things (whole, number, text, bytes, json) VALUES " \
	"(?1, ?2, ?3, ?4, ?5) RETURNING id"

static void values_come_back(struct store_sql *sql)
{
	static const char odd[] = "a'\"?1 $1 \xc3\xa9\n";
	static const unsigned char bytes[] = { 0, 1, 0, 255 };
	struct pl_err err = PL_ERR_INIT;
	auto_statement add = NULL;
	auto_statement get = NULL;
	int64_t id = 0;
	struct store_sql_value number;
	bool is_row = false;
	size_t len = 0;

	assert_int_equal(store_sql_prepare(sql, ADD, &add, &err), 0);
	store_sql_bind_i64(add, 1, INT64_MIN);
	store_sql_bind_f64(add, 2, -INFINITY);
	store_sql_bind_text(add, 3, odd);
	store_sql_bind_bytes(add, 4, bytes, sizeof(bytes));
	store_sql_bind_text(add, 5, "[1]");
	assert_int_equal(store_sql_number(add, &id, &err), 0);
	assert_int_equal(id, 1);
	/* what is not bound is null, and so is all that was forgotten */
	store_sql_clear(add);
	store_sql_bind_i64(add, 1, 7);
	assert_int_equal(store_sql_number(add, &id, &err), 0);
	assert_int_equal(id, 2);
	if (store_sql_prepare(sql,
			      "SELECT whole, number, text, bytes, json, '?1' FROM things"
			      " WHERE id <= ?1 ORDER BY id LIMIT ?2",
			      &get, &err) < 0)
		fail_msg("%s", err.text);
	store_sql_bind_i64(get, 1, 9);
	store_sql_bind_i64(get, 2, 5);
	assert_int_equal(store_sql_step(get, &is_row, &err), 0);
	assert_true(is_row);
	assert_true(store_sql_i64(get, 0) == INT64_MIN);
	store_sql_value(get, 1, &number);
	assert_true(number.real == -INFINITY);
	assert_string_equal(store_sql_text(get, 2), odd);
	assert_memory_equal(store_sql_bytes(get, 3, &len), bytes, sizeof(bytes));
	assert_int_equal(len, sizeof(bytes));
	assert_string_equal(store_sql_text(get, 4), "[1]");
	assert_string_equal(store_sql_text(get, 5), "?1");
	assert_int_equal(store_sql_step(get, &is_row, &err), 0);
	assert_int_equal(store_sql_i64(get, 0), 7);
	for (int i = 1; i < 5; i++)
		assert_true(store_sql_is_null(get, i));
	assert_null(store_sql_text(get, 2));
	assert_int_equal(store_sql_step(get, &is_row, &err), 0);
	assert_false(is_row);
	/* and again from the start */
	assert_int_equal(store_sql_step(get, &is_row, &err), 0);
	assert_true(is_row);
}

static void transactions_end(struct store_sql *sql)
{
	struct pl_err err = PL_ERR_INIT;

	assert_int_equal(store_sql_begin(sql, STORE_SQL_WRITE, &err), 0);
	run(sql, "INSERT INTO things (whole) VALUES (100)");
	store_sql_rollback(sql);
	store_sql_rollback(sql);
	assert_int_equal(ask(sql, "SELECT count(*) FROM things WHERE whole = 100"), 0);
	assert_int_equal(store_sql_begin(sql, STORE_SQL_WRITE, &err), 0);
	run(sql, "INSERT INTO things (whole) VALUES (100)");
	assert_int_equal(store_sql_commit(sql, &err), 0);
	assert_int_equal(ask(sql, "SELECT count(*) FROM things WHERE whole = 100"), 1);
	/* a statement that fails is reported, and later statements work */
	assert_int_equal(store_sql_begin(sql, STORE_SQL_WRITE, &err), 0);
	assert_int_equal(store_sql_run(sql, "INSERT INTO things (id) VALUES (1)", &err), -1);
	store_sql_rollback(sql);
	assert_int_equal(ask(sql, "SELECT count(*) FROM things WHERE whole = 100"), 1);
	assert_int_equal(store_sql_run(sql, "SELECT nonsense", &err), -1);
	assert_int_equal(err.code, PL_ERR_INTERNAL);
}

/* More rows than come at a time, while others are written. */
static void cursors_go_on(struct store_sql *sql)
{
	struct pl_err err = PL_ERR_INIT;
	auto_statement all = NULL;
	auto_statement change = NULL;
	bool is_row = true;
	int64_t count = 0, sum = 0;

	run(sql, "DELETE FROM things");
	run(sql,
	    "INSERT INTO things (whole) WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 "
	    "FROM n WHERE i < 1001) SELECT i FROM n");
	assert_int_equal(store_sql_begin(sql, STORE_SQL_WRITE, &err), 0);
	if (store_sql_prepare_cursor(sql,
				     "SELECT whole FROM things WHERE whole > ?1 ORDER BY whole",
				     &all, &err) < 0 ||
	    store_sql_prepare(sql, "UPDATE things SET number = ?1 WHERE whole = ?2", &change,
			      &err) < 0)
		fail_msg("%s", err.text);
	store_sql_bind_i64(all, 1, 1);
	while (store_sql_step(all, &is_row, &err) == 0 && is_row) {
		count++;
		sum += store_sql_i64(all, 0);
		store_sql_bind_f64(change, 1, 0.5);
		store_sql_bind_i64(change, 2, store_sql_i64(all, 0));
		assert_int_equal(store_sql_finish(change, &err), 0);
	}
	assert_int_equal(count, 1000);
	assert_int_equal(sum, 1001 * 1002 / 2 - 1);
	assert_int_equal(store_sql_commit(sql, &err), 0);
	assert_int_equal(ask(sql, "SELECT count(*) FROM things WHERE number = 0.5"), 1000);
}

static void readers_see_one_moment(struct store_sql *writer, struct store_sql *reader)
{
	struct pl_err err = PL_ERR_INIT;

	assert_int_equal(store_sql_begin(reader, STORE_SQL_READ, &err), 0);
	int64_t before = ask(reader, "SELECT count(*) FROM things");
	run(writer, "INSERT INTO things (whole) VALUES (-1)");
	assert_int_equal(ask(reader, "SELECT count(*) FROM things"), before);
	assert_int_equal(store_sql_commit(reader, &err), 0);
	assert_int_equal(ask(reader, "SELECT count(*) FROM things"), before + 1);
	/* and write nothing */
	assert_int_equal(store_sql_run(reader, "DELETE FROM things", &err), -1);
	assert_int_equal(ask(reader, "SELECT count(*) FROM things"), before + 1);
}

static void forms_are_kept(struct store_sql *sql)
{
	struct pl_err err = PL_ERR_INIT;
	int64_t form = 0;

	assert_int_equal(store_sql_begin(sql, STORE_SQL_WRITE, &err), 0);
	assert_int_equal(store_sql_set_form(sql, 42, &err), 0);
	assert_int_equal(store_sql_commit(sql, &err), 0);
	assert_int_equal(store_sql_get_form(sql, &form, &err), 0);
	assert_int_equal(form, 42);
}

static void jobs_have_one_owner(struct store_sql *sql, const char *name)
{
	struct pl_err err = PL_ERR_INIT;
	struct store_sql other = { 0 };

	open_sql(&other, name, STORE_SQL_WRITE);
	assert_int_equal(store_sql_claim_jobs(sql, &err), 0);
	assert_int_equal(store_sql_claim_jobs(sql, &err), 0);
	assert_int_equal(store_sql_claim_jobs(&other, &err), -1);
	assert_int_equal(err.code, PL_ERR_BUSY);
	assert_non_null(strstr(err.text, "is in use by "));
	store_sql_close(sql);
	/* a server sees the end of a connection some moments later */
	for (int i = 0; i < 500 && store_sql_claim_jobs(&other, &err) < 0; i++)
		pl_clock_sleep_until(pl_clock_now_ns() + 10 * PL_NS_PER_MS);
	assert_int_equal(store_sql_claim_jobs(&other, &err), 0);
	store_sql_close(&other);
}

static void play(void **state, bool is_postgres)
{
	struct store_sql writer = { 0 }, reader = { 0 };
	struct pl_err err = PL_ERR_INIT;
	const char *name = name_of(state, is_postgres);

	open_sql(&writer, name, STORE_SQL_WRITE);
	assert_int_equal(store_sql_claim(&writer, &err), 0);
	make(&writer);
	open_sql(&reader, name, STORE_SQL_READ);
	values_come_back(&writer);
	transactions_end(&writer);
	cursors_go_on(&writer);
	readers_see_one_moment(&writer, &reader);
	forms_are_kept(&writer);
	store_sql_close(&reader);
	jobs_have_one_owner(&writer, name);
}

static void test_store_sql__an_sqlite_file(void **state)
{
	play(state, false);
}

static void test_store_sql__a_postgresql_database(void **state)
{
	play(state, true);
}

/* SQLite refuses bytes of more than a billion before it reads them: nothing is written in their place. */
static void test_store_sql__what_cannot_be_bound_is_an_error(void **state)
{
	struct store_sql sql = { 0 };
	struct pl_err err = PL_ERR_INIT;
	int64_t id = 0;

	open_sql(&sql, name_of(state, false), STORE_SQL_WRITE);
	make(&sql);
	{
		auto_statement add = NULL;
		assert_int_equal(store_sql_prepare(&sql, ADD, &add, &err), 0);
		store_sql_bind_bytes(add, 4, "few", (size_t)1 << 31);
		store_sql_bind_i64(add, 1, 1);
		assert_int_equal(store_sql_number(add, &id, &err), -1);
		assert_int_equal(err.code, PL_ERR_INVALID);
		assert_non_null(strstr(err.text, "string or blob too big"));
		assert_int_equal(ask(&sql, "SELECT count(*) FROM things"), 0);
		/* the statement can be used again */
		store_sql_bind_bytes(add, 4, "few", 3);
		assert_int_equal(store_sql_number(add, &id, &err), 0);
		store_sql_bind_bytes(add, 4, "few", (size_t)1 << 31);
		store_sql_clear(add);
		assert_int_equal(store_sql_number(add, &id, &err), 0);
	}
	assert_int_equal(ask(&sql, "SELECT count(*) FROM things"), 2);
	store_sql_close(&sql);
}

/* No text of libpq about an address is shown: it has the password in it. */
static void test_store_sql__an_address_that_cannot_be_read(void **state)
{
	static const char *const addresses[] = {
		"postgres://u:S3CRET@[1:2/x",
		"postgresql://u:S3CRET@h/x?colour=blue",
		"postgres://u:S3CRET@%zz/x",
		"postgres://u:S3CRET@h:x:y/",
	};

	(void)state;
	for (size_t i = 0; i < PL_ARRAY_SIZE(addresses); i++) {
		struct store_sql sql = { 0 };
		struct pl_err err = PL_ERR_INIT;
		assert_int_equal(store_sql_open(&sql, addresses[i], true, &err), -1);
		assert_null(strstr(err.text, "S3CRET"));
		store_sql_close(&sql);
	}
	assert_true(store_sql_is_address("postgres://"));
	assert_false(store_sql_is_address("./postgres://"));
}

static void test_store_db_driver__a_whole_database_passes_its_check(void **state)
{
	struct store_sql sql;
	struct pl_err err = PL_ERR_INIT;
	char *fault = NULL;

	open_sql(&sql, name_of(state, false), STORE_SQL_WRITE);
	make(&sql);
	if (store_sql_check(&sql, &fault, &err) < 0)
		fail_msg("%s", err.text);
	assert_null(fault);
	store_sql_close(&sql);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		scratch_test(test_store_db_driver__a_whole_database_passes_its_check),
		scratch_test(test_store_sql__an_sqlite_file),
		scratch_test(test_store_sql__a_postgresql_database),
		scratch_test(test_store_sql__what_cannot_be_bound_is_an_error),
		cmocka_unit_test(test_store_sql__an_address_that_cannot_be_read),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
