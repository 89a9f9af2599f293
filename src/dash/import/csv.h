/*
 * Reads a CSV file (RFC 4180) whose first row has the names of its columns, one row at a time.
 *
 * - Fields may be in double quotes, with "" for a quote, but do not continue on the next line. White space around a field
 *   is ignored. Lines end with LF or CRLF. Empty lines and lines that begin with # are ignored, and so is a byte order mark.
 * - Every row has as many fields as there are columns.
 * - Errors are INVALID and begin with FILE:LINE:COLUMN, both from 1; the column counts characters.
 * - All memory is bounded by the length of the text.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/buf.h"
#include "base/err.h"

#define DASH_CSV_COLUMNS_MAX 256
#define DASH_CSV_BYTES_MAX   (64u << 20)

struct dash_csv_field {
	size_t text;  /* offset in the texts */
	size_t begin; /* offset in the line */
};

/* The fields of one line. */
struct dash_csv_row {
	const char *begin;   /* of the line, borrowed */
	int line;            /* from 1 */
	struct pl_buf texts; /* each with its zero byte */
	struct dash_csv_field fields[DASH_CSV_COLUMNS_MAX];
	size_t count;
};

struct dash_csv {
	char *source;   /* name of the file without control characters */
	const char *at; /* next byte, borrowed */
	int line;       /* of `at` */
	struct dash_csv_row names, row;
};

/* Reads the names of the columns. `text` ends with a zero byte and is borrowed. Call dash_csv_done() also after an error. */
int dash_csv_open(struct dash_csv *ret, const char *source, const char *text,
		  struct pl_err *err) PL_MUST_CHECK;
void dash_csv_done(struct dash_csv *csv);
#define auto_csv __attribute__((cleanup(dash_csv_done), unused)) struct dash_csv

/* Reads the next row. Returns 1, or 0 at the end of the file. */
int dash_csv_next(struct dash_csv *csv, struct pl_err *err) PL_MUST_CHECK;

/* Return texts that are valid until the next row, and until the end. */
const char *dash_csv_field(const struct dash_csv *csv, size_t column);
const char *dash_csv_name(const struct dash_csv *csv, size_t column);
/* Returns whether the field is a finite number of at least 0. */
bool dash_csv_number(const struct dash_csv *csv, size_t column, double *ret);

/*
 * Finds a column by its name. *ret: SIZE_MAX if it is missing, which is an error if it is required; the error names the most
 * similar column. A name that several columns have is an error, too.
 */
int dash_csv_find(const struct dash_csv *csv, const char *name, bool is_required, size_t *ret,
		  struct pl_err *err) PL_MUST_CHECK;

/* Set the error "FILE:LINE:COLUMN: …" of a field of the row, with the name of its column; of the row; of a name. Return -1. */
int dash_csv_refuse(const struct dash_csv *csv, size_t column, struct pl_err *err,
		    const char *format, ...) PL_PRINTF(4, 5);
int dash_csv_refuse_row(const struct dash_csv *csv, struct pl_err *err, const char *format, ...)
	PL_PRINTF(3, 4);
int dash_csv_refuse_name(const struct dash_csv *csv, size_t column, struct pl_err *err,
			 const char *format, ...) PL_PRINTF(4, 5);
