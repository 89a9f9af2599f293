/*
 * Between export.c (what a file is made of), export_cell.c (how a value stands in it) and export_rows.c,
 * which alone knows where rows and cells come from.
 */
#pragma once

#include "base/buf.h"
#include "query/export/export.h"
#include "mirror/row.h"

#define EXPORT_BLOCK_ROWS 16

/* ---- rows ------------------------------------------------------------------------------------ */

/* The rows that a request means, in their order. */
struct export_rows;

int query_export_rows_new(struct mirror_snapshot *snapshot, const json_t *request,
			  struct export_rows **ret, struct schema_faults *faults,
			  struct pl_err *err) PL_MUST_CHECK;
void query_export_rows_free(struct export_rows *rows);

size_t query_export_rows_count(const struct export_rows *rows);
int64_t query_export_rows_version(const struct export_rows *rows);
size_t query_export_rows_columns(const struct export_rows *rows);
const char *query_export_rows_column(const struct export_rows *rows, size_t column);

/* What these give is borrowed. */
int64_t query_export_rows_id(const struct export_rows *rows, size_t at);
/* NULL: it has none. */
const char *query_export_rows_run_id(const struct export_rows *rows, size_t at);
/* So many rows from `at` on, EXPORT_BLOCK_ROWS at most, found once for all columns. */
struct export_spot {
	size_t at;
	size_t count;
	size_t segment; /* of all; SIZE_MAX: they are of several */
	uint32_t within[EXPORT_BLOCK_ROWS];
};
void query_export_rows_spot(const struct export_rows *rows, size_t at, size_t count,
			    struct export_spot *ret);
/* Cells of a column with the same code have the same value, where the value is told to be the code's: many have one,
 * and most of these are low. Returns whether all have the same code. */
bool query_export_rows_codes(const struct export_rows *rows, const struct export_spot *spot,
			     size_t column, uint32_t *ret_codes);
/* All codes of the column are below it. */
uint32_t query_export_rows_distinct(const struct export_rows *rows, size_t column);
/*
 * Cells with these codes have a number of their own each: the codes, UINT32_MAX where there is none, and of rows in
 * one segment its numbers, by the place within it. Of others `numbers` is NULL, or where the column has none.
 */
struct export_own {
	const double *numbers;
	uint32_t codes[2];
};
struct export_own query_export_rows_own(const struct export_rows *rows,
					const struct export_spot *spot, size_t column);
/* With the code that the cell has. Returns whether the value is the code's. */
bool query_export_rows_cell(const struct export_rows *rows, size_t at, size_t column, uint32_t code,
			    struct mirror_cell *ret);

/* ---- values ---------------------------------------------------------------------------------- */

void query_export_csv_cell(struct pl_buf *out, const struct mirror_cell *cell);
void query_export_csv_number(struct pl_buf *out, double number);
void query_export_json_number(struct pl_buf *out, double number);
/* Of one that is recorded. */
void query_export_json_cell(struct pl_buf *out, const struct mirror_cell *cell);
/* One field of a line, quoted where it has to be. */
void query_export_csv_text(struct pl_buf *out, const char *text);
void query_export_i64(struct pl_buf *out, int64_t number);
/*
 * Text behind "#" in front of a CSV file. A spreadsheet cuts such a line where commas and semicolons stand,
 * and takes the quotes away with which a piece begins: within texts of JSON, and in addresses, commas and
 * semicolons are escaped, and a blank stands behind those that part, so that no piece begins with what
 * comes from elsewhere.
 */
void query_export_csv_json(struct pl_buf *out, const json_t *json);
void query_export_csv_link(struct pl_buf *out, const char *link);
