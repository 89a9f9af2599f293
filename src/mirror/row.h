/*
 * One result as a row: the value of each column field. Both the rows of the database and the columns in memory are made
 * from this, so they agree.
 * - A field is not recorded, null (unset, or not measured), or has a value, which may be 0, "" or infinite. `state`
 *   distinguishes these. `is_explicit` is independent of it: a user can also set null.
 * - A value may differ in kind from its field: a number column may hold a text ("auto").
 */
#pragma once

#include "result/fields/fields.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct res_values;

/* The value of one field in one row. */
struct mirror_cell {
	unsigned char state; /* enum res_value_state */
	unsigned char kind;  /* enum res_value_kind, if `state` says that there is a value */
	bool is_explicit;    /* set by the user (arguments and options) */
	bool is_unified;     /* JSON that mirror_json_unify() would not change: it has no numbers */
	double number;       /* of NUMBER; for YES 0 or 1 */
	const char *text;    /* of TEXT and JSON (compact, keys sorted); else NULL */
};

/* One result as a row. */
struct mirror_row {
	int64_t id;         /* > 0, ascending; never reused */
	const char *run_id; /* NULL: the document has none */
	struct mirror_cell
		*cells;         /* one per column field, in the order of mirror_column_fields() */
	struct pl_arena *arena; /* memory of all texts and cells */
};

/* Returns the fields that are columns, in the order of the list; borrowed from it. */
static inline const struct res_field *const *mirror_column_fields(const struct res_fields *fields,
								  size_t *ret_count)
{
	return res_fields_columns(fields, ret_count);
}

/* Both overwrite *ret and set its id to 0. They borrow nothing from the document. */
void mirror_row_of_values(const struct res_values *values, struct mirror_row *ret);
void mirror_row_of_document(const struct res_fields *fields, const json_t *document,
			    struct mirror_row *ret);
void mirror_row_done(struct mirror_row *row);
#define auto_row __attribute__((cleanup(mirror_row_done), unused)) struct mirror_row
