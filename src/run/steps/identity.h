/*
 * Who answers: what the server tells of itself and of the model, and the name that requests give it.
 */
#pragma once

#include "base/json.h"

#include <stdbool.h>

struct run_context;
struct run_server;
struct run_target;

struct run_identity {
	json_t *version;     /* answer of /version; NULL: none */
	json_t *models;      /* answer of /v1/models; NULL: none */
	int models_status;   /* its HTTP status; 0: no answer */
	json_t *server_info; /* answer of /server_info, secrets as ***; NULL: none */
	json_t *cache;       /* labels of vllm:cache_config_info; NULL: none */
	char *model;         /* what requests call it; NULL: not chosen yet */
	char *name;
	char *engine_version;
	bool known; /* the server told something of itself */
	bool simulated;
};

/*
 * Asks, and ends the run where what answers is not the server that was started, or no model can be
 * named. `follows_redirects`: a client does, so that one is no reason to end.
 */
int run_identity_learn(const struct run_context *run, const struct run_target *target,
		       const struct run_server *server, bool follows_redirects,
		       struct run_identity *ret);
void run_identity_done(struct run_identity *identity);

/* The server refused a request: -1 where it does not serve the model that was asked for. `refusal`:
 * ": " and what it said. */
int run_identity_check_model(const struct run_context *run, const struct run_identity *identity,
			     const char *refusal);
/* What the server calls the model that requests name: its path or hub id; NULL: it does not say. */
const char *run_identity_root(const struct run_identity *identity);
