/* The sort order of values, and selection of the first ones of many. */
#pragma once

#include "mirror/view.h"

/* Returns the words of a field in their own order (verdicts, statuses), NULL-terminated; NULL: it has none. */
const char *const *query_order_words(const char *field_id);
/*
 * Compares two values of a field with these words: by class; numbers by size; times as points in time, before other
 * texts; words in their order, before other texts; others by code points. Returns 0 for equal values, also if only one
 * was set by the user, and for two spellings of one point in time.
 */
int query_order_positions(const char *const *words, const struct mirror_value *a,
			  const struct mirror_value *b);
/* The same, but two spellings of one point in time differ. */
int query_order_values(const char *const *words, const struct mirror_value *a,
		       const struct mirror_value *b);
/*
 * Returns the ranks of the column's values in this order; equal values share one. Not recorded has 0, null 1. Numbers
 * without a code have no rank. Call query_order_put() exactly once.
 */
struct ranks *query_order_ranks(const struct mirror_column *column);
void query_order_put(const struct mirror_column *column, struct ranks *ranks);
/*
 * Returns the position of a value: twice the rank plus 1 if an equal value exists, else twice the rank of the last one
 * before it plus 2.
 */
uint64_t query_order_find(const struct mirror_column *column, const struct ranks *ranks,
			  const struct mirror_value *value);

/*
 * Moves the `first` least items to the front, in order; the others have no defined order. Items have at most
 * QUERY_ORDER_ITEM_MAX bytes. `compare` is as in qsort_r() and never returns 0.
 */
#define QUERY_ORDER_ITEM_MAX 64
void query_order_first(void *items, size_t count, size_t size, size_t first,
		       int (*compare)(const void *, const void *, void *), void *context);
