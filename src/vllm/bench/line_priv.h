/* What the files bench_line*.c share. */
#pragma once

#include "option/argv.h"
#include "vllm/bench/line.h"

/* A fault about a word; takes `text`; hint NULL: none. Borrowed until the next one. */
struct vllm_bench_fault *vllm_bench_fault_add(struct vllm_bench_line *line, size_t word, char *text,
					      const char *hint);
/*
 * The typed value of a flag, as Python's int(), float() and json.loads() read it. NULL with a
 * fault.
 */
json_t *vllm_bench_value_read(struct vllm_bench_line *line, const struct option_argv_word *flag);
