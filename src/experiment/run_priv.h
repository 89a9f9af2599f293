/*
 * A run under way: what its stages share. Each stage is one file and one function of the table in
 * run.c; it fills its part and returns -1 through exp_fail() where the run has to end.
 */
#ifndef EXPERIMENT_RUN_PRIV_H
#define EXPERIMENT_RUN_PRIV_H

#include "bench/load.h"
#include "experiment/launch.h"
#include "experiment/plan.h"
#include "experiment/run.h"
#include "experiment/target.h"
#include "experiment/target_release.h"
#include "host/process.h"
#include "host/sampler.h"
#include "host/server_log.h"
#include "host/system.h"

/* Times are CLOCK_MONOTONIC ns, MD_NO_TIME where there is none. */
struct exp_server {
	struct host_process *process; /* NULL: not ours, or not started */
	int64_t spawned_ns;           /* just before the start */
	int64_t running_ns;           /* the program was loaded */
	int64_t weights_ns;           /* when the log said so */
	int64_t graphs_ns;
	int64_t healthy_ns;
	int64_t ready_ns;
	int64_t stop_ns; /* what stopping took */
	bool ready;
	bool died;   /* before it was asked to stop */
	bool killed; /* it did not end within stop_timeout */
	size_t left; /* processes of the run alive after all that */
};

struct exp_identity {
	json_t *version; /* answer of /version; NULL: none */
	json_t *models;  /* answer of /v1/models; NULL: none */
	char *name;
	char *engine_version;
	bool known; /* the server told something of itself */
	bool simulated;
};

struct exp_window {
	int64_t start_ns;
	int64_t end_ns;
	int64_t cpu_ns; /* of this process */
	int64_t involuntary_switches;
	double stolen_share;
	struct host_metrics_sample before; /* known: false where there is none */
	struct host_metrics_sample after;
	const struct host_metrics_sample *samples; /* the sampler's */
	size_t sample_count;
	int64_t sampler_cpu_ns;
};

struct exp_paths {
	const char *result;
	char *requests;
	char *series;
	char *server_log;
};

struct exp_run {
	const struct md_experiment *experiment;
	const struct exp_options *options;
	char run_id[MD_RUN_ID_BYTES];
	int64_t started_ns;
	int64_t started_real_ns;
	struct exp_paths paths;
	const struct bench_adapter *adapter;
	char *endpoint; /* path, the target's prefix included */
	struct exp_launch *launch;
	struct exp_target target;
	struct exp_release release; /* of vLLM, that the configuration is for */
	struct exp_server server;
	struct exp_identity identity;
	char *model; /* the payload's `model` */
	struct exp_plan *plan;
	struct bench_outcome *outcome; /* NULL: nothing was measured */
	struct host_sampler *sampler;
	struct exp_window window;

	enum md_stage stage;
	enum md_status status;
	enum md_cause cause;
	struct pl_err why;
};

/* Ends the run with this status; a signal that came first makes it `interrupted`. Returns -1. */
int exp_fail(struct exp_run *run, enum md_status status, enum md_cause cause,
	     const struct pl_err *why);
/* A line for the user on standard error, unless he wants none. */
void exp_say(const struct exp_run *run, const char *format, ...) PL_PRINTF(2, 3);
/* The load of requests at the run's server, everything but requests and limits filled in. */
struct bench_load exp_load_base(const struct exp_run *run);

/* The stages, in order. */
int exp_server_start(struct exp_run *run);
int exp_server_wait(struct exp_run *run);
int exp_identity_learn(struct exp_run *run);
int exp_ready_request(struct exp_run *run);
int exp_plan_make(struct exp_run *run);
int exp_warmup(struct exp_run *run);
int exp_measure(struct exp_run *run);

/* Stops what was started and looks that nothing is left. */
void exp_server_stop(struct exp_run *run);
/* "the server ended: signal 9 (Killed)" with the cause its log names. */
int exp_server_died(struct exp_run *run, enum md_status status);

struct md_quality_facts;
void exp_facts(const struct exp_run *run, const json_t *results, struct md_quality_facts *ret);
/* Writes the side files; *ret_artifacts: array, *ret_series: object or NULL (new references). */
int exp_side_files(const struct exp_run *run, json_t **ret_artifacts, json_t **ret_series,
		   struct pl_err *err) PL_MUST_CHECK;
int exp_document(const struct exp_run *run, json_t **ret, struct pl_err *err) PL_MUST_CHECK;

#endif
