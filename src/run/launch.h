/*
 * What will be started: argument array, environment and port, worked out from an experiment before
 * anything runs. The dry run shows it; server.h starts it.
 */
#pragma once

#include "run/resources/resources.h"
#include "run/target.h"

struct run_launch {
	char *url;          /* a server that already runs; NULL: ours. The rest is then empty */
	char *program;      /* path of argv[0]; NULL: it was not found */
	json_t *argv;       /* array of texts */
	json_t *env;        /* object: variables laid over our own environment, secrets in clear */
	json_t *secret_env; /* array: names of the secret ones */
	json_t *values;     /* server arguments as sent, host and port included */
	json_t *gpus;       /* array of {index, uuid, name, memory_bytes, simulated}: resources' */
	struct run_resources resources;
	char *host;          /* bind address */
	unsigned port_tries; /* ports that were drawn, the one in use included; 0: none was */
	char *uds;           /* socket path instead of host and port; NULL: none */
	char *bearer;        /* API key, of our own server or launch.env's; NULL: none */
	json_t *headers;     /* benchmark.header, array of "NAME=value"; NULL: none */
	json_t *warnings;    /* array of texts */
};

/*
 * Finds the program, takes GPUs and a port as run_resources_take() does. A program that cannot be
 * found is no error here: see run_launch_check().
 */
int run_launch_plan(const struct exp_config *experiment, const struct run_taking *how,
		    struct run_launch **ret, struct pl_err *err) PL_MUST_CHECK;
/* Another port, for a server that died because its own was taken: arguments and port are new. */
int run_launch_new_port(struct run_launch *launch, const struct exp_config *experiment,
			const char *run_id, struct pl_err *err) PL_MUST_CHECK;
void run_launch_free(struct run_launch *launch);
PL_AUTO_DEFINE(struct run_launch, run_launch_free);
#define auto_launch PL_AUTO(run_launch_free)

/* -1 when it could not be started: no program. */
int run_launch_check(const struct run_launch *launch, struct pl_err *err) PL_MUST_CHECK;
/* `stop`: what is asked of the target ends with it. */
int run_launch_target(const struct run_launch *launch, const struct exp_config *experiment,
		      const struct run_stop *stop, struct run_target *ret,
		      struct pl_err *err) PL_MUST_CHECK;

/* Words and environment with "***" for secrets. New references. */
json_t *run_launch_argv_shown(const struct run_launch *launch);
json_t *run_launch_env_shown(const struct run_launch *launch);
/* Every argument of the server as the launch has it, secrets as "***", and where its value is from:
 * vllm_args_effective(). New references. */
json_t *run_launch_server(const struct run_launch *launch, const struct exp_config *experiment,
			  json_t **ret_source);
/* {argv, env, gpus, port, config, warnings}: what --dry-run --json prints. New reference. */
json_t *run_launch_to_json(const struct run_launch *launch, const struct exp_config *experiment);
