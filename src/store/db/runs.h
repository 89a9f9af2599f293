/*
 * Rows of results in a database: benchmark_runs, with a column for each column field (mirror/row.h). Each kind of
 * database has its own form of them:
 *
 * - SQLite: a column of no type, in which not recorded, null and values of any kind stand side by side
 *   (store/db/cell.h).
 * - PostgreSQL: numbers and counts are DOUBLE PRECISION, yes BOOLEAN, all in benchmark_runs; texts, times and JSON are TEXT
 *   in benchmark_texts, a row for each of benchmark_runs: a row has to fit a page of 8 KB, and a text can move out of it
 *   where a number cannot. NULL is: nothing of the field's type. Which of those are null, and not just not recorded,
 *   says benchmark_runs.null_fields (a JSON array of ids); values of another kind than their field's stand in
 *   other_kinds (a JSON object: id to a letter and the value as text, as in store/db/cell.h).
 *
 * A field's place among the columns is its place in the cells of a row. `fixed` are the names of columns of
 * benchmark_runs that are no fields.
 */
#pragma once

#include "store/db/sql.h"
#include "mirror/row.h"

struct store_columns {
	const struct res_fields *fields;
	const struct res_field *const *items;
	size_t count;
};

/* The table, or tables; `fixed`: the definitions of those columns, as store_sql_make() has them. */
int store_runs_make(struct store_sql *sql, const char *fixed, const struct store_columns *columns,
		    struct pl_err *err) PL_MUST_CHECK;
int store_runs_add_column(struct store_sql *sql, const struct res_field *field,
			  struct pl_err *err) PL_MUST_CHECK;
/* Places in columns->items of those that there are none of yet; *ret: free(). */
int store_runs_missing(struct store_sql *sql, const struct store_columns *columns, size_t **ret,
		       size_t *ret_count, struct pl_err *err) PL_MUST_CHECK;

/*
 * Statements. Their parameters are the fixed columns from ?1 on, in their order, and the cells behind them; the text is
 * free()d.
 */
struct store_runs_fixed {
	const char *const *names;
	size_t count;
};
/* A new row; gives its id. */
char *store_runs_add_text(const struct store_sql *sql, const struct store_runs_fixed *fixed,
			  const struct store_columns *columns);
/* A row anew, by its id, which is the last parameter but for the cells, behind the fixed ones: ?(fixed->count + 1). */
char *store_runs_replace_text(const struct store_sql *sql, const struct store_runs_fixed *fixed,
			      const struct store_columns *columns);
/* Rows with the fixed columns, the cells behind them; `rest`: "WHERE … ORDER BY …", with parameters of its own. */
char *store_runs_select_text(const struct store_sql *sql, const struct store_runs_fixed *fixed,
			     const struct store_columns *columns, const char *rest);

/*
 * Cells as parameters from `first` on, which were not bound since the statement was made or cleared; what they
 * borrow is theirs until it is reset.
 */
void store_runs_bind(struct store_stmt *statement, int first, const struct store_columns *columns,
		     const struct mirror_cell *cells);
/* The cells of the row at hand, from its column `first` on, without is_explicit. Texts are borrowed until the next step. */
int store_runs_read(struct store_stmt *statement, int first, const struct store_columns *columns,
		    struct mirror_cell *cells, struct pl_err *err) PL_MUST_CHECK;

/* ---- sets of columns --------------------------------------------------------------------------- */

/* As a row has them in a JSON array of ids; rows of one sweep have the same. */
struct store_column_set {
	char *text;
	size_t *columns;
	size_t count;
	size_t room;
};
/* Ids that are no columns are another program's. */
int store_column_set_read(const struct store_columns *columns, const char *text,
			  struct store_column_set *set, struct pl_err *err) PL_MUST_CHECK;
void store_column_set_done(struct store_column_set *set);
#define auto_column_set \
	__attribute__((cleanup(store_column_set_done), unused)) struct store_column_set
/* SIZE_MAX: it is none. */
size_t store_column_find(const struct store_columns *columns, const char *id);
