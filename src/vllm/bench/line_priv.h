/* Shared by the files of vllm/bench. */
#pragma once

#include "option/argv.h"
#include "vllm/bench/line.h"

/*
 * Adds a fault about an argument; takes `text`; hint NULL: none. The result is borrowed until the
 * next call.
 */
struct vllm_bench_fault *vllm_bench_fault_add(struct vllm_bench_line *line, size_t word, char *text,
					      const char *hint);
/*
 * Returns the typed value of a flag, read like Python's int(), float() and json.loads(). NULL with
 * a fault.
 */
json_t *vllm_bench_value_read(struct vllm_bench_line *line, const struct option_argv_word *flag);
