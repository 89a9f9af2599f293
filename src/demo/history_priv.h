/*
 * Between lab.c (models, hosts, releases), plan.c (what a run is), engine.c (how fast it is), results.c and
 * machine.c (sections of its document) and history.c (the whole).
 */
#pragma once

#include "checkpoint/hardware.h"
#include "demo/dice.h"
#include "demo/history.h"
#include "experiment/config.h"
#include "result/document.h"

/* A model of tbl/models.h, as far as it sets the pace. */
struct history_model {
	const char *name;
	const char *title;   /* of the name, without who made it */
	double dense;        /* numbers that every token needs */
	double experts;      /* and those of all experts */
	double expert_share; /* of these, that one token needs */
	double layers;
	double kv_token_bytes;
	double max_len;
};

struct history_host {
	const char *name;
	const char *gpu; /* of tbl/hardware.h */
	int64_t gpus;
	double gpu_w; /* at full load */
	const char *cpu;
	int64_t cpus;
	int64_t memory_gib;
	const char *driver;
	const char *cuda;
};

/* One argument or option and the values that a sweep gives it, parted by blanks. */
struct history_axis {
	const char *key; /* "server.max_num_seqs" */
	const char *values;
};

/* The fast axis changes from run to run, the slow one behind it. */
struct history_sweep {
	const char *name;
	const char *suite;
	struct history_axis slow, fast;
};

/* A group of runs that has a plan. */
struct history_study {
	int64_t from_end; /* groups */
	const char *sweep;
	const char *model;
	const char *host;
};

/* How a run ends that does not end well. */
struct history_fate {
	double share; /* of all runs */
	enum res_status status;
	enum res_stage stage;
	enum res_cause cause;
	enum pl_err_code code;
	const char *message;
	const char *log_line;
};

struct dash_history {
	uint64_t seed;
	int64_t sweeps;
	struct history_model *models;
	size_t model_count;
	struct ckpt_gpu *gpus; /* one a host */
	json_t *results;       /* with every key and no figure */
};

/* Fills models and gpus. */
int history_lab_open(struct dash_history *history, struct pl_err *err) PL_MUST_CHECK;
size_t history_host_count(void);
const struct history_host *history_host_at(size_t i);
size_t history_release_count(void);
const char *history_release_at(size_t i);

/* What one run is. */
struct history_plan {
	int64_t index;
	size_t place; /* in its sweep */
	const struct history_sweep *sweep;
	const struct history_model *model;
	const struct history_host *host;
	const struct ckpt_gpu *gpu;
	size_t release;
	int64_t started_ns;
	json_t *server; /* what is asked for */
	json_t *load;
	json_t *tags;
	json_t *newer;  /* arguments that no row knows; NULL: none */
	bool is_narrow; /* of a program that had no rows yet for what the release lacks */
	char *name;
	double trouble;           /* 0 … 1: which one it had, mostly none */
	struct history_dice dice; /* for its figures */
};
void history_plan(const struct dash_history *history, int64_t index, struct history_plan *ret);
void history_plan_done(struct history_plan *plan);
#define auto_plan __attribute__((cleanup(history_plan_done), unused)) struct history_plan

/* NULL: the group is none. */
const struct history_study *history_study_of(const struct dash_history *history, int64_t number);
/* Tags by which its sweep finds a run. */
void history_tag_study(int64_t began_ns, int64_t number, struct history_plan *plan);
void history_run_id(const struct dash_history *history, const struct history_plan *plan,
		    char ret[RES_RUN_ID_BYTES]);

/* A number of what is asked for, or `other`; "inf" is infinite. */
double history_asked(const json_t *section, const char *key, double other);

/* How fast it is. */
struct history_figures {
	const struct history_fate *fate; /* NULL: it ends well */
	double gpus;
	double weights_bytes; /* on one GPU */
	double kv_bytes;      /* on one GPU */
	double kv_tokens;
	double max_len;
	double input, output; /* tokens of a request */
	double prompts;       /* asked for */
	double completed;
	double rate;        /* asked for; infinite: all at once */
	double concurrency; /* 0: no limit */
	double running;     /* requests in the engine, in the mean */
	double load;        /* 0 … 1, of what it could do */
	double ttft_ms, tpot_ms, e2el_ms, queue_ms;
	double spread; /* of a latency's logarithm */
	double duration_s;
	double start_s; /* until it is ready */
};
void history_figures(const struct history_plan *plan, struct history_figures *ret);

/* ---- sections, new references -------------------------------------------------------------- */

/* The section with all its keys, and these values; takes them. */
json_t *history_section(const char *section, json_t *values);
json_t *history_results(const struct dash_history *history, const struct history_plan *plan,
			const struct history_figures *figures);
/* Its GPUs were slowed down for heat. */
bool history_is_hot(const struct history_plan *plan);
json_t *history_quality(const struct history_plan *plan, const struct history_figures *figures);
json_t *history_error(const struct history_fate *fate);
json_t *history_system(const struct history_plan *plan, const struct history_figures *figures);
json_t *history_launch(const struct history_plan *plan, const struct history_figures *figures,
		       const struct exp_config *experiment);
json_t *history_environment(const struct history_plan *plan);
