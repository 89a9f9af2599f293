/* Lines of comma-separated values, for datasets whose fields hold no commas and no line ends. */
#pragma once

#include <stddef.h>

#include "base/err.h"

#define BENCH_CSV_COLUMNS_MAX 32

/*
 * Cuts `line` at its commas and removes blanks and quotes around the fields, which point into it.
 * Returns their number, at most BENCH_CSV_COLUMNS_MAX.
 */
size_t bench_csv_split(char *line, char *fields[BENCH_CSV_COLUMNS_MAX]);
/* Returns the index of the field with this text; -1: none. */
int bench_csv_find(char *const *fields, size_t count, const char *name);
/* Fails at a NUL in `text`, because nothing after it would be read; the error begins with `path`. */
int bench_csv_check(const char *path, const char *text, size_t len,
		    struct pl_err *err) PL_MUST_CHECK;
/* Returns `text` after a byte order mark, which spreadsheets put in front of UTF-8. */
char *bench_csv_start(char *text);
