/*
 * What a run has done so far, for another thread while the run goes on (a journal).
 *
 *	worker ── stores a count ──> lane ── reader's own time ──> bench_feed_take()
 *
 * - A worker only publishes: a request costs it three stores, nothing waits and nothing is allocated
 *   once the clock runs.
 * - A failed try that another one follows is given once that one begins: behind its request's
 *   acted(), in front of its over().
 * - A record is given twice: when it was acted on (of its fields only index, request_id, planned_ns,
 *   queued_ns and acted_ns may be read then) and when it is over: whole, it changes no more.
 * - One reader at a time. Records belong to the outcome: the last bench_feed_take() comes before
 *   res_outcome_free().
 */
#pragma once

#include "base/mem.h"
#include "result/record.h"

#include <stddef.h>

struct bench_feed_reader {
	void *data;
	void (*acted)(void *data, const struct res_record *record);
	void (*tried)(void *data, const struct res_record *record); /* NULL: not wanted */
	void (*over)(void *data, const struct res_record *record);
};

struct bench_feed;
struct bench_feed *bench_feed_new(void);
void bench_feed_free(struct bench_feed *feed);
PL_AUTO_DEFINE(struct bench_feed, bench_feed_free);
#define auto_feed PL_AUTO(bench_feed_free)

/* The run's start of sending; RES_NO_TIME before it. */
int64_t bench_feed_start_ns(const struct bench_feed *feed);
/* Gives all that is new since the last time, acted before over; returns how many records are
 * over. */
size_t bench_feed_take(struct bench_feed *feed, const struct bench_feed_reader *reader);
