/*
 * A cache of responses by request, for one version of the data: a newer version empties it. Bounded in bytes, least
 * recently used first out. The owner locks it.
 */
#pragma once

#include "dash/answer.h"

#include <stdint.h>

struct dash_cache;

struct dash_cache *dash_cache_new(size_t bytes_max);
void dash_cache_free(struct dash_cache *cache);

/* Returns false and leaves *answer unchanged if the response is not cached. */
bool dash_cache_find(struct dash_cache *cache, int64_t version, const char *question,
		     struct dash_answer *answer);
/*
 * Adds a reference to the response's bytes, which must be shared. Ignored if it is too large or its version is not the
 * newest.
 */
void dash_cache_add(struct dash_cache *cache, int64_t version, const char *question,
		    const struct dash_answer *answer);
/* Returns the bytes of all cached responses. */
size_t dash_cache_bytes(const struct dash_cache *cache);
