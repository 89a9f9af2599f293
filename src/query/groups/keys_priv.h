/* Lists of 64-bit keys that represent values or rows, and their intersection. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct keys {
	uint64_t *items; /* owned: free() */
	size_t count;
};

/* Combines two keys. With 64 bits, two of a million cells share a key by chance in one of ten million queries. */
uint64_t query_keys_mix(uint64_t before, uint64_t more);

/* Returns the keys in all lists, sorted and without repetition. */
struct keys query_keys_common(const struct keys *lists, size_t count);
/* Searches a list returned by query_keys_common(). */
bool query_keys_has(const struct keys *keys, uint64_t key);
