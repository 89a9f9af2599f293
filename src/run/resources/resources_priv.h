/* The GPU part of taking resources: request.c determines what an experiment asks for, gpus.c takes it. */
#pragma once

#include "host/gpu/pick.h"
#include "run/resources/resources.h"

enum run_gpus { RUN_GPUS_NONE, RUN_GPUS_AUTO, RUN_GPUS_ALL, RUN_GPUS_NAMED };

struct run_gpu_request {
	enum run_gpus kind;
	json_t *names;     /* array of texts, for RUN_GPUS_NAMED */
	const char *key;   /* the source: "launch.gpus" */
	bool reported;     /* the server reads it from `key` itself */
	bool none_is_fine; /* a host without GPUs is only a warning */
	bool simulator;    /* the server does not compute: `auto` gives it no real GPU */
	size_t count;      /* for RUN_GPUS_AUTO */
};

void run_gpu_request_read(const struct exp_config *experiment, struct run_gpu_request *ret);
void run_gpu_request_done(struct run_gpu_request *request);

/* The GPUs of the host while they are being taken. */
struct run_gpu_taking {
	const struct run_gpu_request *request;
	struct host_gpus *host;
	struct host_gpu_offer *offers;
	bool *wanted; /* offers that may be taken: the named ones, or all that `auto` and `all` allow */
	int *lock_fds;   /* one per offer; -1: none */
	int *parent_fds; /* of the GPU that contains an instance */
	size_t count;
};

/*
 * Reads the GPUs of the host. Returns 0 and sets the request's kind to RUN_GPUS_NONE if there are none and none are
 * needed.
 */
int run_gpu_taking_open(struct run_gpu_request *request, json_t *warnings,
			struct run_gpu_taking *ret, struct pl_err *err) PL_MUST_CHECK;
void run_gpu_taking_close(struct run_gpu_taking *taking);
/* Returns our request as others see it while we wait: {any: true} or {gpus: [names of locks]}. New reference. */
json_t *run_gpu_taking_claim(const struct run_gpu_taking *taking);
/* Reads which GPUs are in use. Do not call it inside host_locks_enter(): the driver can be slow. */
void run_gpu_taking_look(struct run_gpu_taking *taking);
/*
 * Inside host_locks_enter(): returns 1 and locks *ret_picked (indexes of offers, *ret_count), or 0 if they are in use,
 * with the owner in err; then nothing is locked. `before`: host_queue_before().
 */
int run_gpu_taking_try(struct run_gpu_taking *taking, const struct host_locks *locks,
		       const json_t *before, size_t *ret_picked, size_t *ret_count, bool *ret_mixed,
		       struct pl_err *err) PL_MUST_CHECK;
/* Unlocks what run_gpu_taking_try() locked. */
void run_gpu_taking_let_go(struct run_gpu_taking *taking);
