/*
 * Progress of a run, for other threads (a journal, a live view).
 *
 *  worker ── stores a count ──> lane ── whenever the reader runs ──> bench_feed_take()
 *
 * - A worker only publishes: a request takes three stores, without waiting or allocating during the
 *   measurement.
 * - A failed try that is retried is reported once the next try begins: after its request's acted(),
 *   before its over().
 * - A record is reported twice: when it is acted on (then only index, request_id, planned_ns,
 *   queued_ns and acted_ns may be read), and when it has finished: complete and final.
 * - Each reader has its own positions; they read one at a time. Records belong to the outcome: the last bench_feed_take() must precede
 *   res_outcome_free().
 */
#pragma once

#include "base/mem.h"
#include "result/record.h"

#include <stddef.h>

#define BENCH_FEED_READERS_MAX 2

struct bench_feed_reader {
	void *data;
	void (*acted)(void *data, const struct res_record *record);
	void (*tried)(void *data, const struct res_record *record); /* NULL: not needed */
	void (*over)(void *data, const struct res_record *record);
	unsigned index; /* below BENCH_FEED_READERS_MAX, different for each reader of a run */
};

struct bench_feed;
struct bench_feed *bench_feed_new(void);
void bench_feed_free(struct bench_feed *feed);
PL_AUTO_DEFINE(struct bench_feed, bench_feed_free);
#define auto_feed PL_AUTO(bench_feed_free)

/* Returns the start of sending; RES_NO_TIME before it. */
int64_t bench_feed_start_ns(const struct bench_feed *feed);
/*
 * Reports everything new since this reader's last call, acted before over; returns the number of finished
 * records.
 */
size_t bench_feed_take(struct bench_feed *feed, const struct bench_feed_reader *reader);
