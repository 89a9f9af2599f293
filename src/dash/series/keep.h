/*
 * Telemetry that was read, by the SHA-256 of its artifact: bounded in bytes, least recently used first out. For any
 * thread.
 */
#pragma once

#include "series/series.h"

struct dash_series_cache;

struct dash_series_cache *dash_series_cache_new(size_t bytes_max);
void dash_series_cache_free(struct dash_series_cache *cache);
static inline void dash_series_cache_auto(struct dash_series_cache **owner)
{
	dash_series_cache_free(*owner);
}
#define auto_series_cache __attribute__((cleanup(dash_series_cache_auto), unused))

/*
 * Sets *ret to a new reference to the series of this hash. If it is not kept, read() makes it, with at most so many bytes
 * as the cache holds; only one thread reads at a time, so that a few requests cannot fill the memory. Returns read()'s
 * error.
 */
typedef int dash_series_read_fn(void *data, size_t bytes_max, struct series **ret,
				struct pl_err *err);
int dash_series_cache_open(struct dash_series_cache *cache, const char *sha256,
			   dash_series_read_fn *read, void *data, struct series **ret,
			   struct pl_err *err) PL_MUST_CHECK;
