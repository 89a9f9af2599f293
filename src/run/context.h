/*
 * The context of every step of a run: the request, where to report, and what ends the run. A step takes this and the
 * output of earlier steps, and returns its own output. It returns -1 through run_fail() if the run must end.
 * - Nothing in it belongs to the process: one process may hold several runs, in sequence or in parallel.
 * - Everything is borrowed. Times are CLOCK_MONOTONIC ns, as everywhere in a run.
 */
#pragma once

#include "experiment/config.h"
#include "result/document.h"
#include "run/stop.h"

struct run_journal;
struct run_live;
struct run_watch;

/* The stage of a run, and how it ended. */
struct run_ending {
	enum res_stage stage;
	enum res_status status;
	enum res_cause cause; /* RES_CAUSE_COUNT: unknown */
	struct pl_err why;    /* PL_ERR_NONE: no failure */
};

struct run_context {
	const struct exp_config *experiment;
	const char *run_id;
	const char *mark; /* of the server's processes: the id of its first run */
	bool joins; /* the server was already running, from an earlier run (run/shared_server.h) */
	int64_t started_ns; /* excluding the wait for GPUs and ports */
	int64_t started_real_ns;
	bool quiet; /* without progress */
	struct run_stop *stop;
	struct run_live *live;       /* NULL: no starter, and no other active runs */
	struct run_journal *journal; /* NULL: none */
	struct run_watch *watch;     /* NULL: none */
	struct run_ending *ending;
};

/* Ends the run with this status and reason; after an earlier signal, the status is `interrupted`. Returns -1. */
int run_fail(const struct run_context *run, enum res_status status, enum res_cause cause,
	     enum pl_err_code code, const char *format, ...) PL_PRINTF(5, 6);
int run_fail_err(const struct run_context *run, enum res_status status, enum res_cause cause,
		 const struct pl_err *why);
/* The same for a run that was asked to stop, without another reason. */
int run_fail_interrupted(const struct run_context *run);
/* Returns -1, as run_fail_interrupted(), if the run was asked to stop. */
int run_check_stop(const struct run_context *run);

/* Prints a line on standard error, unless the run is quiet. */
void run_log(const struct run_context *run, const char *format, ...) PL_PRINTF(2, 3);
