/* The section `profiling` of an experiment, with its defaults. */
#pragma once

#include "experiment/config.h"

/* Texts are borrowed from the experiment. */
struct exp_profiling {
	bool enabled;
	bool is_cuda;    /* Nsight Systems; else torch's profiler */
	const char *dir; /* NULL: not set */
	int64_t num_prompts;
	int64_t flush_timeout_ns;
};

#define EXP_PROFILING_DIR "traces" /* if it is not set */

void exp_profiling_read(const struct exp_config *experiment, struct exp_profiling *ret);
/* Whether the target release starts its profiler by --profiler-config; else by VLLM_TORCH_PROFILER_DIR. */
bool exp_profiling_has_argument(const struct exp_config *experiment);
