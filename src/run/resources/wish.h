/*
 * What runs would take of their host (run/resources/resources.h), told before anything is taken: for
 * who starts several and has to know which of them get in each other's way.
 */
#pragma once

#include "experiment/config.h"

/* The GPUs of the host, looked at once. */
struct run_wishes;

/* A driver that cannot be asked is a host without GPUs: each run says so itself. `gpus` > 0: of another
 * host, which has so many. */
struct run_wishes *run_wishes_new(size_t gpus);
void run_wishes_free(struct run_wishes *wishes);
PL_AUTO_DEFINE(struct run_wishes, run_wishes_free);
#define auto_wishes PL_AUTO(run_wishes_free)

/* GPUs that `auto` may have. */
size_t run_wishes_gpus(const struct run_wishes *wishes);

struct run_wish {
	size_t gpus; /* of any; 0: none, or those that are named */
	bool names_gpus;
	json_t *alone; /* array of texts: what two runs cannot have at once, as "port 8000" */
};

/* ret: run_wish_done(). */
void run_wish(const struct run_wishes *wishes, const struct exp_config *experiment,
	      struct run_wish *ret);
void run_wish_done(struct run_wish *wish);
