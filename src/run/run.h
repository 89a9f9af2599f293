/*
 * One experiment: server up, load, server down, result written.
 *
 * A run keeps nothing in the process: its caller gives it a slot, with the wish to end and the guard
 * of its server, so that one process can hold several, one after the other or side by side.
 * run/alone.h is the caller of one.
 */
#pragma once

#include "experiment/config.h"
#include "result/document.h"

struct host_guard;
struct run_shared_server;
struct run_live;
struct run_stop;

struct run_settings {
	const char *output; /* the result's path; side files lie beside it */
	bool quiet;         /* no progress */
	bool forced;        /* validation errors were passed over */
	bool overwrite;  /* what stands at `output` may be replaced (run/replace.h), and a journal
			      * that a killed run left there be given up */
	char **failures; /* vLLM's lines on failed requests; the caller's; NULL: not wanted */
	char **written; /* where the result is, `output` or beside it; the caller's; NULL: not wanted */
	bool names_of_vllm;  /* pictures are named after vLLM's flat result and lie beside it */
	bool output_dropped; /* `output` is not kept: what stays is the flat result */
	int64_t wait_ns;     /* for GPUs and ports that others hold; 0: not at all */
};

/* A run's place in its process. */
struct run_slot {
	char run_id[RES_RUN_ID_BYTES];
	int64_t started_ns; /* CLOCK_MONOTONIC, and the real time then */
	int64_t started_real_ns;
	struct host_guard *guard; /* NULL: nothing of ours is started */
	struct run_stop *stop;    /* borrowed: asks this run to end */
	struct run_live *live;    /* borrowed: who has started it looks on; NULL: nobody does */
	struct run_shared_server
		*life; /* borrowed: of a server for several runs; NULL: it is this run's */
};

/*
 * Before any thread is started, and any file of the run opened: the guard is a process that must hold
 * none of them. A caller of several opens all slots first.
 */
int run_slot_open(const struct exp_config *experiment, struct run_stop *stop, struct run_slot *ret,
		  struct pl_err *err) PL_MUST_CHECK;
void run_slot_close(struct run_slot *slot);
/* For another run on the server that the last one in this slot has left up (run/shared_server.h). */
void run_slot_next(struct run_slot *slot);

/*
 * Runs an experiment in which the checks found no fault (run/check.h) to whatever end. 0: the result is written, *ret_result is it (new reference). -1: it did not
 * start, nothing was written and nothing runs (bad configuration, unwritable output, port in use),
 * and *ret_result is NULL; or the result could not be written, *ret_result is it all the same, and
 * its journal (run/journal/journal.h) stays; or it was (settings->written), and vLLM's flat one could
 * not be. The slot's guard is used up, but where its life goes on with the server.
 */
int run_experiment(const struct exp_config *experiment, const struct run_settings *settings,
		   struct run_slot *slot, json_t **ret_result, struct pl_err *err) PL_MUST_CHECK;
