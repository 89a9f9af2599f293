/*
 * Made-up results into a store. Several threads make the documents and pack them; the
 * calling thread stores them, many in a transaction and in their order.
 */
#pragma once

#include "demo/history.h"
#include "store/store.h"

struct demo_fill {
	struct store *store;
	const struct demo *history;
	int64_t rows;
	/* After each transaction; false: that is enough. */
	bool (*told)(void *context, int64_t done);
	void *context;
};

/* *ret_counts: what became of them, by enum store_outcome. -1: one could not be made, or stored. */
int demo_fill(const struct demo_fill *fill, int64_t ret_counts[STORE_OUTCOME_COUNT],
	      struct pl_err *err) PL_MUST_CHECK;
