/*
 * The resources that runs would take on this host (run/resources/resources.h), without taking them: for callers that
 * start several runs and need to know which of them conflict.
 */
#pragma once

#include "experiment/config.h"

/* The GPUs of the host, read once. */
struct run_wishes;

/*
 * If the driver cannot be queried, the host has no GPUs: each run reports that itself. `gpus` > 0: number of GPUs of
 * another host.
 */
struct run_wishes *run_wishes_new(size_t gpus);
void run_wishes_free(struct run_wishes *wishes);
PL_AUTO_DEFINE(struct run_wishes, run_wishes_free);
#define auto_wishes PL_AUTO(run_wishes_free)

/* Returns the number of GPUs available to `auto`. */
size_t run_wishes_gpus(const struct run_wishes *wishes);

struct run_wish {
	size_t gpus; /* number of any GPUs; 0: none, or named ones */
	bool names_gpus;
	json_t *alone; /* array of texts: exclusive resources, such as "port 8000" */
};

/* ret: run_wish_done(). */
void run_wish(const struct run_wishes *wishes, const struct exp_config *experiment,
	      struct run_wish *ret);
void run_wish_done(struct run_wish *wish);
