/*
 * All results in memory, a column a field: what queries (store/query.h) look at, so that none of them
 * has to ask a database or read a document.
 *
 * - A column field has an array from the start, a row's value in it a fixed-size cell: texts stand once
 *   in a dictionary, numbers as they are, the three kinds of nothing and explicitness as a byte.
 * - Any other field becomes an array when the first query names it, of all documents, which `read`
 *   gives; it is kept for the next query. Rows that come later are added when it is asked for again;
 *   a row that is replaced drops it. Those used least are dropped where they are many.
 * - A row stays where it is, and none goes.
 *
 * Threads: append, replace and set_version are writes: the owner keeps them apart from each
 * other and from all else, as by the write side of a read-write lock. Queries are reads; any number may
 * run at once, `read` is then called by their threads, by one at a time.
 */
#pragma once

#include "store/row.h"

struct store_columns;

/* The document of a result: a new reference. -1: it cannot be read, which ends the query. */
typedef int store_columns_read_fn(void *context, int64_t id, json_t **ret, struct pl_err *err);

/* May a document that is there by now have something at this field, of any id? False: surely none. */
typedef bool store_columns_may_have_fn(void *context, const char *id);

/* Borrows the fields. */
struct store_columns *store_columns_new(const struct res_fields *fields,
					store_columns_read_fn *read, void *context);
void store_columns_free(struct store_columns *columns);
PL_AUTO_DEFINE(struct store_columns, store_columns_free);
#define auto_columns PL_AUTO(store_columns_free)

/* Documents are read for a field only where some may have it; where this was not said, always. The
 * context is that of `read`, and the threads are. */
void store_columns_ask_first(struct store_columns *columns, store_columns_may_have_fn *may_have);

/* The row's id is greater than that of every row before it. Nothing of the row is borrowed. */
void store_columns_append(struct store_columns *columns, const struct store_row *row);
/* The row by that id takes these values. False: there is none. */
bool store_columns_replace(struct store_columns *columns, const struct store_row *row);

size_t store_columns_count(const struct store_columns *columns);
/* Grows by one at each change. The owner may have it go on from that of a database. */
int64_t store_columns_version(const struct store_columns *columns);
void store_columns_set_version(struct store_columns *columns, int64_t version);
