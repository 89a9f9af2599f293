/*
 * Runs a sweep cell by cell. Cells with the same server configuration use one server, and several servers run in
 * parallel if there are resources for them.
 *
 *	FOLDER/sweep.jsonl          finished runs (sweep/journal.h)
 *	FOLDER/cells/KEY.json       the result of a run, with its artifacts
 *	FOLDER/servers/….log        the log of each server
 *	FOLDER/summary.json, .csv
 *
 * - A run is finished when its result is written. If the sweep is killed before, the run is repeated; if it is killed
 *   later, the result is found although the journal lacks it.
 * - Interrupted runs, and runs to be retried, count as unfinished.
 */
#pragma once

#include "run/run.h"
#include "sweep/history.h"
#include "sweep/journal.h"
#include "sweep/plan.h"

#include <stdint.h>

enum sweep_order {
	SWEEP_FEWEST_STARTS, /* server by server, in the order of the file */
	SWEEP_INTERLEAVED,   /* one block per repeat, with servers and loads shuffled in each */
};

struct sweep_settings {
	const char *folder;
	enum sweep_order order;
	int64_t repeats;
	/* repeats of each combination of the plan, at most `repeats`; NULL: all have `repeats` */
	const int64_t *cell_repeats;
	int64_t seed;
	const char *const *retry; /* statuses or verdicts of runs to retry */
	size_t retry_count;
	bool resume;
	bool quiet; /* no line per run */
	bool simulate;
	int64_t wait_ns; /* for GPUs and ports in use */
	int64_t jobs;    /* servers in parallel; 0: as many as the GPUs allow */
	int64_t job_cpus; /* minimum of separate processors per server with its load; 0: no binding */
	const struct sweep_history *history; /* earlier results, complete; NULL: none */
	int64_t gpus; /* for a forecast: number of GPUs of another host; 0: that of this host */
	/*
	 * Uploads a result; or NULL. Called in the process that made the result. -1: retried at the end of the sweep;
	 * with NETWORK, other results would fail, too; with TIMEOUT, that was reported for an earlier one.
	 */
	int (*send)(void *user, const char *path, struct pl_err *err);
	/*
	 * The same for FOLDER/summary.json, which has what results lack: the planned runs, the outcome of runs without
	 * a result, and the end of the sweep. -1: reported; the next summary contains everything.
	 */
	int (*send_summary)(void *user, const char *path, struct pl_err *err);
	/*
	 * Shows a run while it lasts; or NULL. begin_live returns the sink of its snapshots, or NULL; end_live is
	 * called after the run, with its result or NULL. Both are called in the process of the run.
	 */
	const struct run_sink *(*begin_live)(void *user, const struct run_point *point);
	void (*end_live)(void *user, const json_t *result);
	/* Called once for each new result, in the process that made it; or NULL. */
	void (*export_result)(void *user, const char *path);
	void *user;
};

struct sweep_outcome {
	size_t runs;   /* all in the file */
	size_t over;   /* finished runs, including those of earlier calls */
	size_t failed; /* finished runs that are neither completed nor partial */
	size_t partial;
	size_t not_sent;  /* results that were not uploaded */
	bool unreachable; /* the dashboard was unreachable */
	int signal;       /* the signal that ended it; 0: none */
};

/* Returns -1 if nothing was started, or the journal cannot be written. */
int sweep_run(const struct sweep_plan *plan, const struct sweep_settings *settings,
	      struct sweep_outcome *ret, struct pl_err *err) PL_MUST_CHECK;

/* The duration of the remaining runs, estimated from finished runs and earlier results. */
struct sweep_forecast {
	size_t runs;    /* remaining */
	size_t starts;  /* server starts that they need */
	size_t known;   /* runs that the estimate is based on; 0: unknown */
	double start_s; /* of a server, the median */
	double run_s;   /* of a run without the start, the median */
	double total_s;
	size_t at_once; /* servers in parallel */
};
int sweep_forecast(const struct sweep_plan *plan, const struct sweep_settings *settings,
		   struct sweep_forecast *ret, struct pl_err *err) PL_MUST_CHECK;
