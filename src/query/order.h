/*
 * How values stand one behind the other, and the first ones of many.
 */
#pragma once

#include "mirror/view.h"

/* The words of a field in their own order (verdicts, statuses), NULL-ended; NULL: it has none. */
const char *const *query_order_words(const char *field_id);
/*
 * Two values of a field with these words: by their class, numbers by size, times as instants and in
 * front of other texts, words in their order (what is none of them behind), others by code points. 0: alike,
 * also where the user has set but one of them, and of times where they are one instant.
 */
int query_order_places(const char *const *words, const struct mirror_value *a,
		       const struct mirror_value *b);
/* The same, with one instant that is written in two ways as two. */
int query_order_values(const char *const *words, const struct mirror_value *a,
		       const struct mirror_value *b);
/*
 * The places of the column's values among all of them; those that are alike share one. Not recorded is at
 * 0, null at 1. Of numbers without a code nothing is said. query_order_put() exactly once.
 */
struct ranks *query_order_ranks(const struct mirror_column *column);
void query_order_put(const struct mirror_column *column, struct ranks *ranks);
/*
 * Where a value would be: twice its place and 1 where one is there that is alike, else twice that of the last one in
 * front of it and 2.
 */
uint64_t query_order_find(const struct mirror_column *column, const struct ranks *ranks,
			  const struct mirror_value *value);

/*
 * The `first` least of the items come to the front, in order; of the others nothing is said. Items of at
 * most QUERY_ORDER_ITEM_MAX bytes. `compare` as of qsort_r(); no two are alike to it.
 */
#define QUERY_ORDER_ITEM_MAX 64
void query_order_first(void *items, size_t count, size_t size, size_t first,
		       int (*compare)(const void *, const void *, void *), void *context);
