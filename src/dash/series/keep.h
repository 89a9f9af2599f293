/*
 * Telemetry that was read, by the SHA-256 of its artifact: bounded in bytes, least recently used first out. For any
 * thread.
 */
#pragma once

#include "dash/series/series.h"

struct dash_series_cache;

struct dash_series_cache *dash_series_cache_new(size_t bytes_max);
void dash_series_cache_free(struct dash_series_cache *cache);
static inline void dash_series_cache_auto(struct dash_series_cache **owner)
{
	dash_series_cache_free(*owner);
}
#define auto_series_cache __attribute__((cleanup(dash_series_cache_auto), unused))

/* New reference; NULL if it is not kept. */
struct dash_series *dash_series_cache_find(struct dash_series_cache *cache, const char *sha256);
/* Adds a reference; ignored if it is larger than the cache or already kept. */
void dash_series_cache_add(struct dash_series_cache *cache, const char *sha256,
			   struct dash_series *series);
