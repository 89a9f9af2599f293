/*
 * Sessions: requests of a plan that follow each other. A turn is sent after the response to the turn before it, so a
 * session never overtakes itself.
 *
 *   start (planned) ──> response ──gap──> turn 1 ──> response ──gap──> turn 2 …
 *
 * - Only the first turns are in the schedule; each later one becomes due when its predecessor ends.
 * - A conversation grows: the body of a turn contains the messages and the responses of the turns before it.
 * - After a failed turn a conversation ends: its other turns have no history, and are not sent.
 * - All belong to one worker. Memory of a conversation is freed with its end.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct bench_load;
struct bench_req;
struct bench_sessions;
struct bench_worker;

/* Returns the number of requests in the schedule: those before the first later turn. */
size_t bench_sessions_starts(const struct bench_load *load);
/* NULL if the plan has no later turns. */
struct bench_sessions *bench_sessions_new(const struct bench_load *load);
void bench_sessions_free(struct bench_sessions *sessions);

/* The functions below accept NULL: no sessions. */

/* Returns whether another session may start. */
bool bench_sessions_may_start(const struct bench_sessions *sessions);
/* Returns the index of the request that is due next, and when; false: none waits. */
bool bench_sessions_next(const struct bench_sessions *sessions, size_t *ret_index,
			 int64_t *ret_due_ns);
/* Removes the request that bench_sessions_next() returned. */
void bench_sessions_take(struct bench_sessions *sessions);
/* Sets the body and the due time of a request that is about to be sent, and counts the start of a session. */
void bench_sessions_begin(struct bench_sessions *sessions, struct bench_req *req,
			  int64_t planned_ns);
/* Takes the outcome of a turn: makes the next one due, or ends the session. */
void bench_sessions_over(struct bench_sessions *sessions, struct bench_worker *worker,
			 struct bench_req *req);
