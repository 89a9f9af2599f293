/* `launch.container`: the container in which a run starts its server. */
#pragma once

#include "experiment/config.h"

/* Borrowed from the experiment; the keys that it does not set have their defaults. */
struct exp_container {
	const char *runtime;   /* docker or podman */
	const char *image;     /* NULL: not set */
	const json_t *args;    /* array of texts: further options of `RUNTIME run`; NULL: none */
	const json_t *command; /* array of texts between image and model; NULL: none */
	const char *pull;      /* never, missing or always */
	const char *network;   /* host, or the network from which a port is published */
};

/* Returns false if the experiment starts no container: also with --sim. Not checked. */
bool exp_container_read(const struct exp_config *experiment, struct exp_container *ret);
/* Returns whether its network is the host's, so that the server binds the address of the run. */
bool exp_container_is_on_host(const struct exp_container *container);
/* Returns whether its own arguments give it all GPUs of the host: --gpus all, or all devices. */
bool exp_container_has_all_gpus(const struct exp_container *container);
