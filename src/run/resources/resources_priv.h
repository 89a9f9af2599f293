/*
 * The GPU part of taking resources: request.c says what an experiment asks for,
 * gpus.c takes it.
 */
#pragma once

#include "run/resources/resources.h"
#include "host/gpu/pick.h"

enum run_gpus { RUN_GPUS_NONE, RUN_GPUS_AUTO, RUN_GPUS_ALL, RUN_GPUS_NAMED };

struct run_gpu_request {
	enum run_gpus kind;
	json_t *names;     /* array of texts, for RUN_GPUS_NAMED */
	const char *key;   /* who says so: "launch.gpus" */
	bool told;         /* the server learns it from `key` itself */
	bool none_is_fine; /* no GPU on the host is a warning */
	bool simulator;    /* the server computes nothing: it gets no real GPU by `auto` */
	size_t count;      /* for RUN_GPUS_AUTO */
};

void run_gpu_request_read(const struct exp_config *experiment, struct run_gpu_request *ret);
void run_gpu_request_done(struct run_gpu_request *request);

/* GPUs of the host while they are being taken. */
struct run_gpu_taking {
	const struct run_gpu_request *request;
	struct host_gpus *host;
	struct host_gpu_offer *offers;
	bool *wanted; /* an offer may be taken: a named one, or any that `auto` and `all` may have */
	int *lock_fds;   /* one an offer; -1: none */
	int *parent_fds; /* of the GPU that an instance is part of */
	size_t count;
};

/* Looks at the host. 0 with kind RUN_GPUS_NONE in `request` where there is none and that is fine. */
int run_gpu_taking_open(struct run_gpu_request *request, json_t *warnings,
			struct run_gpu_taking *ret, struct pl_err *err) PL_MUST_CHECK;
void run_gpu_taking_close(struct run_gpu_taking *taking);
/* What others see of our request while we wait: {any: true} or {gpus: [names of locks]}. New
 * reference. */
json_t *run_gpu_taking_claim(const struct run_gpu_taking *taking);
/* Looks who uses the GPUs now; not inside host_locks_enter(), the driver may take its time. */
void run_gpu_taking_look(struct run_gpu_taking *taking);
/*
 * Inside host_locks_enter(): 1: *ret_picked (numbers of offers, *ret_count) are locked. 0: not now,
 * err says who has them; nothing is locked. `before`: host_queue_before().
 */
int run_gpu_taking_try(struct run_gpu_taking *taking, const struct host_locks *locks,
		       const json_t *before, size_t *ret_picked, size_t *ret_count, bool *ret_mixed,
		       struct pl_err *err) PL_MUST_CHECK;
/* Lets go of what run_gpu_taking_try() locked. */
void run_gpu_taking_let_go(struct run_gpu_taking *taking);
