/*
 * Fills a store with synthetic results. Several threads make and compress the documents; the calling thread stores them
 * in order, many per transaction.
 */
#pragma once

#include "demo/history.h"
#include "store/store.h"

struct demo_fill {
	struct store *store;
	const struct demo *history;
	int64_t rows;
	/* Called after each transaction; false: stop. */
	bool (*on_progress)(void *context, int64_t done);
	void *context;
};

/* *ret_counts: number of results by enum store_outcome. Returns -1 if a result could not be made or stored. */
int demo_fill(const struct demo_fill *fill, int64_t ret_counts[STORE_OUTCOME_COUNT],
	      struct pl_err *err) PL_MUST_CHECK;
