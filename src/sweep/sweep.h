/*
 * A sweep that runs: cell after cell, those of one server configuration on one server, and several
 * servers at once where there is room for them.
 *
 *	FOLDER/sweep.jsonl       what is over (sweep/journal.h)
 *	FOLDER/cells/KEY.json    the result of a run, with its side files
 *	FOLDER/servers/….log     what each server said
 *	FOLDER/summary.json, .csv
 *
 * - A run is over when its result stands in its place. Killed before, it is run again; killed
 *   later, it is found, though the journal does not have it.
 * - Not over is what was interrupted, and what is to be tried again.
 */
#pragma once

#include "sweep/history.h"
#include "sweep/journal.h"
#include "sweep/plan.h"

#include <stdint.h>

enum sweep_order {
	SWEEP_FEWEST_STARTS, /* server by server, in the order of the file */
	SWEEP_INTERLEAVED,   /* a block for each repeat, servers and loads shuffled in each */
};

struct sweep_settings {
	const char *folder;
	enum sweep_order order;
	int64_t repeats;
	int64_t seed;
	const char *const *retry; /* statuses or verdicts of runs that are to be tried again */
	size_t retry_count;
	bool resume;
	bool quiet; /* no line a run */
	bool simulate;
	int64_t wait_ns; /* for GPUs and ports that others hold */
	int64_t jobs;    /* servers at once; 0: as many as GPUs allow */
	int64_t job_cpus; /* processors of its own that each has at least, with its load; 0: none has */
	const struct sweep_history *history; /* earlier results, settled; NULL: none */
	int64_t gpus; /* of a forecast alone: what another host has; 0: this one's count */
	/*
	 * Sends a result that stands to where all are wanted; NULL: nowhere. In whichever process has
	 * made it. -1: it is tried again at the end of the sweep; of NETWORK all others would fail alike.
	 */
	int (*send)(void *user, const char *path, struct pl_err *err);
	/* The same of FOLDER/summary.json, which tells what no result does: what there is to run, how a
	 * run ended that has no result, that all is over. -1: that is said, and the next one tells it. */
	int (*send_summary)(void *user, const char *path, struct pl_err *err);
	void *user;
};

struct sweep_outcome {
	size_t runs;   /* all that the file asks for */
	size_t over;   /* of them, with those of earlier calls */
	size_t failed; /* of those over: neither completed nor partial */
	size_t partial;
	size_t not_sent;  /* results that stand */
	bool unreachable; /* where they were to be sent */
	int signal;       /* that ended it; 0: none */
};

/* -1: nothing was started, or the journal cannot be written. */
int sweep_run(const struct sweep_plan *plan, const struct sweep_settings *settings,
	      struct sweep_outcome *ret, struct pl_err *err) PL_MUST_CHECK;

/* How long what is left takes, by the runs that are over and by earlier results. */
struct sweep_forecast {
	size_t runs;    /* that are left */
	size_t starts;  /* of servers, for them */
	size_t known;   /* runs that it is told from; 0: nothing is known */
	double start_s; /* of a server, the median */
	double run_s;   /* of a run beside that, the median */
	double total_s;
	size_t at_once; /* servers */
};
int sweep_forecast(const struct sweep_plan *plan, const struct sweep_settings *settings,
		   struct sweep_forecast *ret, struct pl_err *err) PL_MUST_CHECK;
