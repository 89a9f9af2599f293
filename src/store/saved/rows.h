/*
 * Rows as JSON: the lists of what people save (presets, annotations, watches, decisions). A module provides the
 * statement and the reader of one row.
 */
#pragma once

#include <jansson.h>
#include <stdint.h>

#include "base/err.h"

struct store_sql;
struct store_statement;
struct store_stmt;

/* Reads the current row. *ret is a new object. */
typedef int store_row_reader(struct store_stmt *row, json_t **ret, struct pl_err *err);

struct store_saved {
	/* parameters: the first id and the largest number of rows; order: id, which is the object's member "id" */
	const struct store_statement *list;
	store_row_reader *read;
};

/* Reads the remaining rows of a statement. *ret is an array; unchanged on failure, as in the following functions. */
int store_saved_rows(struct store_stmt *rows, store_row_reader *read, json_t **ret,
		     struct pl_err *err);
/* Lists at most `count` rows from the id `first` on. */
int store_saved_list(struct store_sql *sql, const struct store_saved *saved, int64_t first,
		     int64_t count, json_t **ret, struct pl_err *err);
/* *ret NULL: there is none. */
int store_saved_get(struct store_sql *sql, const struct store_saved *saved, int64_t id,
		    json_t **ret, struct pl_err *err);
