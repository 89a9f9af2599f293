/*
 * How values stand one behind the other, and the first ones of many.
 */
#pragma once

#include "store/view.h"

/*
 * Two texts of a column: times as instants, verdicts and statuses in the order of their list (what is no
 * such word behind them), others by code points; JSON behind texts.
 */
int store_order_texts(const struct store_column *column, uint32_t a, uint32_t b);
/* The place of each text of the column, by its code, among all of them (free()). */
uint32_t *store_order_ranks(const struct store_column *column);

/*
 * The `first` least of the items come to the front, in order; of the others nothing is said. Items of at
 * most STORE_ORDER_ITEM_MAX bytes. `compare` as of qsort_r(); no two are alike to it.
 */
#define STORE_ORDER_ITEM_MAX 64
void store_order_first(void *items, size_t count, size_t size, size_t first,
		       int (*compare)(const void *, const void *, void *), void *context);
