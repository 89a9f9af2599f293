/*
 * vLLM's sweeps (`vllm bench sweep serve | serve_workload | serve_sla | startup`): commands of the user,
 * each with the parameters of a combination, in the folder that vLLM would make of them:
 *
 *	FOLDER/SERVE--a=1-BENCH--b=2/run=0.json, …    a run: what the command wrote, and its parameters
 *	                             warmup.json      of the run before them, which counts nowhere
 *	                             run=0.failure.json
 *	                             summary.json     all runs
 *	FOLDER/SERVE-a=1-failure.json                 the server did not start
 *	FOLDER/summary.csv                            a row a run
 *	FOLDER/…-WL--request_rate=6/                  WORKLOAD: the same for each value of its variable
 *	FOLDER/SERVE--a=1-BENCH--b=2/request_rate=6/  SLA: the same, and SLA--CRITERIA.json, the runs of
 *	                                              the largest value within them
 *
 * What is vLLM's is read and written as vLLM does, so that either can go on where the other ended. Beside
 * it lie logs (run=0.log, SERVE-a=1.log) and what a failed run has left (run=0.failed.json).
 *
 * A run is over when its file has its number, which comes last; what a kill has left without one is run
 * again. A server is started when the first run needs it, and once for all of its runs.
 */
#pragma once

#include "base/json.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum sweep_vllm_kind { SWEEP_VLLM_SERVE, SWEEP_VLLM_WORKLOAD, SWEEP_VLLM_SLA, SWEEP_VLLM_STARTUP };

/* All borrowed. */
struct sweep_vllm_settings {
	enum sweep_vllm_kind kind;
	const json_t *serve_command; /* STARTUP: none */
	const json_t *bench_command; /* STARTUP: the startup command */
	const json_t *after_command; /* in place of emptying caches; NULL: none */
	const json_t *serve_params;  /* sweep_vllm_params_read() */
	const json_t *bench_params;
	const json_t *links;  /* sweep_vllm_links_parse() */
	const char *variable; /* WORKLOAD, SLA: request_rate or max_concurrency */
	int64_t iterations;   /* WORKLOAD: values, both ends included; at least 2 */
	const json_t *limits; /* SLA: sweep_vllm_sla_read() */
	bool by_spline;       /* SLA: the rules from 0.14.1 on, else those before */
	const char *folder;
	int64_t runs;           /* of a combination */
	int64_t warmup_prompts; /* 0: no run before them */
	int64_t ready_timeout_ns;
	int64_t stop_timeout_ns; /* between SIGTERM and SIGKILL */
	bool continue_on_error;
	bool show_output; /* of the commands, on standard output */
	bool resume;
	bool dry_run;
	bool quiet; /* no markers */
};

struct sweep_vllm_outcome {
	size_t combinations; /* that the parameter files have; workload and SLA: each with several
			      * values */
	size_t measured;
	size_t reused;  /* they were there */
	size_t failed;  /* runs and servers */
	size_t servers; /* that were started */
	int signal;     /* that ended it; 0: none */
};

/*
 * What can be known before anything starts: programs are there, and so is the way in which caches are
 * emptied, no two combinations lie in one folder, FOLDER is there or not. -1: INVALID, NOT_FOUND, IO.
 */
int sweep_vllm_check(const struct sweep_vllm_settings *settings, struct pl_err *err) PL_MUST_CHECK;
/*
 * Runs all that is not over. -1: it was ended early by a failure, which *err tells; what is over stays,
 * and *ret tells it. A signal ends it with 0.
 */
int sweep_vllm(const struct sweep_vllm_settings *settings, struct sweep_vllm_outcome *ret,
	       struct pl_err *err) PL_MUST_CHECK;
