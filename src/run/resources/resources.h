/*
 * The resources that a run takes on its host: GPUs, a port, and the locks that keep other runs from using them. A run
 * takes everything it needs at once or nothing, so two waiting runs never wait for each other.
 * docs/reference/resources.md describes the rules.
 */
#pragma once

#include "host/gpu/gpu.h"
#include "host/gpu/numa.h"
#include "host/lock/lock.h"
#include "host/lock/port.h"
#include "run/target_release.h"

struct run_stop;

/* Options for taking them. */
struct run_taking {
	const char *run_id; /* NULL: none */
	const struct run_release
		*release;            /* the vLLM release, which determines how GPUs are named */
	const struct run_stop *stop; /* ends the waiting; NULL: nothing does */
	int64_t wait_ns;             /* maximum time to wait for resources in use; 0: none */
	bool look_only;              /* a dry run: keeps nothing, and GPUs in use are a warning */
	bool quiet;                  /* does not report which run it waits for */
};

struct run_resources {
	struct host_locks *locks; /* NULL: none needed, or unavailable */
	json_t *gpus;             /* array of {index, uuid, name, memory_bytes, simulated} */
	char *visible;            /* CUDA_VISIBLE_DEVICES for the server; NULL: unchanged */
	int *lock_fds;            /* of the GPUs */
	size_t lock_count;
	struct host_port port;
	bool has_numa; /* all GPUs are next to numa.node, and the server is bound to it */
	struct host_numa numa;
	int64_t waited_ns;
	json_t *host_gpus; /* array of names of all GPUs of the host; NULL: not read */
	char *driver;      /* NULL: unknown */
	char *cuda;
	bool still_used; /* processes remain: the locks are only closed, not unlocked */
};

/* Returns how many GPUs a server with these arguments uses on one node: TP x PP x PCP for each data parallel replica there. */
size_t run_gpus_needed(const json_t *server);

/* Initializes to empty, which is safe to release. */
void run_resources_init(struct run_resources *resources);
/*
 * Takes the resources of the experiment; appends warnings for the user to `warnings` (an array). On -1, nothing is
 * taken: PL_ERR_BUSY names the owner, PL_ERR_INVALID reports a resource that does not exist, PL_ERR_INTERRUPTED a
 * signal during the wait.
 */
int run_resources_take(const struct exp_config *experiment, const struct run_taking *how,
		       json_t *warnings, struct run_resources *ret,
		       struct pl_err *err) PL_MUST_CHECK;
/* Takes another port, after the server found its own in use. */
int run_resources_new_port(const struct exp_config *experiment, const char *run_id,
			   struct run_resources *resources, struct pl_err *err) PL_MUST_CHECK;
/* Releases, and frees the memory. */
void run_resources_done(struct run_resources *resources);
