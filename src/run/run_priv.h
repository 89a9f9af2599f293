/*
 * A run under way: what its stages share. Each stage is one file and one function of the table in
 * run.c; it fills its part and returns -1 through run_fail() where the run has to end.
 */
#ifndef RUN_RUN_PRIV_H
#define RUN_RUN_PRIV_H

#include "bench/load/load.h"
#include "run/client/vllm.h"
#include "run/journal/journal.h"
#include "run/steps/beside.h"
#include "run/launch.h"
#include "run/plan.h"
#include "run/run.h"
#include "run/target.h"
#include "run/target_release.h"
#include "run/telemetry.h"
#include "host/proc/guard.h"
#include "host/proc/process.h"
#include "host/log/server_log.h"
#include "host/system.h"

/* Times are CLOCK_MONOTONIC ns, RES_NO_TIME where there is none. */
struct run_server {
	struct host_process *process; /* NULL: not ours, or not started */
	int64_t spawned_ns;           /* just before the start */
	int64_t running_ns;           /* the program was loaded */
	struct host_server_log *log;  /* NULL: none of ours was started */
	int64_t oom_kills;            /* host_oom_kills() before the start */
	int64_t healthy_ns;
	int64_t ready_ns;
	int64_t stop_ns; /* what stopping took */
	bool ready;
	bool died;   /* before it was asked to stop */
	bool killed; /* it did not end within stop_timeout */
	size_t left; /* processes of the run alive after all that */
};

struct run_identity {
	json_t *version;     /* answer of /version; NULL: none */
	json_t *models;      /* answer of /v1/models; NULL: none */
	int models_status;   /* its HTTP status; 0: no answer */
	json_t *server_info; /* answer of /server_info, secrets as ***; NULL: none */
	char *name;
	char *engine_version;
	bool known; /* the server told something of itself */
	bool simulated;
};

struct run_window {
	int64_t start_ns;
	int64_t end_ns;
	int64_t cpu_ns; /* of this process */
	int64_t involuntary_switches;
	double stolen_share;
	struct host_metrics_sample before; /* known: false where there is none */
	struct host_metrics_sample after;
};

struct run_paths {
	const char *result;
	char *requests;
	char *series;
	char *server_log;
	char *client_log; /* of vLLM's client */
	char *timeline;
	char *dataset_stats;
};

struct run_state {
	const struct exp_config *experiment;
	const struct run_settings *options;
	char run_id[RES_RUN_ID_BYTES];
	int64_t started_ns;
	int64_t started_real_ns;
	struct run_paths paths;
	const struct bench_adapter *adapter; /* NULL: only vLLM's client speaks it */
	char *flat_path;                     /* vLLM's flat result; NULL: none */
	char *endpoint;                      /* path, the target's prefix included */
	struct run_launch *launch;
	struct run_target target;
	struct io_addr *sources; /* [source_count] of benchmark.source_addresses */
	size_t source_count;
	struct run_release release; /* of vLLM, that the configuration is for */
	struct host_guard *guard;   /* NULL: nothing of ours is started */
	struct run_server server;
	struct run_identity identity;
	char *model;        /* the payload's `model` */
	bool acks_may_wait; /* an unmeasured request showed that the server does not mind */
	struct run_plan *plan;
	struct run_client client;    /* vLLM's, where it sends the load */
	struct res_outcome *outcome; /* NULL: nothing was measured */
	struct run_beside beside;
	struct run_telemetry telemetry;
	struct run_window window;
	struct run_journal *journal;

	enum res_stage stage;
	enum res_status status;
	enum res_cause cause;
	struct pl_err why;
};

/* Ends the run with this status; a signal that came first makes it `interrupted`. Returns -1. */
int run_fail(struct run_state *run, enum res_status status, enum res_cause cause,
	     const struct pl_err *why);
/* A line for the user on standard error, unless he wants none. */
void run_say(const struct run_state *run, const char *format, ...) PL_PRINTF(2, 3);
/* The load of requests at the run's server, everything but requests and limits filled in. */
struct bench_load run_load_base(const struct run_state *run);
/* The same for requests that nobody measures: finds out what BENCH_ACKS_TRY does. */
struct bench_load run_load_unmeasured(const struct run_state *run);

/* The stages, in order. */
int run_server_start(struct run_state *run);
int run_server_wait(struct run_state *run);
int run_identity_learn(struct run_state *run);
void run_identity_done(struct run_identity *identity);
int run_ready_request(struct run_state *run);
int run_plan_make(struct run_state *run);
int run_warmup(struct run_state *run);
int run_measure(struct run_state *run);

struct bench_tokenizer;
/*
 * For data sets that draw tokens: the vocabulary of the tokenizer's own files, where they are here,
 * as vLLM's client draws from it; else of config.json, where neither `bench` nor `tokenizer` (NULL:
 * none) knows one.
 */
void run_vocabulary_learn(const struct run_state *run, struct bench_tokenizer *tokenizer,
			  struct vllm_bench *bench);

/* The server's /metrics page. */
struct host_metrics_source run_metrics_source(const struct run_state *run);
/* A page once nothing runs or waits there, or whatever it says after a second. */
void run_metrics_settled(const struct run_state *run, struct host_metrics_sample *ret);
/* Does the server live, and did enough of the requests finish? Sets the run's status. */
int run_measure_judge(struct run_state *run, size_t completed, size_t count);

/* The server refused a request: -1 where it does not serve the model that was asked for. `refusal`:
 * ": " and what it said. */
int run_identity_check_model(struct run_state *run, const char *refusal);
/* Stops what was started and looks that nothing is left. */
void run_server_stop(struct run_state *run);
/* "the server ended: signal 9 (Killed)" with the cause its log names. */
int run_server_died(struct run_state *run, enum res_status status);

/* Where the files of a result lie; `output` is borrowed. */
void run_paths_make(const char *output, struct run_paths *ret);
void run_paths_done(struct run_paths *paths);
/* One line a record of the outcome, behind those of its failed tries. */
int run_requests_write(const char *path, const struct res_outcome *outcome,
		       struct pl_err *err) PL_MUST_CHECK;

struct res_quality_facts;
void run_facts(const struct run_state *run, const json_t *results, struct res_quality_facts *ret);
/* Writes the side files; *ret_artifacts: array, *ret_series: object or NULL (new references). */
int run_side_files(const struct run_state *run, json_t **ret_artifacts, json_t **ret_series,
		   struct pl_err *err) PL_MUST_CHECK;
/* Into options->failures, where they are wanted and some request failed. */
void run_failure_lines(const struct run_state *run);
struct res_flat_input;
/* What vLLM's flat result of the run is made from; it has an outcome. Everything is borrowed. */
void run_flat_input(const struct run_state *run, const json_t *document,
		    struct res_flat_input *ret);
/* Writes vLLM's flat result where it is asked for; run->flat_path tells where. */
int run_flat_result(struct run_state *run, const json_t *document,
		    struct pl_err *err) PL_MUST_CHECK;
int run_document(const struct run_state *run, json_t **ret, struct pl_err *err) PL_MUST_CHECK;
/* {error, suite, name, tags, config, launch, system, environment} as far as known; new
 * reference. */
json_t *run_document_so_far(const struct run_state *run);
/* {percentiles, goodput, max_concurrency, finite_rate, requests}: what figures are made with. */
json_t *run_document_how(const struct run_state *run);
/* The last `count` lines as an array. New reference. */

#endif
