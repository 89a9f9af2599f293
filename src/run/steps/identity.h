/* The identity of the server: what it reports about itself and the model, and the model name in requests. */
#pragma once

#include "base/json.h"

#include <stdbool.h>

struct run_context;
struct run_server;
struct run_target;

struct run_identity {
	json_t *version;     /* response of /version; NULL: none */
	json_t *models;      /* response of /v1/models; NULL: none */
	int models_status;   /* its HTTP status; 0: no response */
	json_t *server_info; /* response of /server_info, secrets as ***; NULL: none */
	json_t *cache;       /* labels of vllm:cache_config_info; NULL: none */
	char *model;         /* in requests; NULL: not chosen yet */
	char *name;
	char *engine_version;
	bool known; /* the server has reported something about itself */
	bool simulated;
};

/*
 * Queries the server, and ends the run if it is not the server that was started, or if no model can be chosen.
 * `follows_redirects`: the client does, so a redirect does not end the run.
 */
int run_identity_learn(const struct run_context *run, const struct run_target *target,
		       const struct run_server *server, bool follows_redirects,
		       struct run_identity *ret);
void run_identity_done(struct run_identity *identity);

/*
 * After a refused request: returns -1 if the server does not serve the requested model. `refusal`: ": " and its
 * message.
 */
int run_identity_check_model(const struct run_context *run, const struct run_identity *identity,
			     const char *refusal);
/* Returns the server's name for the model that requests use: its path or hub id; NULL: not reported. */
const char *run_identity_root(const struct run_identity *identity);
