/*
 * Lists of 64-bit keys that stand for values or for rows, and what several lists have in common.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct keys {
	uint64_t *items; /* its own: free() */
	size_t count;
};

/*
 * One key of two. Of 64 bits: that two cells of a million share a key by chance happens once in ten million
 * questions.
 */
uint64_t query_keys_mix(uint64_t before, uint64_t more);

/* Those that each of the lists has, sorted, each once. */
struct keys query_keys_common(const struct keys *lists, size_t count);
/* In a list that query_keys_common() gave. */
bool query_keys_has(const struct keys *keys, uint64_t key);
