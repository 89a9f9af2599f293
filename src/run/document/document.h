/*
 * The result of a run: of a finished one, or as far as it has come.
 */
#pragma once

#include "base/err.h"
#include "base/json.h"

struct run_server;
struct run_state;

/* launch.phases of one life of a server. New reference. */
json_t *run_document_phases(const struct run_server *server);
/* The release of vLLM that the server says it is of, else the target release; never NULL. */
const char *run_document_release(const struct run_state *run);

/* What of a run's document stays as it is while the run goes on, made once: most of its bytes. */
struct run_fixed {
	json_t *host;   /* host_system_facts() */
	json_t *config; /* of the document; options that the run itself finds out are laid over it */
};

/* Once the launch is planned, and again where another port made it anew. */
void run_document_fix(const struct run_state *run, struct run_fixed *ret);
void run_fixed_done(struct run_fixed *fixed);

/* Of a finished run; writes its side files, which it lists. New reference. */
int run_document(const struct run_state *run, json_t **ret, struct pl_err *err) PL_MUST_CHECK;
/* {error, suite, name, tags, config, launch, system, environment, prints} as far as known; new
 * reference. */
json_t *run_document_so_far(const struct run_state *run);
