/* What the files of a sweep of vLLM's share: its state, its marks on the terminal, its runs. */
#pragma once

#include "sweep/vllm/params.h"
#include "sweep/vllm/server.h"
#include "sweep/vllm/sweep.h"

struct run_vsweep {
	const struct run_vsweep_settings *settings;
	struct run_vsweep_outcome *outcome;
	struct run_stop stop;
	const json_t *serve; /* the combination at hand */
	json_t *command;     /* its server's */
	char *log_path;
	struct run_vsweep_server server;
	bool server_failed; /* what an error is about: not one run, but all that are left of it */
	json_t *rows;       /* every run, for summary.csv */
	size_t expected;    /* runs in all; 0: it depends on what comes */
	size_t told;        /* of them */
	int64_t spent_ns;   /* on those that were measured */
};

/* Runs that belong together: as many as asked for, of one server and one load, in one folder. */
struct run_vsweep_runs {
	const json_t *bench; /* the load's parameters, with those that the sweep adds */
	const char *folder;
};

/* A line on standard output, unless it is to be quiet. */
void run_vsweep_say(const struct run_vsweep *sweep, const char *format, ...) PL_PRINTF(2, 3);
/* "[BEGIN SERVER]" and the like, and the parameters that it is about (NULL: none). */
void run_vsweep_mark(const struct run_vsweep *sweep, const char *mark, const json_t *parameters);

/* Folder for a load of the server at hand; head "WL-", "SLA-" with its name, or NULL. free(). */
char *run_vsweep_bench_folder(const struct run_vsweep *sweep, const json_t *bench,
			      const char *more_head, const char *more_name);

/*
 * Runs what is not over. *ret_runs: its runs in order, a new reference, whose summary.json stands;
 * NULL where none succeeded, and in a dry run. -1: it ends here (see server_failed).
 */
int run_vsweep_run_all(struct run_vsweep *sweep, const struct run_vsweep_runs *runs,
		       json_t **ret_runs, struct pl_err *err) PL_MUST_CHECK;
/* The runs count in summary.csv, which is written anew. NULL: none. */
int run_vsweep_add_rows(struct run_vsweep *sweep, const json_t *runs,
			struct pl_err *err) PL_MUST_CHECK;
/* {run_number, error_type, error, serve_overrides, bench_overrides}; number -1: of the server. */
int run_vsweep_write_failure(const struct run_vsweep *sweep, const char *path, int64_t number,
			     const json_t *bench, const struct pl_err *why,
			     struct pl_err *err) PL_MUST_CHECK;
/* All values of a load: the order of serve_workload, and of serve_sla. */
int run_vsweep_workload(struct run_vsweep *sweep, const json_t *bench,
			struct pl_err *err) PL_MUST_CHECK;
int run_vsweep_find_sla(struct run_vsweep *sweep, const json_t *bench,
			struct pl_err *err) PL_MUST_CHECK;
/* Rows as pandas writes them: an index without a name, columns as they come. */
int run_vsweep_write_csv(const json_t *rows, const char *path, struct pl_err *err) PL_MUST_CHECK;
/* As json.dumps(indent=4) writes it. */
int run_vsweep_write_json(const json_t *json, const char *path, struct pl_err *err) PL_MUST_CHECK;
