/*
 * Shared by export.c (the structure of a file), export_cell.c (the format of a value), export_rows.c (access to rows
 * and cells), export_table.c (Parquet and Arrow files) and export_column.c (their columns).
 */
#pragma once

#include "base/buf.h"
#include "mirror/column.h"
#include "mirror/row.h"
#include "query/export/export.h"

#define EXPORT_BLOCK_ROWS 16

/* ---- rows ------------------------------------------------------------------------------------ */

/* The rows of a request, in their order. */
struct export_rows;

int query_export_rows_new(struct mirror_snapshot *snapshot, const json_t *request,
			  struct export_rows **ret, struct schema_faults *faults,
			  struct pl_err *err) PL_MUST_CHECK;
void query_export_rows_free(struct export_rows *rows);

size_t query_export_rows_count(const struct export_rows *rows);
int64_t query_export_rows_version(const struct export_rows *rows);
size_t query_export_rows_columns(const struct export_rows *rows);
const char *query_export_rows_column(const struct export_rows *rows, size_t column);

/* These return borrowed values. */
int64_t query_export_rows_id(const struct export_rows *rows, size_t at);
/* NULL: it has none. */
const char *query_export_rows_run_id(const struct export_rows *rows, size_t at);
/* Up to EXPORT_BLOCK_ROWS rows from `at` on, located once for all columns. */
struct export_spot {
	size_t at;
	size_t count;
	size_t segment; /* of all rows; SIZE_MAX: they are in several */
	uint32_t within[EXPORT_BLOCK_ROWS];
};
void query_export_rows_spot(const struct export_rows *rows, size_t at, size_t count,
			    struct export_spot *ret);
/*
 * Reads the codes of a column. Cells with the same code have the same value, unless query_export_rows_numbers() says
 * otherwise; many cells share a code, and most of these codes are low. Returns whether all have the same code.
 */
bool query_export_rows_codes(const struct export_rows *rows, const struct export_spot *spot,
			     size_t column, uint32_t *ret_codes);
/* Returns a limit: all codes of the column are below it. */
uint32_t query_export_rows_distinct(const struct export_rows *rows, size_t column);
/*
 * Cells with one of these codes have individual numbers: the codes, UINT32_MAX for none, and the numbers by row within
 * the segment. `numbers` is NULL if the rows are in several segments or the column has none.
 */
struct export_row_numbers {
	const double *numbers;
	uint32_t codes[2];
};
struct export_row_numbers query_export_rows_numbers(const struct export_rows *rows,
						    const struct export_spot *spot, size_t column);
/* Reads a cell, given its code. Returns whether the code determines the value. */
bool query_export_rows_cell(const struct export_rows *rows, size_t at, size_t column, uint32_t code,
			    struct mirror_cell *ret);

/* The rows of each class (mirror/value.h) of a column, one array per column; the caller frees it with free(). */
size_t (*query_export_rows_classes(const struct export_rows *rows))[MIRROR_CLASS_COUNT];
/* The column itself, and the place of a row in it (mirror/view.h). */
const struct mirror_column *query_export_rows_source(const struct export_rows *rows, size_t column);
size_t query_export_rows_place(const struct export_rows *rows, size_t at);
size_t query_export_rows_segment_rows(const struct export_rows *rows, size_t segment);

/* ---- tables ---------------------------------------------------------------------------------- */

/* A Parquet or Arrow file that is being made. */
struct export_table;

/* Borrows all, and the rows until it is freed. */
struct export_table *query_export_table_new(const struct export_rows *rows, const json_t *request,
					    const struct query_export_options *options);
void query_export_table_free(struct export_table *table);
/* Appends the next part, unless *ret_is_over. */
int query_export_table_piece(struct export_table *table, struct pl_buf *out, bool *ret_is_over,
			     struct pl_err *err);

/* ---- values ---------------------------------------------------------------------------------- */

void query_export_csv_cell(struct pl_buf *out, const struct mirror_cell *cell);
void query_export_json_number(struct pl_buf *out, double number);
/* For a recorded value. */
void query_export_json_cell(struct pl_buf *out, const struct mirror_cell *cell);
void query_export_i64(struct pl_buf *out, int64_t number);
/*
 * Writes text after "#" at the start of a CSV file. A spreadsheet splits such a line at commas and semicolons and
 * removes leading quotes of a piece. So commas and semicolons in JSON texts and addresses are escaped, and a space
 * follows each separator: no piece starts with text from a result.
 */
void query_export_csv_json(struct pl_buf *out, const json_t *json);
void query_export_csv_link(struct pl_buf *out, const char *link);
