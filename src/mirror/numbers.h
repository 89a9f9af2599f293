/*
 * The numbers of a column that have no codes, each once and in order, and which of them a row has: where
 * they are asked for again and again, rows are counted by place, without a hash.
 *
 * - Made of the rows that there are at one moment, dead ones too: a place of a row never gets another number,
 *   so that it stays right for them. Rows that come later are the caller's.
 * - It never changes; mirror_numbers_put() exactly once for whoever has taken it.
 */
#pragma once

#include <stdatomic.h>
#include <stdbool.h>

#include "mirror/column.h"

#define NUMBERS_BLOCK \
	16 /* an array of counts has room for whole blocks of them, see numbers_room() */

struct numbers {
	atomic_uint users;
	size_t count;
	double *items; /* rising; infinite ones too */
	uint32_t *
		totals; /* rows that have item i; of rows without any at `count`; up to numbers_room() 0 */
	uint32_t **places; /* of each segment, by row: of its number; `count`: it has none */
	size_t *rows;      /* of each segment: so many are known */
	size_t segments;
	size_t known;   /* rows, of all segments */
	bool are_whole; /* all that are finite, and near enough to 0 for a double to tell */
	size_t bytes;
};

/* Of these rows of each segment, be they in the mask or not. */
struct numbers *mirror_numbers_new(const struct mirror_column *column, const struct mask *masks,
				   size_t segments);
void mirror_numbers_put(struct numbers *numbers);

static inline size_t numbers_known(const struct numbers *numbers, size_t segment)
{
	return segment < numbers->segments ? numbers->rows[segment] : 0;
}

/* Items of an array of counts. */
static inline size_t numbers_room(const struct numbers *numbers)
{
	return (numbers->count / NUMBERS_BLOCK + 1) * NUMBERS_BLOCK;
}

/* How many of the known rows of the masks have item i; overwrites all that the array has room for, 0 from `count`
 * on. */
void mirror_numbers_count(const struct numbers *numbers, const struct mask *masks, size_t segments,
			  uint32_t *ret_counts);
