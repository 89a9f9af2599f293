/*
 * What is in one column, counted over some rows. One after the other may be counted with one tally, whose
 * memory is used again.
 */
#pragma once

#include "store/facet_priv.h"

/* One value, whoever has set it, and how many rows have it. */
struct tally_value {
	struct store_value value;
	size_t count;
};

struct tally {
	size_t class_counts[STORE_CLASS_COUNT];
	size_t explicit_count;
	size_t elsewhere; /* rows with a number that has no code */
	uint32_t *counts; /* by code, of values that are the same by the first one's */
	size_t room;

	struct tally_value *values; /* see tally_list() */
	size_t value_count;
	size_t value_room;
};
void tally_done(struct tally *tally);
#define auto_tally __attribute__((cleanup(tally_done), unused)) struct tally

/* Overwrites what was counted before. */
void tally_column(struct tally *tally, const struct store_column *column,
		  const struct facet_rows *rows);
/* Are there two rows that differ? Null and not recorded count as any value. */
bool tally_varies(const struct tally *tally, const struct store_column *column,
		  const struct facet_rows *rows);

/* Values come into the list: texts that are words, or all that are none; with or without the numbers
 * that have no code, which have to be looked at one by one. */
void tally_list_words(struct tally *tally, const struct store_column *column);
void tally_list_others(struct tally *tally, const struct store_column *column);
void tally_list_numbers(struct tally *tally, const struct store_column *column,
			const struct facet_rows *rows);
