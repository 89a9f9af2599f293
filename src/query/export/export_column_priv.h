/* Columns of a Parquet or Arrow file, and a part of their rows. */
#pragma once

#include "columnar/columnar.h"
#include "query/export/export_priv.h"

#define COLUMN_ITEM_BYTES sizeof(struct columnar_text)

struct export_column {
	const struct mirror_column *from;
	bool is_other; /* the values that the type of the field cannot hold */
};

/* The meaning of an empty cell of a column: always the same, or shown by the column NAME:other. */
enum export_empty {
	EXPORT_EMPTY_NONE,
	EXPORT_EMPTY_MISSING,
	EXPORT_EMPTY_NULL,
	EXPORT_EMPTY_OTHER,
};
/* `classes`: the rows of each class of the column. */
enum export_empty query_export_column_empty(const struct export_rows *rows,
					    const struct mirror_column *from,
					    const size_t classes[MIRROR_CLASS_COUNT]);
enum columnar_type query_export_column_type(const struct export_column *column);

/* Rows of all columns that are read one column at a time. Starts as { .text = PL_BUF(…) }; its memory is reused. */
struct export_part {
	const struct export_rows *rows;
	size_t count;
	size_t *places; /* of the rows */
	size_t place_room;
	size_t first_segment;
	size_t segments;
	bool decodes; /* whole segments instead of single rows */

	/* ---- of one column ---- */
	uint32_t *codes;
	size_t code_room;
	uint32_t *decoded;
	size_t decoded_room;
	void *items;
	size_t item_room;
	uint8_t *nulls; /* also room for one code per distinct value */
	size_t null_room;
	struct pl_arena *arena;
	struct pl_buf text;
};
void query_export_part_start(struct export_part *part, const struct export_rows *rows, size_t from,
			     size_t count);
void query_export_part_done(struct export_part *part);
/* *ret is valid until the next call. */
void query_export_part_read(struct export_part *part, const struct export_column *column,
			    struct columnar_values *ret);
