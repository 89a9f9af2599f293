/*
 * The greatest of many counts, without putting all of them in order.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#define QUERY_MOST_BLOCK 16

/* All counts are below 2^31. The first place from `at` on with more than so many; `count`: none. */
size_t query_most_next(const uint32_t *counts, size_t count, size_t at, uint32_t least);
/*
 * The places of the `first` greatest counts above 0, the greatest first, of those alike the lower place
 * first. ret_places has room for `first`. Returns how many they are.
 */
size_t query_most(const uint32_t *counts, size_t count, size_t first, uint32_t *ret_places);
