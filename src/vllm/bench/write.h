/*
 * Writes load options as arguments of `vllm bench serve`, the inverse of line.h. The caller decides
 * whether they go to a process or to the user.
 */
#pragma once

#include "vllm/bench_options.h"

/*
 * Appends the arguments of one option: none for null, for an empty list and for a switch that is
 * off. Header values are "***". Returns false and appends nothing if no arguments can express the
 * value, because one of several list items begins with '-'.
 */
bool vllm_bench_words_add(const struct vllm_bench *bench, enum vllm_bench_id id, json_t *argv);
/* The same for another row of the option with its own flag (vllm/bench/kinds.h). */
bool vllm_bench_row_words_add(const struct vllm_bench *bench, const struct option_row *row,
			      json_t *argv);
/* Appends "--x" and its value; as one argument if the value begins with '-'. */
void vllm_bench_pair_add(json_t *argv, const char *flag, const char *value);
