/*
 * What a run takes of its host: GPUs, a port, and the locks that keep both from other runs.
 *
 * A run takes all that it needs at once or nothing, so that two that wait never wait for each
 * other. docs/reference/resources.md says the rules.
 */
#pragma once

#include "run/target_release.h"
#include "host/gpu/gpu.h"
#include "host/lock/lock.h"
#include "host/gpu/numa.h"
#include "host/lock/port.h"

struct run_stop;

#define RUN_WAIT_FOREVER INT64_MAX

/* How to take them. */
struct run_taking {
	const char *run_id;                /* NULL: none */
	const struct run_release *release; /* which vLLM the GPUs are named for */
	const struct run_stop *stop;       /* ends the waiting; NULL: nothing does */
	int64_t wait_ns;                   /* for what others hold; 0: not at all */
	bool look_only; /* a dry run: nothing stays taken, GPUs in use are a warning */
	bool quiet;     /* does not say for whom it waits */
};

struct run_resources {
	struct host_locks *locks; /* NULL: none were needed, or none can be had */
	json_t *gpus;             /* array of {index, uuid, name, memory_bytes, simulated} */
	char *visible;            /* CUDA_VISIBLE_DEVICES for the server; NULL: left alone */
	int *lock_fds;            /* of the GPUs */
	size_t lock_count;
	struct host_port port;
	bool has_numa; /* all GPUs are next to numa.node, and the server is bound to it */
	struct host_numa numa;
	int64_t waited_ns;
	json_t *host_gpus; /* array of names, all GPUs of the host; NULL: nobody looked */
	char *driver;      /* NULL: not told */
	char *cuda;
	bool still_used; /* processes are left: the locks are not unlocked, only let go of */
};

/* As empty: release is harmless then. */
void run_resources_init(struct run_resources *resources);
/*
 * Takes what the experiment asks for; `warnings` (an array) gets what the user should know. -1 and
 * nothing is taken: PL_ERR_BUSY with who has it, PL_ERR_INVALID for what can never be had,
 * PL_ERR_INTERRUPTED where a signal ended the waiting.
 */
int run_resources_take(const struct exp_config *experiment, const struct run_taking *how,
		       json_t *warnings, struct run_resources *ret,
		       struct pl_err *err) PL_MUST_CHECK;
/* Another port, for a server that found its own taken. */
int run_resources_new_port(const struct exp_config *experiment, const char *run_id,
			   struct run_resources *resources, struct pl_err *err) PL_MUST_CHECK;
/* Sets everything free; harmless when repeated. What was found out stays readable. */
void run_resources_release(struct run_resources *resources);
/* Releases, and frees the rest. */
void run_resources_done(struct run_resources *resources);
