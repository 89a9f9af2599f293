/*
 * One experiment as written in YAML (docs/reference/experiment-file.md), checked and completed.
 */
#pragma once

#include "base/err.h"
#include "base/json.h"
#include "vllm/bench_options.h"
#include "vllm/catalog.h"
#include "option/places.h"
#include "option/problem.h"

#include <stdbool.h>
#include <stdint.h>

/* What --sim starts in place of launch.command. */
#define EXP_SIMULATOR "profllm-sim"

struct exp_launch {
	json_t *command;    /* array of strings: argv prefix; NULL: not given ([vllm, serve]) */
	char *url;          /* a server that already runs; NULL: start one */
	char *vllm_version; /* NULL: not given */
	char *platform;     /* auto cuda rocm cpu xpu tpu hpu */
	json_t *container;  /* NULL: none (not in this version) */
	json_t *env;        /* object name -> text, ${VAR} expanded */
	json_t *gpus;       /* "auto", "all" or array */
	int64_t port;       /* OPTION_NO_I64: auto */
	char *host;         /* bind address; "127.0.0.1" */
	int64_t ready_timeout_ns;
	int64_t run_timeout_ns; /* OPTION_NO_I64: none */
	int64_t stop_timeout_ns;
	json_t *extra_args; /* array of strings */
};

struct exp_telemetry {
	int64_t interval_ns;
	bool gpu;
	bool host;
	int64_t server_metrics_ns; /* OPTION_NO_I64: off */
};

struct exp_output {
	bool requests;
	bool series;
	int64_t server_log_tail; /* lines */
};

struct exp_config {
	const struct vllm_catalog
		*catalog;        /* of its server's arguments in its release; outlives it */
	char *source;            /* file name */
	enum option_voice voice; /* how keys are called where it came from */
	char *suite;             /* NULL: none */
	char *name;              /* NULL: none */
	json_t *tags;            /* object name -> text */
	json_t *server;          /* object: what the user set, typed, snake_case */
	json_t *given;           /* object: those of them that are objects, as they were written */
	json_t *raw; /* object: what is expanded, as it was written, by "launch.env" … */
	/* what was asked for, where more than that was set here; NULL: what was set */
	json_t *asked;
	json_t *repeats; /* the result that it was taken from; NULL: none, a file */
	struct exp_launch launch;
	struct vllm_bench bench;
	bool bench_set[VLLM_BENCH_COUNT]; /* given in the file or by --set */
	struct exp_telemetry telemetry;
	json_t *profiling; /* as given, or NULL */
	struct exp_output output;
	bool simulate;               /* --sim: the simulator stands in for launch.command */
	struct option_places places; /* where "server.dtype", "launch.gpus" … were set */
};

/* The rows of tbl/experiment_keys.h: "launch.env" … */
size_t exp_key_count(void);
const struct option_row *exp_key_at(size_t i);

/* As an empty file would give it. `source` is its name in messages. */
struct exp_config *exp_config_new(const struct vllm_catalog *catalog, const char *source);

/*
 * Reads bytes, whose name in messages is `source`, applies `sets` ("server.tensor_parallel_size=4",
 * YAML values), checks everything that needs no host. `catalog` is one of the reference release, of
 * which the one that the file names is taken (launch.vllm_version), or that of a release that counts
 * more than what the file says. All problems are reported; *ret is given when problems has no errors,
 * else -1 with err (the first problem). Also -1 when they are not YAML.
 */
int exp_config_parse(const struct vllm_catalog *catalog, const char *text, size_t len,
		     const char *source, const char *const *sets, size_t set_count,
		     struct exp_config **ret, struct option_problems *problems,
		     struct pl_err *err) PL_MUST_CHECK;
/*
 * The same of a file, and *ret is also given where the problems have errors: without the
 * values that were refused. For those who want every problem. -1: unreadable, or not YAML.
 */
int exp_config_read(const struct vllm_catalog *catalog, const char *path, const char *const *sets,
		    size_t set_count, struct exp_config **ret, struct option_problems *problems,
		    struct pl_err *err) PL_MUST_CHECK;
int exp_config_read_text(const struct vllm_catalog *catalog, const char *text, size_t len,
			 const char *source, const char *const *sets, size_t set_count,
			 struct exp_config **ret, struct option_problems *problems,
			 struct pl_err *err) PL_MUST_CHECK;
/* The same of an experiment that is data: places in it are no lines. */
int exp_config_read_json(const struct vllm_catalog *catalog, const json_t *json, const char *source,
			 const char *const *sets, size_t set_count, struct exp_config **ret,
			 struct option_problems *problems, struct pl_err *err) PL_MUST_CHECK;
/* Calls fn for each key outside of `benchmark` that is set and not in this version. */
void exp_keys_each_later(const struct exp_config *experiment,
			 void (*fn)(void *user, const struct option_row *row), void *user);
/* Keys that stand in braces in an error, in the words of who wrote the experiment. */
void exp_words(const struct exp_config *experiment, struct pl_err *err);
/* Where the server runs already: launch.url, or benchmark.base_url, host and port as vLLM's client
 * reads them. NULL: it is to be started. The caller's (free()). */
char *exp_server_url(const struct exp_config *experiment);
/*
 * Sets the options of a load from a command line of `bench serve`: an object, typed, durations as text.
 * They are read as those of a file are, but for ${VAR}, which is the shell's, and count as set. Keys are
 * called by their flags from here on; where an option has a place already, problems stand there.
 */
void exp_config_set_options(struct exp_config *experiment, const json_t *options,
			    struct option_problems *problems);
void exp_config_free(struct exp_config *experiment);
PL_AUTO_DEFINE(struct exp_config, exp_config_free);
#define auto_experiment PL_AUTO(exp_config_free)

/* The checked, completed configuration as JSON (dry run); secrets as "***". */
json_t *exp_config_to_json(const struct exp_config *experiment);
/*
 * What was asked for: of every section the keys that were set, and no others, so that it reads as the
 * same experiment. ${VAR} stands as it was written, secrets as "***"; --sim as the command that it means.
 * Of a command line of `bench serve` also where its defaults are not those of a file.
 */
json_t *exp_config_asked(const struct exp_config *experiment);
