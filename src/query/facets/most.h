/* Finds the greatest of many counts without sorting all of them. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#define QUERY_MOST_BLOCK 16

/* All counts are below 2^31. Returns the first index from `at` on with a count above `least`; `count`: none. */
size_t query_most_next(const uint32_t *counts, size_t count, size_t at, uint32_t least);
/*
 * Finds the indexes of the `first` greatest counts above 0, in descending order; equal counts by ascending index.
 * ret_positions has room for `first`. Returns how many there are.
 */
size_t query_most(const uint32_t *counts, size_t count, size_t first, uint32_t *ret_positions);
