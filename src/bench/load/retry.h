/*
 * Tries beyond the first: which failures are followed by another, when, and what is kept of them.
 * The worker's thread only, but for bench_retry_gather().
 */
#pragma once

#include "result/outcome.h"

#include <stdbool.h>

struct bench_req;
struct bench_stream;
struct bench_worker;

/* The try is over, and what it came to is in the record. True: another one follows, `req` waits. */
bool bench_retry_take(struct bench_worker *worker, struct bench_req *req,
		      const struct bench_stream *stream);
/* Ends what waits as failed with `kind`. */
void bench_retry_end_all(struct bench_worker *worker, const char *kind, const char *error);
/* All workers' failed tries, by request and number; they are the outcome's then. */
void bench_retry_gather(struct bench_worker *workers, unsigned count, struct res_outcome *outcome);
void bench_retry_done(struct bench_worker *worker);
