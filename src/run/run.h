/*
 * Runs one experiment: starts the server, sends the load, stops the server, writes the result. A run keeps no state in
 * the process. Its caller provides a slot with the stop request and the guard of its server, so one process can hold
 * several runs, in sequence or in parallel. run/single.h runs a single one.
 */
#pragma once

#include "experiment/config.h"
#include "result/document.h"

struct host_guard;
struct run_shared_server;
struct run_live;
struct run_stop;

/* The place of a run in a sweep. Borrows all texts. */
struct run_point {
	size_t number; /* from 1 */
	size_t count;
	const char *sweep_id;
	const char *sweep_name;
	const char *combination;
};

/* Takes snapshots of the run (LiveSnapshot in api/openapi.yaml), one per second, on a thread of the run. */
struct run_sink {
	void (*take)(void *data, const json_t *snapshot); /* must not wait */
	/*
	 * Takes each new phase of the snapshots, also one that is shorter than their interval, on any thread of the
	 * run; must not wait. NULL: not needed.
	 */
	void (*enter)(void *data, const char *phase);
	void *data;
	const char *command;           /* that repeats the run, for display; NULL: unknown */
	const char *page;              /* URL of the dashboard that shows the run; NULL: none */
	const struct run_point *point; /* borrowed; NULL: a single run */
};

struct run_settings {
	const char *output; /* path of the result; artifacts are next to it */
	bool quiet;         /* no progress */
	bool ends_with_reader; /* run_single() ends the run if nothing reads standard error, a pipe, any longer */
	bool forced; /* run in spite of validation errors */
	bool overwrite; /* replace the result at `output` (run/replace.h), and discard a journal that a killed run
			  * left there */
	char **failures; /* vLLM's lines on failed requests, for the caller; NULL: not needed */
	char **written; /* path of the result, `output` or next to it, for the caller; NULL: not needed */
	bool names_of_vllm;  /* charts are named after vLLM's flat result and are next to it */
	bool output_dropped; /* `output` is temporary: only the flat result remains */
	const struct run_sink *sink; /* NULL: none */
	int64_t wait_ns;             /* how long to wait for GPUs and ports in use; 0: not at all */
};

/* The place of a run in its process. */
struct run_slot {
	char run_id[RES_RUN_ID_BYTES];
	int64_t started_ns; /* CLOCK_MONOTONIC, and the real time at that moment */
	int64_t started_real_ns;
	struct host_guard *guard; /* NULL: starts no process */
	struct run_stop *stop;    /* borrowed: stops this run */
	struct run_live *live;    /* borrowed: shared with the starter of the run; NULL: none */
	struct run_shared_server *
		shared_server; /* borrowed: a server for several runs; NULL: only this run uses it */
};

/*
 * Call it before starting a thread or opening a file of the run: the guard is a process that must not inherit any. A
 * caller with several runs opens all slots first.
 */
int run_slot_open(const struct exp_config *experiment, struct run_stop *stop, struct run_slot *ret,
		  struct pl_err *err) PL_MUST_CHECK;
void run_slot_close(struct run_slot *slot);
/* Prepares the slot for another run on the server that its previous run left running (run/shared_server.h). */
void run_slot_next(struct run_slot *slot);

/*
 * Runs an experiment that passed the checks (run/check.h), to whatever end. Returns 0 if the result is written;
 * *ret_result is a new reference to it. Returns -1
 * - if the run did not start (invalid configuration, unwritable output, port in use): nothing was written, nothing is
 *   running, and *ret_result is NULL;
 * - if the result could not be written: *ret_result is set, and the journal (run/journal/journal.h) stays;
 * - if the result was written (settings->written), but vLLM's flat result could not be.
 * The slot's guard cannot be used again, unless its shared server continues.
 */
int run_experiment(const struct exp_config *experiment, const struct run_settings *settings,
		   struct run_slot *slot, json_t **ret_result, struct pl_err *err) PL_MUST_CHECK;
