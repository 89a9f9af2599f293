/*
 * A server that several runs use in sequence: the first run starts it, the last one ends it, and each is otherwise a
 * run of its own.
 *
 *	caller   slot opened      life.goes_on    run    life.goes_on    run    !goes_on   run
 *	server   ─────────────── up ────────────────────────────────────────────────────── down
 *
 * A failed run (timeout, interrupted, the server died) ends the server, and so does a caller that no longer needs it.
 * The next run starts another one, with a new slot.
 */
#pragma once

#include "run/run.h"
#include "run/steps/server.h"

struct run_launch;

struct run_shared_server {
	bool goes_on;         /* set by the caller: another run follows */
	const char *log_path; /* of the server, owned by the caller: it belongs to no single run */
	bool caches_stay;     /* the server could not reset its caches */

	/* of the running server */
	struct run_launch *launch; /* NULL: none is running */
	struct run_server server;
	char mark[RES_RUN_ID_BYTES]; /* of its processes: the first run's id */
};

/* Returns whether a server is running. If it has died, closes it and the slot. */
bool run_shared_server_is_up(struct run_shared_server *shared_server, struct run_slot *slot);
/* Ends the server if one is running, and closes the slot. */
void run_shared_server_end(struct run_shared_server *shared_server, struct run_slot *slot);

/* ---- for run.c ---- */

/* Redacts the remaining log of a server that has ended. */
void run_shared_server_close_log(const struct run_shared_server *shared_server);
