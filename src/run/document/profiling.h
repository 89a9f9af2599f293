/*
 * `profiling` of a result: whether the server's own profiler was active during the measurement. Made from other parts
 * of the result, so that a recovered run has it, too.
 */
#pragma once

#include "base/json.h"

#include <stdbool.h>

/* vLLM's variable for the trace directory; its server inherits our environment. */
#define RUN_PROFILER_DIR "VLLM_TORCH_PROFILER_DIR"

/*
 * ran: it was started, or requested and not refused. config, launch: of the result. inherited_dir: RUN_PROFILER_DIR in
 * our environment; NULL: not set or unknown. New reference.
 */
json_t *run_profiling(bool ran, const json_t *config, const json_t *launch,
		      const char *inherited_dir);
