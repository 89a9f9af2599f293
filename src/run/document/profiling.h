/*
 * `profiling` of a result: whether a profiler of the server was active, during the measured run or for requests after
 * it. The first is made from other parts of the result, so that a recovered run has it, too.
 */
#pragma once

#include "base/json.h"

#include <stdbool.h>

struct run_launch;
struct run_profile;

/* vLLM's variable for the trace directory; its server inherits our environment. */
#define RUN_PROFILER_DIR "VLLM_TORCH_PROFILER_DIR"

/*
 * ran: it was started, or requested and not refused. config, launch: of the result. inherited_dir: RUN_PROFILER_DIR in
 * our environment; NULL: not set or unknown. New reference.
 */
json_t *run_profiling(bool ran, const json_t *config, const json_t *launch,
		      const char *inherited_dir);
/* Adds the profile of separate requests, if it was requested. artifacts: of the result. */
void run_profiling_add(const struct run_profile *profile, const struct run_launch *launch,
		       const json_t *artifacts, json_t *profiling);
