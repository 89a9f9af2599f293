/*
 * The sorted distinct numbers of a column without codes, and the index of each row's number. Repeated counts use the
 * index, without a hash table.
 * - They cover the rows of one moment, including dead rows. The number of a row never changes, so the indexes stay
 *   valid. The caller handles later rows.
 * - A struct numbers never changes. Each user calls mirror_numbers_put() exactly once.
 */
#pragma once

#include <stdatomic.h>
#include <stdbool.h>

#include "mirror/column.h"

#define NUMBERS_BLOCK \
	16 /* an array of counts has a whole number of these blocks; see numbers_room() */

struct numbers {
	atomic_uint users;
	size_t count;
	double *items; /* ascending, including infinite numbers */
	uint32_t *
		totals; /* number of rows with item i; at `count` those without a number; 0 up to numbers_room() */
	uint32_t **
		positions; /* of each segment, by row: index of the number; `count`: the row has none */
	size_t *rows;      /* of each segment: number of known rows */
	size_t segments;
	size_t known;   /* known rows in all segments */
	bool are_whole; /* all finite numbers are whole and small enough for a double to be exact */
	size_t bytes;
};

/* Covers these rows of each segment, whether or not they are in the mask. */
struct numbers *mirror_numbers_new(const struct mirror_column *column, const struct mask *masks,
				   size_t segments);
void mirror_numbers_put(struct numbers *numbers);

static inline size_t numbers_known(const struct numbers *numbers, size_t segment)
{
	return segment < numbers->segments ? numbers->rows[segment] : 0;
}

/* Returns the number of items in an array of counts. */
static inline size_t numbers_room(const struct numbers *numbers)
{
	return (numbers->count / NUMBERS_BLOCK + 1) * NUMBERS_BLOCK;
}

/* Counts the known rows of the masks with item i. Overwrites the complete array: counts from `count` on are 0. */
void mirror_numbers_count(const struct numbers *numbers, const struct mask *masks, size_t segments,
			  uint32_t *ret_counts);
