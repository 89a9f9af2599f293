/*
 * What can be known to be wrong with an experiment's server before anything starts: arguments and
 * choices that the target release lacks, broken rules, GPUs, the model, its memory. `validate` and
 * `run` ask the same questions here.
 */
#ifndef RUN_CHECK_H
#define RUN_CHECK_H

#include "run/target_release.h"
#include "checkpoint/hardware.h"
#include "checkpoint/memory/memory.h"
#include "checkpoint/facts.h"

struct run_check_options {
	const char *version;                  /* --vllm-version; NULL: not given */
	const struct ckpt_hardware *hardware; /* --hardware; NULL: what the host shows */
	int64_t available_bytes;              /* of one GPU, for the KV cache; 0: not given */
	bool strict;                          /* warnings become errors */
	bool headless;                        /* a server without an API may be meant */
	bool allow_gone; /* what the target no longer has is passed on, with a warning */
};

struct run_check {
	struct run_release release;
	struct ckpt_facts *facts;
	struct ckpt_memory memory;
};

void run_check_done(struct run_check *check);
#define auto_check __attribute__((cleanup(run_check_done), unused)) struct run_check

/*
 * exp_config_read() with the release in mind: where the file and the sets name none, the
 * installed one. In objects whose keys are another release's faults are warnings.
 */
int run_check_read(const struct vllm_catalog *catalog, const char *path, const char *const *sets,
		   size_t set_count, struct exp_config **ret, struct option_problems *problems,
		   struct pl_err *err) PL_MUST_CHECK;

/*
 * Adds what is found to `problems`, those of the reader included: what it refused is not among the
 * values, and rules that ask for such a value are silent. `ret` starts as { 0 }.
 */
void run_check_server(const struct exp_config *experiment, const struct run_check_options *options,
		      struct run_check *ret, struct option_problems *problems);

#endif
