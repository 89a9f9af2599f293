/*
 * What is in one column, counted over some rows. One after the other may be counted with one tally, whose
 * memory is used again.
 */
#pragma once

#include "query/facets/facet_priv.h"
#include "query/facets/histogram.h"
#include "mirror/shelf.h"

/* One value, whoever has set it, and how many rows have it. */
struct tally_value {
	struct mirror_value value;
	size_t count;
};

struct tally {
	size_t class_counts[MIRROR_CLASS_COUNT];
	size_t explicit_count;
	size_t elsewhere; /* rows with a number that has no code */
	uint32_t *counts; /* by code, of values that are the same by the first one's */
	size_t room;
	uint32_t *codes; /* that are there, but for those of what is nothing */
	size_t code_count;
	size_t code_room;
	bool are_ranked; /* codes stand in the order of their values, instants in no order of their texts */

	double *numbers; /* see query_tally_gather() */
	size_t number_room;
	struct query_counted *counted; /* see query_tally_count_numbers() */
	size_t counted_count;
	size_t counted_room;
	struct numbers *in_order; /* see query_tally_find_numbers(); NULL: none */
	uint32_t *in_order_counts;
	size_t in_order_room;
	struct query_rising rising; /* of them, from the first that is there to the last */
	size_t rising_distinct;     /* of them that are there */

	struct tally_value *values; /* see query_tally_list_words() */
	size_t value_count;
	size_t value_room;
};
void query_tally_done(struct tally *tally);
#define auto_tally __attribute__((cleanup(query_tally_done), unused)) struct tally

/* Overwrites what was counted before. */
void query_tally_column(struct tally *tally, const struct mirror_column *column,
			const struct facet_rows *rows);
/* Are there two rows that differ? Null and not recorded count as any value. */
bool query_tally_varies(const struct tally *tally, const struct mirror_column *column,
			const struct facet_rows *rows);

/* The numbers that have no code: `elsewhere` of them, with room for as many as a kernel writes behind them. */
void query_tally_gather(struct tally *tally, const struct mirror_column *column,
			const struct facet_rows *rows);
/* How often there is each number, with a code or without: `counted`. */
void query_tally_count_numbers(struct tally *tally, const struct mirror_column *column,
			       const struct facet_rows *rows);

/* The same, but those that the column keeps in order stand in `rising`, and nowhere else. */
void query_tally_find_numbers(struct tally *tally, const struct mirror_column *column,
			      const struct facet_rows *rows);
static inline size_t tally_distinct_numbers(const struct tally *tally)
{
	return tally->counted_count + tally->rising_distinct;
}

/* Values come into the list: words, or what is neither a word nor a number. */
void query_tally_list_words(struct tally *tally, const struct mirror_column *column);
void query_tally_list_others(struct tally *tally, const struct mirror_column *column);
/* So do counted numbers: the `first` most frequent ones, those alike by size, and some more. `counted` and
 * `rising` are used up. */
void query_tally_list_numbers(struct tally *tally, size_t first);

/* The first ones of the list come to its front. */
enum tally_by { TALLY_BY_VALUE, TALLY_BY_COUNT /* the most frequent ones; those alike by value */ };
void query_tally_put_first(struct tally *tally, const struct mirror_column *column, size_t first,
			   enum tally_by by);
