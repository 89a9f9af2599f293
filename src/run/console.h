/*
 * What a person reads at the end of a run.
 */
#ifndef RUN_CONSOLE_H
#define RUN_CONSOLE_H

#include "base/buf.h"
#include "base/json.h"
#include "vllm/bench_options.h"

/*
 * Banner, failures, vLLM's table, verdict, what went wrong, and where the result is. `failures`:
 * vLLM's lines in place of ours; NULL: ours.
 */
void run_console(const json_t *result, const struct vllm_bench *bench, const char *path,
		 const char *failures, bool colour, struct pl_buf *buf);

#endif
