/*
 * A cache by text key, bounded in bytes: the entry that was used least recently leaves first. The owner locks it.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

struct pl_lru;

/* `value_free` frees a value that leaves. */
struct pl_lru *pl_lru_new(size_t bytes_max, void (*value_free)(void *value));
void pl_lru_free(struct pl_lru *lru);

/* Returns the value, which the cache owns and which is now the newest, or NULL. */
void *pl_lru_find(struct pl_lru *lru, const char *key);
/*
 * Takes the value, of `bytes` without its key. Frees it and returns false if the cache already has the key, or if it is
 * larger than the whole cache.
 */
bool pl_lru_add(struct pl_lru *lru, const char *key, void *value, size_t bytes);
/* Removes all entries. */
void pl_lru_empty(struct pl_lru *lru);
/* Returns the bytes of all entries with their keys; at most the limit. */
size_t pl_lru_bytes(const struct pl_lru *lru);
