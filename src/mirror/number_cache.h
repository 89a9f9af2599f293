/* A cache of the sorted numbers of columns (numbers.h). Any number of threads may use it; none waits for another. */
#pragma once

#include "mirror/numbers.h"

struct number_cache;
struct number_cache *mirror_number_cache_new(size_t columns);
void mirror_number_cache_free(struct number_cache *number_cache);

/*
 * Returns the sorted numbers of most rows of these segments; call mirror_numbers_put(). NULL: they are not cached, and
 * are computed on the second request, because a single query is faster without. The least recently used are dropped if
 * the cache takes more than NUMBER_CACHE_ROW_BYTES per row.
 */
#define NUMBER_CACHE_ROW_BYTES 128
struct numbers *mirror_number_cache_take(const struct mirror_column *column,
					 const struct mask *masks, size_t segments);
/* Returns the memory of the cached numbers. */
size_t mirror_number_cache_bytes(struct number_cache *number_cache);
