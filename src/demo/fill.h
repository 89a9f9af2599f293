/*
 * Made-up results into a store. Several threads make the documents and pack them; the
 * calling thread stores them, many in a transaction and in their order.
 */
#pragma once

#include "demo/history.h"
#include "store/store.h"

struct dash_fill {
	struct store *store;
	const struct dash_history *history;
	int64_t rows;
	/* After each transaction; false: that is enough. */
	bool (*told)(void *context, int64_t done);
	void *context;
};

/* *ret_counts: what became of them, by enum store_outcome. -1: one could not be made, or stored. */
int dash_fill(const struct dash_fill *fill, int64_t ret_counts[STORE_OUTCOME_COUNT],
	      struct pl_err *err) PL_MUST_CHECK;
