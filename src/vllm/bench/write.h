/*
 * Options of the load as words that `vllm bench serve` reads back: the way back from line.h. Where the
 * words go, to a process or to a person, is the caller's.
 */
#pragma once

#include "vllm/bench_options.h"

/*
 * Appends the words of one option: none for null, for an empty list and for a switch that is off.
 * Header values are "***". False, and nothing is appended: no words say this value, for of a list's
 * several items one begins with '-'.
 */
bool vllm_bench_words_add(const struct vllm_bench *bench, enum vllm_bench_id id, json_t *argv);
/* The same by another row of the option, which has a flag of its own (vllm/bench/kinds.h). */
bool vllm_bench_row_words_add(const struct vllm_bench *bench, const struct option_row *row,
			      json_t *argv);
/* "--x" and its value; one word where the value begins with '-'. */
void vllm_bench_pair_add(json_t *argv, const char *flag, const char *value);
