/*
 * What goes along with every step of a run: what was asked for, whom it may tell of it, and what ends
 * it. A step takes this and what the steps before it made, and gives back what it makes; it returns
 * -1 through run_fail() where the run has to end.
 *
 * - Nothing of it belongs to the process: runs may follow one another in one, or go on side by side.
 * - Everything is borrowed. Times are CLOCK_MONOTONIC ns, as all through a run.
 */
#pragma once

#include "experiment/config.h"
#include "result/document.h"
#include "run/stop.h"

struct run_journal;
struct run_live;

/* What a run is at, and how it ended. */
struct run_ending {
	enum res_stage stage;
	enum res_status status;
	enum res_cause cause; /* RES_CAUSE_COUNT: none is known */
	struct pl_err why;    /* PL_ERR_NONE: nothing went wrong */
};

struct run_context {
	const struct exp_config *experiment;
	const char *run_id;
	const char *mark;   /* of the server's processes: its first run's id */
	bool joins;         /* the server was up already, from a run before (run/shared_server.h) */
	int64_t started_ns; /* less what was waited for GPUs and ports */
	int64_t started_real_ns;
	bool quiet; /* the user wants no progress */
	struct run_stop *stop;
	struct run_live *live;       /* NULL: nobody looks on, and no other of its kind goes on */
	struct run_journal *journal; /* NULL: none is kept */
	struct run_ending *ending;
};

/* Ends the run with this status, and why; a signal that came first makes it `interrupted`. Returns
 * -1. */
int run_fail(const struct run_context *run, enum res_status status, enum res_cause cause,
	     enum pl_err_code code, const char *format, ...) PL_PRINTF(5, 6);
int run_fail_err(const struct run_context *run, enum res_status status, enum res_cause cause,
		 const struct pl_err *why);
/* The same for a run that was asked to end, with no other reason. */
int run_fail_interrupted(const struct run_context *run);
/* -1, as run_fail_interrupted(), where the run was asked to end. */
int run_check_stop(const struct run_context *run);

/* A line for the user on standard error, unless he wants none. */
void run_say(const struct run_context *run, const char *format, ...) PL_PRINTF(2, 3);
