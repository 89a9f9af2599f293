/*
 * Retries: which failures are retried, when, and what is stored of failed tries. All calls belong
 * to the worker's thread, except bench_retry_gather().
 */
#pragma once

#include "result/outcome.h"

#include <stdbool.h>

struct bench_req;
struct bench_stream;
struct bench_worker;

/*
 * Ends a try, whose outcome is in the record. Returns true if it will be retried; `req` then waits.
 */
bool bench_retry_take(struct bench_worker *worker, struct bench_req *req,
		      const struct bench_stream *stream);
/* Ends all waiting requests as failed with `kind`. */
void bench_retry_end_all(struct bench_worker *worker, const char *kind, const char *error);
/* Moves all workers' failed tries to the outcome, sorted by request and number. */
void bench_retry_gather(struct bench_worker *workers, unsigned count, struct res_outcome *outcome);
void bench_retry_done(struct bench_worker *worker);
