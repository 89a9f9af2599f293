/* Makes the result of a run: of a finished one, or of its state so far. */
#pragma once

#include "base/err.h"
#include "base/json.h"

struct run_server;
struct run_state;

/* Returns launch.phases of one start of a server. New reference. */
json_t *run_document_phases(const struct run_server *server);
/* Returns the release that the server reports, else the target release; never NULL. */
const char *run_document_release(const struct run_state *run);

/* The parts of a run's document that never change during the run, made once. They are most of its bytes. */
struct run_fixed {
	json_t *host;   /* host_system_facts() */
	json_t *config; /* of the document; options that the run determines are applied to it */
};

/* Call it after the launch was planned, and again after a change of the port. */
void run_document_fix(const struct run_state *run, struct run_fixed *ret);
void run_fixed_done(struct run_fixed *fixed);

/* Makes the result of a finished run, and writes and lists its artifacts. New reference. */
int run_document(const struct run_state *run, json_t **ret, struct pl_err *err) PL_MUST_CHECK;
/* Returns {error, suite, name, tags, config, launch, system, environment, prints} as far as known; new reference. */
json_t *run_document_so_far(const struct run_state *run);
