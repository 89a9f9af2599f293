/*
 * What a query sees of one field in one snapshot: its values, and a chunk of codes for each segment.
 */
#pragma once

#include "mirror/chunk.h"
#include "mirror/dictionary.h"

struct store_column {
	const struct res_field *field;
	const struct dictionary *values;
	uint32_t distinct;                 /* codes are below it */
	unsigned classes;                  /* bit c: some row has, or had, class c */
	bool has_odd_times;                /* of a field of times: texts that are none */
	const struct chunk *const *chunks; /* of each segment, this column's at `at` */
	size_t at;
	struct shelf *shelf; /* of its numbers in order (shelf.h), at `at`; NULL: it has none */
};

static inline const struct chunk *store_column_chunk(const struct store_column *column,
						     size_t segment)
{
	return &column->chunks[segment][column->at];
}

static inline const struct store_value *store_column_value(const struct store_column *column,
							   uint32_t code)
{
	return dictionary_value(column->values, code);
}

static inline bool store_column_has(const struct store_column *column, enum store_class class)
{
	return column->classes >> class & 1;
}

/* Is anything recorded, be it null? */
static inline bool store_column_is_recorded(const struct store_column *column)
{
	return (column->classes & ~(1u << STORE_MISSING)) != 0;
}

/* What stands in a row; of a number that stands elsewhere, too. */
static inline struct store_value store_column_at(const struct store_column *column, size_t row)
{
	const struct chunk *chunk = store_column_chunk(column, row / STORE_SEGMENT_ROWS);
	struct store_value value = *store_column_value(column,
						       chunk_code(chunk, row % STORE_SEGMENT_ROWS));

	if (value.is_elsewhere)
		value.number = chunk->numbers[row % STORE_SEGMENT_ROWS];
	return value;
}
