/*
 * What one query sees of the columns: those of the fields that it names, for as long as it runs. Here is
 * the form of a column too, for those who scan it.
 *
 * A view belongs to one thread and to a stretch of time in which nobody writes the columns.
 */
#pragma once

#include "store/columns.h"

/* What stands in a cell. Values are sorted in this order, what is nothing behind them. */
enum store_class {
	STORE_MISSING, /* not recorded */
	STORE_NULL,
	STORE_NUMBER, /* numbers[row] */
	STORE_NO,
	STORE_YES,
	STORE_TEXT, /* texts[codes[row]] */
	STORE_JSON, /* the same: compact, keys sorted */
	STORE_CLASS_COUNT
};
#define STORE_EXPLICIT 0x80 /* beside the class in its byte */

/* One text of a column, there once. In a field of times also the instant, where it is one. */
struct store_text {
	const char *text;
	enum store_class class; /* TEXT or JSON */
	bool is_time;
	int64_t time_us; /* since 1970, UTC */
};

/*
 * Arrays have an item a row, at least as many as the view has rows. Those that no cell has need of are
 * NULL; classes NULL: nothing is recorded.
 */
struct store_column {
	struct res_field field;
	unsigned char *classes; /* enum store_class, and STORE_EXPLICIT */
	double *numbers;
	uint32_t *codes;
	size_t room; /* of the arrays */

	struct store_text *texts;
	size_t text_count;
	size_t text_room;
	uint32_t *slots; /* a hash of the texts: code + 1; 0: free */
	size_t slot_count;
	struct pl_arena *arena; /* of texts, and of the field's id where no row has it */

	size_t class_counts[STORE_CLASS_COUNT]; /* of cells that were ever written */
	size_t odd_times;                       /* texts of a field of times that are none */
};

static inline enum store_class store_class_at(const struct store_column *column, size_t row)
{
	return column->classes != NULL ? column->classes[row] & ~STORE_EXPLICIT : STORE_MISSING;
}

/* Ids of fields, borrowed; the array is the caller's (free()). */
struct store_ids {
	const char **items;
	size_t count;
	size_t room;
};

struct store_view;

/* With the columns of these fields and of all column fields. -1: a document could not be read. */
int store_view_new(const struct store_columns *columns, const struct store_ids *ids,
		   struct store_view **ret, struct pl_err *err) PL_MUST_CHECK;
void store_view_free(struct store_view *view);
PL_AUTO_DEFINE(struct store_view, store_view_free);
#define auto_view PL_AUTO(store_view_free)

/* NULL: there is no such field, or the view was not asked for it. */
const struct store_column *store_view_column(const struct store_view *view, const char *id);
/* Of the column fields, in their order. */
const struct store_column *store_view_at(const struct store_view *view, size_t i);
size_t store_view_column_count(const struct store_view *view);

const struct res_fields *store_view_fields(const struct store_view *view);
/* Rows, and 64-bit words of a bitmap of them. */
size_t store_view_rows(const struct store_view *view);
size_t store_view_words(const struct store_view *view);
int64_t store_view_id(const struct store_view *view, size_t row);
/* NULL: it has none. */
const char *store_view_run_id(const struct store_view *view, size_t row);
