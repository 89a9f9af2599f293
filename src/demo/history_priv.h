/*
 * Shared by lab.c (models, hosts, releases), plan.c (the configuration of a run), engine.c (its speed), results.c and
 * machine.c (sections of its document) and history.c (the complete document).
 */
#pragma once

#include "checkpoint/hardware.h"
#include "demo/dice.h"
#include "demo/history.h"
#include "experiment/config.h"
#include "result/document.h"

/* The properties of a model in tbl/models.h that determine its speed. */
struct demo_model {
	const char *name;
	const char *title;   /* of the name, without the vendor */
	double dense;        /* parameters used by every token */
	double experts;      /* parameters of all experts */
	double expert_share; /* share of these used by one token */
	double layers;
	double kv_token_bytes;
	double max_len;
};

struct demo_host {
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

/* One argument or option and its values in a sweep, separated by spaces. */
struct demo_axis {
	const char *key; /* "server.max_num_seqs" */
	const char *values;
};

/* The fast axis changes with every run, the slow one less often. */
struct demo_sweep {
	const char *name;
	const char *suite;
	struct demo_axis slow, fast;
};

/* A group of runs with a plan. */
struct demo_study {
	int64_t from_end; /* groups */
	const char *sweep;
	const char *model;
	const char *host;
};

/* An unsuccessful end of a run. */
struct demo_fate {
	double share; /* of all runs */
	enum res_status status;
	enum res_stage stage;
	enum res_cause cause;
	enum pl_err_code code;
	const char *message;
	const char *log_line;
};

struct demo {
	uint64_t seed;
	int64_t sweeps;
	struct demo_model *models;
	size_t model_count;
	struct ckpt_gpu *gpus; /* one per host */
	json_t *results;       /* with every key and without values */
};

/* Fills models and gpus. */
int demo_lab_open(struct demo *history, struct pl_err *err) PL_MUST_CHECK;
size_t demo_host_count(void);
const struct demo_host *demo_host_at(size_t i);
size_t demo_release_count(void);
const char *demo_release_at(size_t i);

/* The plan of one run. */
struct demo_plan {
	int64_t index;
	size_t position; /* index in its sweep */
	const struct demo_sweep *sweep;
	const struct demo_model *model;
	const struct demo_host *host;
	const struct ckpt_gpu *gpu;
	size_t release;
	int64_t started_ns;
	json_t *server; /* requested */
	json_t *load;
	json_t *tags;
	json_t *newer;  /* arguments that the tables lack; NULL: none */
	bool is_narrow; /* made by a program whose tables lack newer arguments */
	char *name;
	double trouble;        /* 0 … 1: selects its failure, usually none */
	struct demo_dice dice; /* for its metrics */
};
void demo_plan(const struct demo *history, int64_t index, struct demo_plan *ret);
void demo_plan_done(struct demo_plan *plan);
#define auto_plan __attribute__((cleanup(demo_plan_done), unused)) struct demo_plan

/* Returns NULL if the group has no plan. */
const struct demo_study *demo_study_of(const struct demo *history, int64_t number);
/* Adds the tags by which its sweep finds a run. */
void demo_tag_study(int64_t began_ns, int64_t number, struct demo_plan *plan);
void demo_run_id(const struct demo *history, const struct demo_plan *plan,
		 char ret[RES_RUN_ID_BYTES]);

/* Returns a requested number, or `other`; "inf" is infinite. */
double demo_requested(const json_t *section, const char *key, double other);

/* The performance of a run. */
struct demo_figures {
	const struct demo_fate *fate; /* NULL: it completes */
	double gpus;
	double weights_bytes; /* on one GPU */
	double kv_bytes;      /* on one GPU */
	double kv_tokens;
	double max_len;
	double input, output; /* tokens per request */
	double prompts;       /* requested */
	double completed;
	double rate;        /* requested; infinite: all at once */
	double concurrency; /* 0: no limit */
	double running;     /* mean number of requests in the engine */
	double load;        /* 0 … 1, relative to its capacity */
	double ttft_ms, tpot_ms, e2el_ms, queue_ms;
	double spread; /* of the logarithm of a latency */
	double duration_s;
	double start_s; /* until the server is ready */
};
void demo_figures(const struct demo_plan *plan, struct demo_figures *ret);

/* ---- sections, new references -------------------------------------------------------------- */

json_t *demo_results(const struct demo *history, const struct demo_plan *plan,
		     const struct demo_figures *figures);
/* Returns results.latency_breakdown; `results` has the means. */
json_t *demo_breakdown(const struct demo_figures *figures, const json_t *results);
/* Returns whether its GPUs were throttled because of heat. */
bool demo_is_hot(const struct demo_plan *plan);
json_t *demo_quality(const struct demo_plan *plan, const struct demo_figures *figures);
json_t *demo_error(const struct demo_fate *fate);
json_t *demo_system(const struct demo_plan *plan, const struct demo_figures *figures);
json_t *demo_launch(const struct demo_plan *plan, const struct demo_figures *figures,
		    const struct exp_config *experiment);
json_t *demo_environment(const struct demo_plan *plan);
