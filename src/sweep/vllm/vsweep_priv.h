/* What the files of a sweep of vLLM's share: its state, its marks on the terminal, its runs. */
#pragma once

#include "sweep/vllm/params.h"
#include "sweep/vllm/server.h"
#include "sweep/vllm/sweep.h"

struct sweep_vllm {
	const struct sweep_vllm_settings *settings;
	struct sweep_vllm_outcome *outcome;
	struct run_stop stop;
	const json_t *serve; /* the combination at hand */
	json_t *command;     /* its server's */
	char *log_path;
	struct sweep_vllm_server server;
	bool server_failed; /* what an error is about: not one run, but all that are left of it */
	json_t *rows;       /* every run, for summary.csv */
	size_t expected;    /* runs in all; 0: it depends on what comes */
	size_t told;        /* of them */
	int64_t spent_ns;   /* on those that were measured */
};

/* Runs that belong together: as many as asked for, of one server and one load, in one folder. */
struct sweep_vllm_runs {
	const json_t *bench; /* the load's parameters, with those that the sweep adds */
	const char *folder;
};

/* A line on standard output, unless it is to be quiet. */
void sweep_vllm_say(const struct sweep_vllm *sweep, const char *format, ...) PL_PRINTF(2, 3);
/* "[BEGIN SERVER]" and the like, and the parameters that it is about (NULL: none). */
void sweep_vllm_mark(const struct sweep_vllm *sweep, const char *mark, const json_t *parameters);

/* The folder of a load of a server; more_head: "WL-" or "SLA-" before more_name, or NULL. free(). */
char *sweep_vllm_bench_folder(const struct sweep_vllm_settings *settings, const json_t *serve,
			      const json_t *bench, const char *more_head, const char *more_name);

/*
 * Runs what is not over. *ret_runs: its runs in order, a new reference, whose summary.json stands;
 * NULL where none succeeded, and in a dry run. -1: it ends here (see server_failed).
 */
int sweep_vllm_run_all(struct sweep_vllm *sweep, const struct sweep_vllm_runs *runs,
		       json_t **ret_runs, struct pl_err *err) PL_MUST_CHECK;
/* The runs count in summary.csv, which is written anew. NULL: none. */
int sweep_vllm_add_rows(struct sweep_vllm *sweep, const json_t *runs,
			struct pl_err *err) PL_MUST_CHECK;
/* {run_number, error_type, error, serve_overrides, bench_overrides}; number -1: of the server. */
int sweep_vllm_write_failure(const struct sweep_vllm *sweep, const char *path, int64_t number,
			     const json_t *bench, const struct pl_err *why,
			     struct pl_err *err) PL_MUST_CHECK;
/* All values of a load: the order of serve_workload, and of serve_sla. */
int sweep_vllm_workload(struct sweep_vllm *sweep, const json_t *bench,
			struct pl_err *err) PL_MUST_CHECK;
int sweep_vllm_find_sla(struct sweep_vllm *sweep, const json_t *bench,
			struct pl_err *err) PL_MUST_CHECK;
/* Rows as pandas writes them: an index without a name, columns as they come. */
int sweep_vllm_write_csv(const json_t *rows, const char *path, struct pl_err *err) PL_MUST_CHECK;
/* As json.dumps(indent=4) writes it. */
int sweep_vllm_write_json(const json_t *json, const char *path, struct pl_err *err) PL_MUST_CHECK;
