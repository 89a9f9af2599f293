/* The values of one column, counted over some rows. A tally can be reused for other columns, with its memory. */
#pragma once

#include "mirror/number_cache.h"
#include "query/facets/facet_priv.h"
#include "query/facets/histogram.h"

/* One value, explicit or not, and the number of rows with it. */
struct tally_value {
	struct mirror_value value;
	size_t count;
};

struct tally {
	size_t class_counts[MIRROR_CLASS_COUNT];
	size_t explicit_count;
	size_t elsewhere; /* rows with a number without a code */
	uint32_t *counts; /* by code; equal values are counted under the first one's code */
	size_t room;
	uint32_t *codes; /* with counts above 0, without null and missing */
	size_t code_count;
	size_t code_room;
	bool are_ranked; /* codes are sorted by value, with points in time before the comparison of their texts */

	double *numbers; /* see query_tally_gather() */
	size_t number_room;
	struct query_counted *counted; /* see query_tally_find_numbers() */
	size_t counted_count;
	size_t counted_room;
	struct numbers *in_order; /* see query_tally_find_numbers(); NULL: none */
	uint32_t *in_order_counts;
	size_t in_order_room;
	struct query_rising
		rising; /* the numbers, from the first to the last one with a count above 0 */
	size_t rising_distinct; /* numbers with a count above 0 */

	struct tally_value *values; /* see query_tally_list_words() */
	size_t value_count;
	size_t value_room;
};
void query_tally_done(struct tally *tally);
#define auto_tally __attribute__((cleanup(query_tally_done), unused)) struct tally

/* Counts a column and overwrites the previous counts. */
void query_tally_column(struct tally *tally, const struct mirror_column *column,
			const struct facet_rows *rows);
/* Returns whether two rows differ. Null and not recorded count as values. */
bool query_tally_varies(const struct tally *tally, const struct mirror_column *column,
			const struct facet_rows *rows);

/* Collects the numbers without codes: `elsewhere` of them, plus room for the extra items of a kernel. */
void query_tally_gather(struct tally *tally, const struct mirror_column *column,
			const struct facet_rows *rows);

/*
 * Counts each number, with or without a code, in `counted`, but the numbers that the column caches in sorted order
 * are in `rising` instead.
 */
void query_tally_find_numbers(struct tally *tally, const struct mirror_column *column,
			      const struct facet_rows *rows);
static inline size_t tally_distinct_numbers(const struct tally *tally)
{
	return tally->counted_count + tally->rising_distinct;
}

/* Add values to the list: words, or values that are neither words nor numbers. */
void query_tally_list_words(struct tally *tally, const struct mirror_column *column);
void query_tally_list_others(struct tally *tally, const struct mirror_column *column);
/*
 * Adds the `first` most frequent numbers (equally frequent ones by size), and some more. Modifies `counted` and
 * `rising`.
 */
void query_tally_list_numbers(struct tally *tally, size_t first);

/* Moves the first values of the list to its front. */
enum tally_by {
	TALLY_BY_VALUE,
	TALLY_BY_COUNT /* most frequent first; equally frequent ones by value */
};
void query_tally_put_first(struct tally *tally, const struct mirror_column *column, size_t first,
			   enum tally_by by);
