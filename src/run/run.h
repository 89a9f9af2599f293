/*
 * One experiment: server up, load, server down, result written.
 */
#ifndef RUN_RUN_H
#define RUN_RUN_H

#include "experiment/config.h"
#include "result/document.h"

struct run_settings {
	const char *output;  /* the result's path; side files lie beside it */
	bool quiet;          /* no progress */
	bool forced;         /* validation errors were passed over */
	bool overwrite;      /* a journal that a killed run left may be given up */
	char **failures;     /* vLLM's lines on failed requests; the caller's; NULL: not wanted */
	bool names_of_vllm;  /* pictures are named after vLLM's flat result and lie beside it */
	bool output_dropped; /* `output` is not kept: what stays is the flat result */
	int64_t wait_ns;     /* for GPUs and ports that others hold; 0: not at all */
};

/*
 * Runs to whatever end. 0: the result is written, *ret_result is it (new reference). -1: it did not
 * start, nothing was written and nothing runs (bad configuration, unwritable output, port in use),
 * and *ret_result is NULL; or the result could not be written, *ret_result is it all the same, and
 * its journal (run/journal/journal.h) stays.
 * Takes SIGINT, SIGTERM and SIGHUP while it runs; *ret_signal: which of them ended it, 0: none.
 */
int run_experiment(const struct exp_config *experiment, const struct run_settings *options,
		   json_t **ret_result, int *ret_signal, struct pl_err *err) PL_MUST_CHECK;

/* What can be checked without starting anything: options, data set, adapter. */
int run_check(const struct exp_config *experiment, struct pl_err *err) PL_MUST_CHECK;

#endif
