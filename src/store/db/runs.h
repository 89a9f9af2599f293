/*
 * Rows of results in a database: benchmark_runs, with a column for each column field (mirror/row.h). Each kind of
 * database stores them in its own form:
 * - SQLite: an untyped column, which can hold not recorded, null and values of any kind (store/db/cell.h).
 * - PostgreSQL: numbers and counts are DOUBLE PRECISION, yes/no is BOOLEAN, all in benchmark_runs. Texts, times and
 *   JSON are TEXT in benchmark_texts, with one row per row of benchmark_runs: a row must fit into a page of 8 KB, and
 *   texts can move out of it but numbers cannot. NULL means that there is no value of the field's type.
 *   benchmark_runs.null_fields (a JSON array of ids) lists the fields that are null instead of not recorded.
 *   other_kinds (a JSON object from id to a letter and the value as text, as in store/db/cell.h) holds values of
 *   another kind than their field's.
 * The position of a field among the columns is its position in the cells of a row. `fixed` names the columns of
 * benchmark_runs that are not fields.
 */
#pragma once

#include "mirror/row.h"
#include "store/db/sql.h"

struct store_columns {
	const struct res_fields *fields;
	const struct res_field *const *items;
	size_t count;
};

/*
 * Creates the table or tables; `fixed` defines those columns, in the form of store_sql_make(). On SQLite, the columns of
 * fields follow with store_runs_widen().
 */
int store_runs_make(struct store_sql *sql, const char *fixed, const struct store_columns *columns,
		    struct pl_err *err) PL_MUST_CHECK;
/*
 * Adds the columns of fields that store_runs_make() did not create. The table is empty. Call it within a transaction,
 * after all other changes of tables: each of them would read the definitions of all columns again.
 */
int store_runs_widen(struct store_sql *sql, const struct store_columns *columns,
		     struct pl_err *err) PL_MUST_CHECK;
int store_runs_add_column(struct store_sql *sql, const struct res_field *field,
			  struct pl_err *err) PL_MUST_CHECK;
/*
 * Gives columns of earlier versions the present ids of their fields, and rows the present values
 * (result/fields/former.h).
 */
int store_runs_rename_former(struct store_sql *sql, const struct store_columns *columns,
			     struct pl_err *err) PL_MUST_CHECK;
/* Returns indexes into columns->items of the columns that the database lacks; *ret: free(). */
int store_runs_missing(struct store_sql *sql, const struct store_columns *columns, size_t **ret,
		       size_t *ret_count, struct pl_err *err) PL_MUST_CHECK;

/*
 * The view for users of SQL (docs/reference/sql.md): a row per result that is not deleted, and a column per field, with
 * one type on every kind of database. NULL: the field has no value of that type.
 */
#define STORE_RESULTS_VIEW "benchmark_results"
/* Returns whether the view exists and has all columns. */
int store_runs_view_is_complete(struct store_sql *sql, const struct store_columns *columns,
				bool *ret, struct pl_err *err) PL_MUST_CHECK;
/* Creates the view, or adds the columns that it lacks after those that it has. Call it within a transaction. */
int store_runs_make_view(struct store_sql *sql, const struct store_columns *columns,
			 struct pl_err *err) PL_MUST_CHECK;

/* Statements (free()). Their parameters are the fixed columns from ?1 on, in order, followed by the cells. */
struct store_runs_fixed {
	const char *const *names;
	size_t count;
};
/* Inserts a row and returns its id. */
char *store_runs_add_text(const struct store_sql *sql, const struct store_runs_fixed *fixed,
			  const struct store_columns *columns);
/* Replaces a row by its id, the parameter between the fixed columns and the cells: ?(fixed->count + 1). */
char *store_runs_replace_text(const struct store_sql *sql, const struct store_runs_fixed *fixed,
			      const struct store_columns *columns);
/* Selects the fixed columns followed by the cells; `rest` is "WHERE … ORDER BY …" with its own parameters. */
char *store_runs_select_text(const struct store_sql *sql, const struct store_runs_fixed *fixed,
			     const struct store_columns *columns, const char *rest);

/*
 * Binds cells as parameters from `first` on, which must be unbound since the statement was prepared or cleared. They
 * are borrowed until it is reset.
 */
void store_runs_bind(struct store_stmt *statement, int first, const struct store_columns *columns,
		     const struct mirror_cell *cells);
/*
 * Reads the cells of the current row, from column `first` on, without is_explicit. Texts are borrowed until the next
 * step.
 */
int store_runs_read(struct store_stmt *statement, int first, const struct store_columns *columns,
		    struct mirror_cell *cells, struct pl_err *err) PL_MUST_CHECK;

/* ---- sets of columns --------------------------------------------------------------------------- */

/* A JSON array of ids from a row; rows of one sweep have the same. */
struct store_column_set {
	char *text;
	size_t *columns;
	size_t count;
	size_t room;
};
/* Ignores ids that are not columns: another program has written them. */
int store_column_set_read(const struct store_columns *columns, const char *text,
			  struct store_column_set *set, struct pl_err *err) PL_MUST_CHECK;
void store_column_set_done(struct store_column_set *set);
/* Returns SIZE_MAX if it is not a column. */
size_t store_column_find(const struct store_columns *columns, const char *id);
