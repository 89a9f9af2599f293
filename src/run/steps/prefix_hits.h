/* The prefix-cache hits that a server with unlimited memory would have. */
#pragma once

#include <stddef.h>

struct bench_sample;

/*
 * Returns the share of the prompts' tokens that are in whole blocks of an earlier prompt's start, 0 to 1, as vLLM counts
 * them: the last token of a prompt is always computed. NaN: a prompt is not an array of ids, or there is none.
 */
double run_prefix_hits(const struct bench_sample *samples, size_t count, size_t block_size);
