/*
 * Between columns.c (rows that come), column.c (one array) and view.c (what a query sees).
 */
#pragma once

#include <pthread.h>

#include "store/view.h"

#define BITS 64 /* of a word of a bitmap */

static inline size_t words_of(size_t rows)
{
	return (rows + BITS - 1) / BITS;
}

/* ---- one column ---------------------------------------------------------------------------- */

/* `id` NULL: the field's own lasts. */
void column_init(struct store_column *column, const struct res_field *field, const char *id);
void column_done(struct store_column *column);
/* Arrays that are there get items, of nothing, for so many rows. */
void column_reserve(struct store_column *column, size_t rows);
/* `row` lies below what was reserved. */
void column_set(struct store_column *column, size_t row, const struct store_cell *cell);

/* ---- columns of fields that are none -------------------------------------------------------- */

struct lazy_column {
	struct store_column column;
	size_t rows;     /* that were read */
	unsigned users;  /* views */
	uint64_t used;   /* the greater the later */
	bool is_guessed; /* no row tells of the field: it is one where something is recorded */
};

/* Queries make and drop them: everything here is under the lock. A column that has users stays. */
struct lazy_columns {
	pthread_mutex_t lock;
	struct lazy_column **items;
	size_t count;
	size_t room;
	uint64_t used;
};

void lazy_columns_drop(struct lazy_columns *lazy, size_t keep);

/* ---- all ------------------------------------------------------------------------------------ */

struct store_columns {
	const struct res_fields *fields;
	store_columns_read_fn *read;
	store_columns_may_have_fn *may_have; /* NULL: all documents may have anything */
	void *context;

	const struct res_field *const *column_fields;
	struct store_column *items; /* in the order of column_fields */
	size_t column_count;
	struct lazy_columns *lazy;

	/* an item a row, in the order of ids */
	int64_t *ids;
	size_t id_room;
	const char **run_ids;
	size_t run_id_room;
	size_t rows;
	struct pl_arena *arena; /* of run ids */
	int64_t version;
};
