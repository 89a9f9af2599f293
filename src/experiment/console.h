/*
 * What a person reads at the end of a run.
 */
#ifndef EXPERIMENT_CONSOLE_H
#define EXPERIMENT_CONSOLE_H

#include "base/buf.h"
#include "base/json.h"
#include "model/bench_options.h"

/* Banner, failures, vLLM's table, verdict, what went wrong, and where the result is. */
void exp_console(const json_t *result, const struct md_bench *bench, const char *path, bool colour,
		 struct pl_buf *buf);

#endif
