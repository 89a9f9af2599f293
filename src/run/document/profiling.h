/*
 * `profiling` of a result: that the server's own profiler was at work while the figures were taken.
 * Made of the result's other parts, so that a run that was killed has it too.
 */
#pragma once

#include "base/json.h"

#include <stdbool.h>

/* vLLM's variable for the folder of traces; its server has our environment too. */
#define RUN_PROFILER_DIR "VLLM_TORCH_PROFILER_DIR"

/*
 * ran: it was started, or asked for and not refused. config, launch: of the result. inherited_dir:
 * RUN_PROFILER_DIR in our own environment, NULL: not set or not known. New reference.
 */
json_t *run_profiling(bool ran, const json_t *config, const json_t *launch,
		      const char *inherited_dir);
