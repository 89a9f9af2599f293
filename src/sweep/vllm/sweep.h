/*
 * vLLM's sweeps (`vllm bench sweep serve | serve_workload | serve_sla | startup`): commands of the user, each with the
 * parameters of a combination, in the same directories as vLLM's:
 *
 *	FOLDER/SERVE--a=1-BENCH--b=2/run=0.json, …        a run: the command's output, and its parameters
 *	                             warmup.json          of the run before them, which does not count
 *	                             run=0.failure.json
 *	                             summary.json         all runs
 *	FOLDER/SERVE-a=1-failure.json                     the server did not start
 *	FOLDER/summary.csv                                one row per run
 *	FOLDER/…-WL--request_rate=6/                      WORKLOAD: the same for each value of its variable
 *	FOLDER/SERVE--a=1-BENCH--b=2/request_rate=6/      SLA: the same, and SLA--CRITERIA.json, the runs of
 *	                                                  the largest value within them
 *
 * vLLM's files are read and written like vLLM does, so either program can continue a sweep of the other. Logs
 * (run=0.log, SERVE-a=1.log) and the output of failed runs (run=0.failed.json) are added.
 *
 * A run is finished when its file contains its number, which is written last; an incomplete file of a killed run is
 * replaced. A server is started when the first run needs it, once for all of its runs.
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
	const json_t *after_command; /* instead of emptying caches; NULL: none */
	const json_t *serve_params;  /* sweep_vllm_params_read() */
	const json_t *bench_params;
	const json_t *links;  /* sweep_vllm_links_parse() */
	const char *variable; /* WORKLOAD, SLA: request_rate or max_concurrency */
	int64_t iterations;   /* WORKLOAD: number of values including both ends; at least 2 */
	const json_t *limits; /* SLA: sweep_vllm_sla_read() */
	bool by_spline;       /* SLA: the rules from 0.14.1 on, else those before */
	const char *folder;
	int64_t runs;           /* per combination */
	int64_t warmup_prompts; /* 0: no warm-up run */
	int64_t ready_timeout_ns;
	int64_t stop_timeout_ns; /* between SIGTERM and SIGKILL */
	bool continue_on_error;
	bool show_output; /* of the commands, on standard output */
	bool resume;
	bool dry_run;
	bool quiet; /* no markers */
};

struct sweep_vllm_outcome {
	size_t combinations; /* in the parameter files; workload and SLA: each with several values */
	size_t measured;
	size_t reused;  /* existing runs */
	size_t failed;  /* runs and servers */
	size_t servers; /* server starts */
	int signal;     /* the signal that ended it; 0: none */
};

/*
 * Checks what can be known before the start: the programs exist, there is a way to empty caches, no two combinations
 * use the same directory, FOLDER exists or not as required. Returns -1 with INVALID, NOT_FOUND or IO.
 */
int sweep_vllm_check(const struct sweep_vllm_settings *settings, struct pl_err *err) PL_MUST_CHECK;
/*
 * Runs all unfinished runs. Returns -1 if a failure, in *err, ended it early; finished runs stay, and *ret counts them.
 * After a signal it returns 0.
 */
int sweep_vllm(const struct sweep_vllm_settings *settings, struct sweep_vllm_outcome *ret,
	       struct pl_err *err) PL_MUST_CHECK;
