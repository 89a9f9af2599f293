/* The state, the terminal markers and the runs of a vLLM sweep, shared by its files. */
#pragma once

#include "sweep/vllm/params.h"
#include "sweep/vllm/server.h"
#include "sweep/vllm/sweep.h"

struct sweep_vllm {
	const struct sweep_vllm_settings *settings;
	struct sweep_vllm_outcome *outcome;
	struct run_stop stop;
	const json_t *serve; /* the current combination */
	json_t *command;     /* of its server */
	char *log_path;
	struct sweep_vllm_server server;
	bool server_failed; /* an error concerns all remaining runs of the server, not a single one */
	json_t *rows;       /* every run, for summary.csv */
	size_t expected;    /* total number of runs; 0: depends on the measurements */
	size_t reported;    /* number of reported runs */
	int64_t spent_ns;   /* total time of the measured runs */
};

/* Runs that belong together: the repeats of one server and one load, in one directory. */
struct sweep_vllm_runs {
	const json_t *bench; /* the load options, including those added by the sweep */
	const char *folder;
};

/* Prints a line on standard output, unless it is quiet. */
void sweep_vllm_print(const struct sweep_vllm *sweep, const char *format, ...) PL_PRINTF(2, 3);
/* Prints "[BEGIN SERVER]" or another marker, and its parameters (NULL: none). */
void sweep_vllm_mark(const struct sweep_vllm *sweep, const char *mark, const json_t *parameters);

/* Returns the directory of a server and a load; more_head: "WL-" or "SLA-" before more_name, or NULL. free() */
char *sweep_vllm_bench_folder(const struct sweep_vllm_settings *settings, const json_t *serve,
			      const json_t *bench, const char *more_head, const char *more_name);

/*
 * Runs the unfinished runs and writes summary.json. *ret_runs: its runs in order, a new reference; NULL if none
 * succeeded, and in a dry run. Returns -1 if the sweep ends here (see server_failed).
 */
int sweep_vllm_run_all(struct sweep_vllm *sweep, const struct sweep_vllm_runs *runs,
		       json_t **ret_runs, struct pl_err *err) PL_MUST_CHECK;
/* Adds the runs to summary.csv, which is rewritten. NULL: none. */
int sweep_vllm_add_rows(struct sweep_vllm *sweep, const json_t *runs,
			struct pl_err *err) PL_MUST_CHECK;
/* Writes {run_number, error_type, error, serve_overrides, bench_overrides}; number -1: of the server. */
int sweep_vllm_write_failure(const struct sweep_vllm *sweep, const char *path, int64_t number,
			     const json_t *bench, const struct pl_err *why,
			     struct pl_err *err) PL_MUST_CHECK;
/* Run all values of a load: in the order of serve_workload, and of serve_sla. */
int sweep_vllm_workload(struct sweep_vllm *sweep, const json_t *bench,
			struct pl_err *err) PL_MUST_CHECK;
int sweep_vllm_find_sla(struct sweep_vllm *sweep, const json_t *bench,
			struct pl_err *err) PL_MUST_CHECK;
/* Writes rows like pandas: an index without a name, columns in order of appearance. */
int sweep_vllm_write_csv(const json_t *rows, const char *path, struct pl_err *err) PL_MUST_CHECK;
/* Writes like json.dumps(indent=4). */
int sweep_vllm_write_json(const json_t *json, const char *path, struct pl_err *err) PL_MUST_CHECK;
