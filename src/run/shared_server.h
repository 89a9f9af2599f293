/*
 * The life of a server that several runs share, one after the other: the first starts it, the last
 * ends it, and each is a run of its own in all other ways.
 *
 *	caller   slot opened      life.goes_on    run    life.goes_on    run    !goes_on   run
 *	server   ─────────────── up ────────────────────────────────────────────────────── down
 *
 * A run that was not in order (timeout, interrupted, the server died) ends the server, and so does
 * the caller who needs it no more; the next run starts another one, with a slot of its own.
 */
#pragma once

#include "run/run.h"
#include "run/steps/server.h"

struct run_launch;

struct run_shared_server {
	bool goes_on;         /* set by the caller: another run follows */
	const char *log_path; /* of the server, the caller's: it is no run's alone */
	bool caches_stay;     /* the server could not be told to empty them */

	/* of the server that is up */
	struct run_launch *launch; /* NULL: none is */
	struct run_server server;
	char mark[RES_RUN_ID_BYTES]; /* of its processes: the first run's id */
};

/* Is a server up, and alive? One that died meanwhile is cleared away, and the slot with it. */
bool run_shared_server_is_up(struct run_shared_server *life, struct run_slot *slot);
/* Ends the server, if one is up, and closes the slot. */
void run_shared_server_end(struct run_shared_server *life, struct run_slot *slot);

/* ---- for run.c ---- */

/* Redacts what is left in the log of a server that has ended. */
void run_shared_server_close_log(const struct run_shared_server *life);
