/*
 * One experiment as written in YAML (docs/reference/experiment-file.md), validated and completed.
 */
#pragma once

#include "base/err.h"
#include "base/json.h"
#include "option/locations.h"
#include "option/problem.h"
#include "vllm/bench_options.h"
#include "vllm/catalog.h"

#include <stdbool.h>
#include <stdint.h>

/* Replaces launch.command with --sim. */
#define EXP_SIMULATOR "profllm-sim"

struct exp_launch {
	json_t *command;    /* array of strings: argv prefix; NULL: not given ([vllm, serve]) */
	char *url;          /* a running server; NULL: start one */
	char *hardware;     /* GPUs of the server at the URL, "h100x8"; NULL: not given */
	char *vllm_version; /* NULL: not given */
	char *platform;     /* auto cuda rocm cpu xpu tpu hpu */
	json_t *container;  /* object (experiment/container.h); NULL: none */
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
		*catalog;        /* of its server's arguments in its release; must outlive it */
	char *source;            /* file name */
	enum option_voice voice; /* the form of key names in the source */
	char *suite;             /* NULL: none */
	char *name;              /* NULL: none */
	json_t *tags;            /* object name -> text */
	json_t *server;          /* object: the user's settings, typed, snake_case */
	json_t *given;           /* object: the objects among them, as written */
	json_t *raw;             /* object: values before expansion, by "launch.env" … */
	/* the requested settings, if more were set here; NULL: those that were set */
	json_t *requested;
	json_t *repeats; /* the result that it repeats; NULL: none, from a file */
	struct exp_launch launch;
	struct vllm_bench bench;
	bool bench_set[VLLM_BENCH_COUNT]; /* set in the file or by --set */
	struct exp_telemetry telemetry;
	json_t *profiling; /* as given, or NULL */
	struct exp_output output;
	bool simulate;                     /* --sim: the simulator replaces launch.command */
	struct option_locations locations; /* locations of "server.dtype", "launch.gpus" … */
};

/* The rows of tbl/experiment_keys.h: "launch.env" … */
size_t exp_key_count(void);
const struct option_row *exp_key_at(size_t i);

/* Returns the experiment of an empty file. `source` is its name for errors. */
struct exp_config *exp_config_new(const struct vllm_catalog *catalog, const char *source);

/*
 * Parses bytes, named `source` in errors, applies `sets` ("server.tensor_parallel_size=4", YAML
 * values), and runs all checks that do not need the host. `catalog` must be of the reference
 * release, from which the release in the file (launch.vllm_version) is derived, or of a release
 * that overrides the file's. Reports all problems, and sets *ret also if there are errors: without
 * the rejected values. Returns -1 if the bytes are not YAML.
 */
int exp_config_read_text(const struct vllm_catalog *catalog, const char *text, size_t len,
			 const char *source, const char *const *sets, size_t set_count,
			 struct exp_config **ret, struct option_problems *problems,
			 struct pl_err *err) PL_MUST_CHECK;
/* The same for a file. Also returns -1 if it is unreadable. */
int exp_config_read(const struct vllm_catalog *catalog, const char *path, const char *const *sets,
		    size_t set_count, struct exp_config **ret, struct option_problems *problems,
		    struct pl_err *err) PL_MUST_CHECK;
/* The same for an experiment as JSON: locations in it are not lines. */
int exp_config_read_json(const struct vllm_catalog *catalog, const json_t *json, const char *source,
			 const char *const *sets, size_t set_count, struct exp_config **ret,
			 struct option_problems *problems, struct pl_err *err) PL_MUST_CHECK;
/* Calls fn for each key outside of `benchmark` that is set but not supported by this version. */
void exp_keys_each_later(const struct exp_config *experiment,
			 void (*fn)(void *user, const struct option_row *row), void *user);
/* Replaces keys in braces in an error with their names in the experiment's source. */
void exp_words(const struct exp_config *experiment, struct pl_err *err);
/*
 * Returns the URL of a running server: launch.url, or benchmark.base_url, host and port as in
 * vLLM's client. NULL: it is to be started. The caller frees it with free().
 */
char *exp_server_url(const struct exp_config *experiment);
/*
 * Sets load options from a command line of `bench serve`: a typed object, durations as text. They
 * are read like those of a file, except that ${VAR} is not expanded because the shell does it, and
 * count as set. From then on errors name keys by their flags; if an option already has a location,
 * problems are reported there.
 */
void exp_config_set_options(struct exp_config *experiment, const json_t *options,
			    struct option_problems *problems);
void exp_config_free(struct exp_config *experiment);
PL_AUTO_DEFINE(struct exp_config, exp_config_free);
#define auto_experiment PL_AUTO(exp_config_free)

/* Returns the validated, completed configuration as JSON (dry run); secrets as "***". */
json_t *exp_config_to_json(const struct exp_config *experiment);
/*
 * Returns the requested settings: for every section only the keys that were set, so that it reads
 * as the same experiment. ${VAR} is not expanded, secrets are "***"; --sim becomes the
 * corresponding command. For a command line of `bench serve` it includes the defaults that differ
 * from those of a file.
 */
json_t *exp_config_explicit(const struct exp_config *experiment);
