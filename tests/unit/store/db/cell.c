#include "store/db/cell.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <cmocka.h>

#include "store/db/sql.h"
#include "unit/base/scratch.h"

#define NUMBER(value)                                                                   \
	{                                                                               \
		.state = RES_VALUE_PRESENT, .kind = RES_VALUE_NUMBER, .number = (value) \
	}
#define YES(value)                                                                   \
	{                                                                            \
		.state = RES_VALUE_PRESENT, .kind = RES_VALUE_YES, .number = (value) \
	}
#define TEXT(value)                                                                 \
	{                                                                           \
		.state = RES_VALUE_PRESENT, .kind = RES_VALUE_TEXT, .text = (value) \
	}
#define JSON(value)                                                                 \
	{                                                                           \
		.state = RES_VALUE_PRESENT, .kind = RES_VALUE_JSON, .text = (value) \
	}

static const struct mirror_cell cells[] = {
	{ .state = RES_VALUE_NOT_RECORDED },
	{ .state = RES_VALUE_NULL },
	NUMBER(0),
	NUMBER(-0.0),
	NUMBER(1),
	NUMBER(-7),
	NUMBER(0.1),
	NUMBER(9007199254740993.0),
	NUMBER(1e300),
	NUMBER(5e-324),
	NUMBER(INFINITY),
	NUMBER(-INFINITY),
	YES(0),
	YES(1),
	TEXT(""),
	TEXT("auto"),
	TEXT("1"),
	TEXT("[1]"),
	TEXT("\xc3\xa9\xe2\x80\xae"),
	JSON("[1]"),
	JSON("{\"a\":null}"),
};

static const enum res_field_type types[] = { RES_FIELD_NUMBER, RES_FIELD_COUNT, RES_FIELD_YES,
					     RES_FIELD_TEXT,   RES_FIELD_TIME,  RES_FIELD_JSON };

static void assert_same(const struct mirror_cell *cell, const struct mirror_cell *back)
{
	assert_int_equal(back->state, cell->state);
	if (cell->state != RES_VALUE_PRESENT)
		return;
	assert_int_equal(back->kind, cell->kind);
	/* the sign of a zero, too */
	assert_memory_equal(&back->number, &cell->number, sizeof(cell->number));
	if (cell->text != NULL)
		assert_string_equal(back->text, cell->text);
	else
		assert_null(back->text);
}

static void test_store_cell__every_value_in_every_column(void **state)
{
	struct store_sql sql = { 0 };
	struct pl_err err = PL_ERR_INIT;
	struct store_stmt *add, *get;
	bool is_row = false;

	assert_int_equal(store_sql_open(&sql, scratch_path(*state, "a.db"), true, &err), 0);
	assert_int_equal(store_sql_run(&sql, "CREATE TABLE t (v)", &err), 0);
	assert_int_equal(store_sql_prepare(&sql, "INSERT INTO t VALUES (?1)", &add, &err), 0);
	assert_int_equal(store_sql_prepare(&sql, "SELECT v FROM t", &get, &err), 0);
	for (size_t i = 0; i < PL_ARRAY_SIZE(cells); i++) {
		for (size_t k = 0; k < PL_ARRAY_SIZE(types); k++) {
			struct res_field field = { .id = "x", .type = types[k] };
			struct mirror_cell back;
			assert_int_equal(store_sql_run(&sql, "DELETE FROM t", &err), 0);
			store_cell_bind(add, 1, &field, &cells[i]);
			assert_int_equal(store_sql_finish(add, &err), 0);
			assert_int_equal(store_sql_step(get, &is_row, &err), 0);
			assert_true(is_row);
			store_cell_read(get, 0, &field, &back);
			assert_same(&cells[i], &back);
			store_sql_reset(get);
		}
	}
	store_sql_drop(add);
	store_sql_drop(get);
	store_sql_close(&sql);
}

/* Expressions that users write in SQL. */
static void test_store_cell__asks_for_what_it_looks_like(void **state)
{
	static const struct {
		struct mirror_cell cell;
		enum res_field_type type;
		const char *says;
	} rows[] = {
		{ { .state = RES_VALUE_NOT_RECORDED }, RES_FIELD_COUNT, "v IS NULL" },
		{ { .state = RES_VALUE_NULL }, RES_FIELD_COUNT, "v IS NOT NULL AND v = x''" },
		{ NUMBER(2), RES_FIELD_COUNT, "v = 2 AND typeof(v) = 'integer'" },
		{ NUMBER(2.5), RES_FIELD_NUMBER, "v > 2 AND v < 3" },
		{ NUMBER(INFINITY), RES_FIELD_NUMBER, "v > 1e308 AND v = 9e999" },
		{ TEXT("auto"), RES_FIELD_COUNT, "v = 'auto'" },
		{ YES(1), RES_FIELD_YES, "v = 1" },
		{ YES(1), RES_FIELD_TEXT, "v = CAST('y1.0' AS BLOB)" },
		{ TEXT("1"), RES_FIELD_TEXT, "v = '1' AND v <> 1" },
		{ JSON("[1]"), RES_FIELD_JSON, "json_extract(v, '$[0]') = 1" },
	};
	struct store_sql sql = { 0 };
	struct pl_err err = PL_ERR_INIT;
	bool is_row = false;

	assert_int_equal(store_sql_open(&sql, scratch_path(*state, "a.db"), true, &err), 0);
	for (size_t i = 0; i < PL_ARRAY_SIZE(rows); i++) {
		struct res_field field = { .id = "x", .type = rows[i].type };
		auto_free char *text = pl_asprintf("SELECT %s FROM (SELECT ?1 AS v)", rows[i].says);
		auto_statement ask = NULL;
		assert_int_equal(store_sql_prepare(&sql, text, &ask, &err), 0);
		store_cell_bind(ask, 1, &field, &rows[i].cell);
		assert_int_equal(store_sql_step(ask, &is_row, &err), 0);
		if (store_sql_i64(ask, 0) != 1)
			fail_msg("not so: %s", rows[i].says);
	}
	store_sql_close(&sql);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		scratch_test(test_store_cell__every_value_in_every_column),
		scratch_test(test_store_cell__asks_for_what_it_looks_like),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
