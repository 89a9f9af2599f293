/* The workers' side of a feed. All functions accept NULL for a run without a reader. */
#pragma once

#include "bench/load/feed.h"

#include <stdatomic.h>

/* A failed try that was retried. */
struct bench_try {
	struct res_record record;
	_Atomic(struct bench_try *) next; /* of the same worker */
};

/* Before the workers start: request i of worker w is records[w + i * workers]. */
void bench_feed_attach(struct bench_feed *feed, const struct res_record *records, size_t count,
		       unsigned workers);
/* Detaches the records before the reader has seen the end. */
void bench_feed_detach(struct bench_feed *feed);
void bench_feed_start(struct bench_feed *feed, int64_t start_ns);
/* Reports that the next request of worker `w` was acted on. */
void bench_feed_acted(struct bench_feed *feed, unsigned w, uint64_t index);
/* Sets the first failed try of worker `w`; later ones are linked by `next`. */
void bench_feed_tried(struct bench_feed *feed, unsigned w, struct bench_try *first);
/* Reports that record `index` of the plan, one of worker w's, has finished. */
void bench_feed_over(struct bench_feed *feed, unsigned w, uint64_t index);
