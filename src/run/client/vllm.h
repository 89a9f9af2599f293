/*
 * benchmark.client: vllm. `vllm bench serve` sends the load as a child of ours; its flat result is
 * taken in and becomes records, so that results and checks are made as of our own load.
 *
 *	run_experiment ─ options ─> vllm bench serve … --save-detailed ─> FOLDER/client.json
 *	   │                      │ stdout, stderr                       │
 *	   │ server, telemetry    └> OUTPUT.client.log                   └> records, results
 *
 * A part of run_priv.h.
 */
#ifndef RUN_CLIENT_VLLM_H
#define RUN_CLIENT_VLLM_H

#include "experiment/config.h"
#include "result/flat/read.h"

struct run_state;
struct res_quality_facts;

struct run_client {
	char *program;              /* NULL: the load is our own */
	char *version;              /* NULL: not known */
	json_t *argv;               /* as started, header values in clear; NULL before */
	json_t *plots;              /* array of paths: pictures that it drew; NULL: none */
	json_t *log_tail;           /* of one that failed; NULL: it did not */
	struct res_flat *flat;      /* NULL: no result */
	double cpu_share;           /* NaN: not known */
	double difference;          /* res_flat_difference() */
	const char *difference_key; /* borrowed from flat */
};

bool run_client_is_vllm(const struct exp_config *experiment);
/* Can vLLM's client do what is asked? "'benchmark.threads' …" */
int run_client_check(const struct exp_config *experiment, struct pl_err *err) PL_MUST_CHECK;
/* The path of requests where the back end is none of ours; NULL: not known. */
const char *run_client_endpoint(const char *backend);
/* Finds the program: $PROFLLM_VLLM, `vllm` beside launch.command's program, or in PATH. */
int run_client_prepare(struct run_state *run, struct pl_err *err) PL_MUST_CHECK;
void run_client_done(struct run_client *client);

/* The whole command line, with its result in `folder`. New reference. */
json_t *run_client_argv(const struct run_state *run, const char *folder);
/* The same as it may be shown. New reference. */
json_t *run_client_argv_shown(const json_t *argv);
/* "NAME=text" for each variable over our own environment; NULL-ended, all free(). */
char **run_client_env(const struct run_state *run);

/* The measuring stage. */
int run_client_measure(struct run_state *run);

/* What records do not give and vLLM's summary does, into `results`. */
void run_client_results(const struct run_state *run, json_t *results);
/* What is not known of another's client, and what only is of this one. */
void run_client_facts(const struct run_state *run, struct res_quality_facts *ret);
/* A summary alone cannot be trusted: without a check that is beyond its limit there is no
 * verdict. */
void run_client_verdict(const struct run_state *run, json_t *quality);
/* environment.client of the result; null for our own load. New reference. */
json_t *run_client_environment(const struct run_state *run);

#endif
