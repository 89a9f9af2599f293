/*
 * How values stand one behind the other, and the first ones of many.
 */
#pragma once

#include "store/view.h"

/* The words of a field in their own order (verdicts, statuses), NULL-ended; NULL: it has none. */
const char *const *store_order_words(const char *field_id);
/*
 * Two values of a field with these words: by their class, numbers by size, times as instants and in
 * front of other texts, words in their order (what is none of them behind), others by code points. 0: alike,
 * also where the user has set but one of them, and of times where they are one instant.
 */
int store_order_places(const char *const *words, const struct store_value *a,
		       const struct store_value *b);
/* The same, with one instant that is written in two ways as two. */
int store_order_values(const char *const *words, const struct store_value *a,
		       const struct store_value *b);
/*
 * The place of each value of the column, by its code, among all of them (free()); those that are alike
 * share one. Of numbers without a code nothing is said.
 */
uint32_t *store_order_ranks(const struct store_column *column);

/*
 * The `first` least of the items come to the front, in order; of the others nothing is said. Items of at
 * most STORE_ORDER_ITEM_MAX bytes. `compare` as of qsort_r(); no two are alike to it.
 */
#define STORE_ORDER_ITEM_MAX 64
void store_order_first(void *items, size_t count, size_t size, size_t first,
		       int (*compare)(const void *, const void *, void *), void *context);
