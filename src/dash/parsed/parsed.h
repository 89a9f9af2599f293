/*
 * Artifacts that were read, by the SHA-256 of their bytes: bounded in bytes, least recently used first out. For any
 * thread.
 */
#pragma once

#include "base/err.h"

#include <stddef.h>

/* The functions of one kind of parsed artifact, which never changes; any thread may change its references. */
struct dash_parsed_kind {
	void (*ref)(void *parsed);
	void (*unref)(void *parsed);
	size_t (*bytes)(const void *parsed); /* size in memory */
};

struct dash_parsed_cache;

struct dash_parsed_cache *dash_parsed_cache_new(size_t bytes_max);
void dash_parsed_cache_free(struct dash_parsed_cache *cache);
static inline void dash_parsed_cache_auto(struct dash_parsed_cache **owner)
{
	dash_parsed_cache_free(*owner);
}
#define auto_parsed_cache __attribute__((cleanup(dash_parsed_cache_auto), unused))

/*
 * Sets *ret to a new reference to what this kind reads from these bytes. If the cache does not have it, read() makes it,
 * with at most so many bytes as the cache holds; only two threads read at a time, so that a few requests cannot fill the
 * memory. Returns read()'s error, or BUSY if two other threads wait already.
 */
typedef int dash_parsed_read_fn(void *data, size_t bytes_max, void **ret, struct pl_err *err);
int dash_parsed_open(struct dash_parsed_cache *cache, const struct dash_parsed_kind *kind,
		     const char *sha256, dash_parsed_read_fn *read, void *data, void **ret,
		     struct pl_err *err) PL_MUST_CHECK;
/* The same for a thread that clients do not wait for: it is not counted, and never BUSY. */
int dash_parsed_fill(struct dash_parsed_cache *cache, const struct dash_parsed_kind *kind,
		     const char *sha256, dash_parsed_read_fn *read, void *data, void **ret,
		     struct pl_err *err) PL_MUST_CHECK;
/* Removes an artifact whose file was replaced. Accepts one that the cache does not have. */
void dash_parsed_forget(struct dash_parsed_cache *cache, const struct dash_parsed_kind *kind,
			const char *sha256);
