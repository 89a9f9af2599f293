/* One field in one snapshot, as a query reads it: its values, and a chunk of codes for each segment. */
#pragma once

#include "mirror/chunk.h"
#include "mirror/dictionary.h"

struct mirror_column {
	const struct res_field *field;
	const struct dictionary *values;
	uint32_t distinct;                 /* all codes are < distinct */
	unsigned classes;                  /* bit c: some row has, or had, a value of class c */
	bool has_odd_times;                /* of a time field: it has texts that are not times */
	const struct chunk *const *chunks; /* of each segment; index `at` is this column's */
	size_t at;
	struct number_cache
		*number_cache; /* of its sorted numbers, index `at`; NULL: it has none */
};

static inline const struct chunk *mirror_column_chunk(const struct mirror_column *column,
						      size_t segment)
{
	return &column->chunks[segment][column->at];
}

static inline const struct mirror_value *mirror_column_value(const struct mirror_column *column,
							     uint32_t code)
{
	return dictionary_value(column->values, code);
}

static inline bool mirror_column_has(const struct mirror_column *column, enum mirror_class class)
{
	return column->classes >> class & 1;
}

/* Returns whether any row has a recorded value, including null. */
static inline bool mirror_column_is_recorded(const struct mirror_column *column)
{
	return (column->classes & ~(1u << MIRROR_MISSING)) != 0;
}

/* Returns the value of a row, including a number that has no code. */
static inline struct mirror_value mirror_column_at(const struct mirror_column *column, size_t row)
{
	const struct chunk *chunk = mirror_column_chunk(column, row / MIRROR_SEGMENT_ROWS);
	struct mirror_value value = *mirror_column_value(
		column, mirror_chunk_code(chunk, row % MIRROR_SEGMENT_ROWS));

	if (value.is_elsewhere)
		value.number = chunk->numbers[row % MIRROR_SEGMENT_ROWS];
	return value;
}
