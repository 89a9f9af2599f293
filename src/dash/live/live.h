/*
 * Runs in progress: keeps the last snapshot of each run in memory, with a history, and sends them to listeners as
 * server-sent events.
 *
 *   POST ──> dash_live_put ──> runs ──> the clock thread: silent? ended? forgotten?
 *                                          │ wakes the listeners for which there is something new
 *                          the finder: is the result stored? (its own thread: a slow database delays no snapshot)
 *   GET  ──> dash_live_listen ──> stream ──┴──> history, snapshot …, silent, ended, or a comment after 15 s
 *
 * - A listener is a suspended connection: it needs no thread, and nothing is done for it until there is something new.
 *   A slow one skips snapshots, so nothing is queued for it. A snapshot is encoded once for all its listeners.
 * - Everything is bounded: runs, points of a history, listeners. The contract bounds a snapshot.
 * - All functions may be called from any thread.
 */
#pragma once

#include "base/err.h"
#include "base/json.h"
#include "dash/answer.h"

#include <stdint.h>

#define DASH_LIVE_RUNS_MAX      200
#define DASH_LIVE_LISTENERS_MAX 128
/* of one user, who must not take all */
#define DASH_LIVE_USER_LISTENERS_MAX 32
#define DASH_LIVE_POINTS_MAX         600

struct dash_live;

struct dash_live_options {
	/* Returns the id of the stored result with this run_id; 0: none. Called by the finder. */
	int64_t (*find)(void *data, const char *run_id);
	/* Returns a number that changes with the stored results. Called by the finder. */
	int64_t (*version)(void *data);
	void *data;
	/* Time units of the limits below, so that tests need not wait: 1 s otherwise. */
	int64_t second_ns;
};

int dash_live_start(const struct dash_live_options *options, struct dash_live **ret,
		    struct pl_err *err) PL_MUST_CHECK;
/* Ends all streams; later ones end at once. */
void dash_live_end(struct dash_live *live);
/* Call it after the last stream was freed. Frees everything. NULL: does nothing. */
void dash_live_stop(struct dash_live *live);

enum dash_live_put_result { DASH_LIVE_TAKEN, DASH_LIVE_OLD, DASH_LIVE_FULL, DASH_LIVE_FOREIGN };
/*
 * Takes a snapshot that fits the contract. user: who sends it; NULL: unknown. OLD: it was ignored. FULL: no further run
 * fits. FOREIGN: another user reports this run, and has not been silent for a minute.
 */
enum dash_live_put_result dash_live_put(struct dash_live *live, const json_t *snapshot,
					const char *user);

/* Returns the list of runs, {"runs": [...]}. free() */
char *dash_live_list(struct dash_live *live);
/* Returns the last snapshot of a run with the members that the server adds; NULL: unknown run. free() */
char *dash_live_get(struct dash_live *live, const char *run_id);

enum dash_live_listen_result {
	DASH_LIVE_LISTENS,
	DASH_LIVE_UNKNOWN,
	DASH_LIVE_CROWDED, /* by all users */
	DASH_LIVE_GREEDY,  /* by this user */
};
/* Opens a stream of one run, or of the list if run_id is NULL. user NULL: without access control, which has no limit per user. */
enum dash_live_listen_result dash_live_listen(struct dash_live *live, const char *run_id,
					      const char *user, struct dash_stream **ret);
/* Counts runs and open streams. */
void dash_live_count(struct dash_live *live, unsigned *ret_runs, unsigned *ret_streams);
