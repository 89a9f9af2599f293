/*
 * The workers' side of a feed. All take NULL for a run that nobody follows.
 */
#pragma once

#include "bench/load/feed.h"

#include <stdatomic.h>

/* A failed try that another one followed. */
struct bench_try {
	struct res_record record;
	_Atomic(struct bench_try *) next; /* of the same worker */
};

/* Before the workers start: request i of worker w is records[w + i * workers]. */
void bench_feed_attach(struct bench_feed *feed, const struct res_record *records, size_t count,
		       unsigned workers);
/* The records go away before the reader has seen the end. */
void bench_feed_detach(struct bench_feed *feed);
void bench_feed_start(struct bench_feed *feed, int64_t start_ns);
/* The next request of worker `w` was acted on. */
void bench_feed_acted(struct bench_feed *feed, unsigned w);
/* Worker `w` has its first failed try; those behind it are found by `next`. */
void bench_feed_tried(struct bench_feed *feed, unsigned w, struct bench_try *first);
/* Record `index` of the plan, one of worker w's, is over. */
void bench_feed_over(struct bench_feed *feed, unsigned w, uint64_t index);
