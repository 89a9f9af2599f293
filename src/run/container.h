/*
 * The server in a container (launch.container): the command line of its runtime, the checks before the start, and the
 * facts about the image for the result. host/proc/container.h stops and removes it by its name.
 *
 *	words of the server ──> docker run --rm --name … IMAGE words      plan
 *	version, name, image ──> an error before anything starts          check
 *	inspect NAME ──> pid, image, digest                               learn, once the server responds
 */
#pragma once

#include "base/json.h"
#include "experiment/container.h"

#include <sys/types.h>

struct run_launch;

struct run_container {
	char *name; /* HOST_CONTAINER_PREFIX and the mark of the run */
	char *runtime_version;
	char *image;
	char *image_id; /* of the container that runs, or would be started; NULL: unknown */
	char *digest;   /* of the registry, else of the local image; NULL: unknown */
	pid_t pid;      /* its first process; 0: unknown */
};

void run_container_free(struct run_container *container);
PL_AUTO_DEFINE(struct run_container, run_container_free);

/* NULL: the experiment starts no container. `run_id` NULL: a dry run, whose name has no id. */
struct run_container *run_container_new(const struct exp_config *experiment, const char *run_id);
/* Returns the address that the server binds: all addresses of a network of its own. */
const char *run_container_host(const struct exp_config *experiment, const char *host);
/*
 * Puts `RUNTIME run …` before the words of the server in launch->argv. Secrets are passed by name: launch->secret_env
 * and URLs with a password become variables of the runtime's program, launch->client_env.
 */
void run_container_wrap(const struct exp_config *experiment, struct run_launch *launch);
/* Returns -1 if the runtime does not respond, the name is in use, or the image is missing and not to be pulled. */
int run_container_check(const struct exp_config *experiment, const struct run_launch *launch,
			struct pl_err *err) PL_MUST_CHECK;
/* Reads the facts of the running container; facts that the runtime does not report stay unknown. */
void run_container_learn(const struct run_launch *launch);
/* Returns `environment.container` of the result. New reference. */
json_t *run_container_to_json(const struct exp_config *experiment,
			      const struct run_container *container);
