/*
 * What will be started: argument array, environment and port, worked out from an experiment before
 * anything runs. The dry run shows it; server.h starts it.
 */
#ifndef EXPERIMENT_LAUNCH_H
#define EXPERIMENT_LAUNCH_H

#include "experiment/resources.h"
#include "experiment/target.h"

struct exp_launch {
	char *url;          /* a server that already runs; NULL: ours. The rest is then empty */
	char *program;      /* path of argv[0]; NULL: it was not found */
	json_t *argv;       /* array of texts */
	json_t *env;        /* object: variables laid over our own environment, secrets in clear */
	json_t *secret_env; /* array: names of the secret ones */
	json_t *values;     /* server arguments as sent, host and port included */
	json_t *gpus;       /* array of {index, uuid, name, memory_bytes, simulated}: resources' */
	struct exp_resources resources;
	char *host;          /* bind address */
	unsigned port_tries; /* ports that were drawn, the one in use included; 0: none was */
	char *uds;           /* socket path instead of host and port; NULL: none */
	char *bearer;        /* API key of our own server; NULL: none */
	json_t *warnings;    /* array of texts */
};

/*
 * Finds the program, takes GPUs and a port as exp_resources_take() does. A program that cannot be
 * found is no error here: see exp_launch_check().
 */
int exp_launch_plan(const struct md_experiment *experiment, const struct exp_taking *how,
		    struct exp_launch **ret, struct pl_err *err) PL_MUST_CHECK;
/* Another port, for a server that died because its own was taken: arguments and port are new. */
int exp_launch_new_port(struct exp_launch *launch, const struct md_experiment *experiment,
			const char *run_id, struct pl_err *err) PL_MUST_CHECK;
void exp_launch_free(struct exp_launch *launch);
PL_AUTO_DEFINE(struct exp_launch, exp_launch_free);
#define auto_launch PL_AUTO(exp_launch_free)

/* -1 when it could not be started: no program. */
int exp_launch_check(const struct exp_launch *launch, struct pl_err *err) PL_MUST_CHECK;
int exp_launch_target(const struct exp_launch *launch, const struct md_experiment *experiment,
		      struct exp_target *ret, struct pl_err *err) PL_MUST_CHECK;

/* Words and environment with "***" for secrets. New references. */
json_t *exp_launch_argv_shown(const struct exp_launch *launch);
json_t *exp_launch_env_shown(const struct exp_launch *launch);
/* {argv, env, gpus, port, config, warnings}: what --dry-run --json prints. New reference. */
json_t *exp_launch_to_json(const struct exp_launch *launch, const struct md_experiment *experiment);

#endif
