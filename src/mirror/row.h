/*
 * One result as a row: what each column field has in it. The rows of the database and the columns in
 * memory are made from this, so that both hold the same.
 *
 * - Three kinds of nothing stay apart: a field that is not recorded, one that is null (unset, or: there
 *   is no such figure), and a value, which may be 0, "" or infinite. What `state` does not call there
 *   has no value; whether the user set the field is told beside it, of a null too.
 * - The value's kind may be another than its field's: a number column may hold a word ("auto").
 */
#pragma once

#include "result/fields/fields.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct res_values;

/* What one field has in one row. */
struct mirror_cell {
	unsigned char state; /* enum res_value_state */
	unsigned char kind;  /* enum res_value_kind, where the value is there */
	bool is_explicit;    /* the user set it (arguments and options) */
	double number;       /* of NUMBER; of YES 0 or 1 */
	const char *text;    /* of TEXT and JSON (compact, keys sorted); else NULL */
};

/* One result as a row. */
struct mirror_row {
	int64_t id;                /* > 0, grows; never used again */
	const char *run_id;        /* NULL: the document has none */
	struct mirror_cell *cells; /* one a column field, in the order of mirror_column_fields() */
	struct pl_arena *arena;    /* of all texts and cells */
};

/* The fields that are columns, in the order of the list; borrowed from it. */
static inline const struct res_field *const *mirror_column_fields(const struct res_fields *fields,
								  size_t *ret_count)
{
	return res_fields_columns(fields, ret_count);
}

/* These overwrite *ret; its id is 0. Nothing of the document is borrowed. */
void mirror_row_of_values(const struct res_values *values, struct mirror_row *ret);
void mirror_row_of_document(const struct res_fields *fields, const json_t *document,
			    struct mirror_row *ret);
void mirror_row_done(struct mirror_row *row);
#define auto_row __attribute__((cleanup(mirror_row_done), unused)) struct mirror_row
