/*
 * The launch plan: argument array, environment and port, derived from an experiment before anything runs. The dry run
 * shows it; server.h starts it.
 */
#pragma once

#include "run/resources/resources.h"
#include "run/target.h"

struct run_container;

struct run_launch {
	char *url; /* a server that is already running; NULL: ours. With a URL, all other members are
			     * empty */
	char *program;      /* path of argv[0]; NULL: not found */
	json_t *argv;       /* array of texts */
	json_t *env;        /* object: variables added to our environment, secrets in clear text */
	json_t *secret_env; /* array: names of the secret variables */
	json_t *values;     /* server arguments as passed, including host and port */
	json_t *gpus;       /* array of {index, uuid, name, memory_bytes, simulated}: resources' */
	struct run_resources resources;
	char *host;          /* bind address */
	unsigned port_tries; /* ports that were drawn, including the current one; 0: none */
	char *uds;           /* socket path instead of host and port; NULL: none */
	char *bearer;        /* API key, of our own server or launch.env's; NULL: none */
	json_t *headers;     /* benchmark.header, array of "NAME=value"; NULL: none */
	json_t *warnings;    /* array of texts */
	char *trace_dir; /* where the server writes traces (run/profile/setup.h); NULL: unknown, or none */
	json_t *wrapper_words;           /* of the profiler that starts argv; NULL: none */
	char *wrapper;                   /* path of its program; NULL: none, or not found */
	struct run_container *container; /* that argv starts (run/container.h); NULL: none */
	json_t *client_env; /* object: with a container, the variables of its runtime's program */
};

/*
 * Finds the program and takes GPUs and a port like run_resources_take(). A missing program is not an error here: see
 * run_launch_check().
 */
int run_launch_plan(const struct exp_config *experiment, const struct run_taking *how,
		    struct run_launch **ret, struct pl_err *err) PL_MUST_CHECK;
/* Chooses another port after a server died because its port was in use, and updates the arguments. */
int run_launch_new_port(struct run_launch *launch, const struct exp_config *experiment,
			const char *run_id, struct pl_err *err) PL_MUST_CHECK;
void run_launch_free(struct run_launch *launch);
PL_AUTO_DEFINE(struct run_launch, run_launch_free);
#define auto_launch PL_AUTO(run_launch_free)

/* Returns -1 if it cannot be started: the program is missing. */
/* Returns whether the server is to be profllm-sim, which is not installed. */
bool run_launch_lacks_simulator(const struct run_launch *launch);
int run_launch_check(const struct run_launch *launch, struct pl_err *err) PL_MUST_CHECK;
/* `stop` aborts requests to the target. */
int run_launch_target(const struct run_launch *launch, const struct exp_config *experiment,
		      const struct run_stop *stop, struct run_target *ret,
		      struct pl_err *err) PL_MUST_CHECK;

/* Return words and environment with "***" for secrets. New references. */
json_t *run_launch_argv_shown(const struct run_launch *launch);
json_t *run_launch_env_shown(const struct run_launch *launch);
/*
 * Returns every argument of the server as launched, secrets as "***", and the source of its value:
 * vllm_args_effective(). New references.
 */
json_t *run_launch_server(const struct run_launch *launch, const struct exp_config *experiment,
			  json_t **ret_source);
/* Returns {argv, env, gpus, port, config, warnings}, the output of --dry-run --json. New reference. */
json_t *run_launch_to_json(const struct run_launch *launch, const struct exp_config *experiment);
