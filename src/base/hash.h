/* FNV-1a for in-memory tables: fast for short texts, but not resistant to chosen collisions. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#define PL_HASH_NONE 0xcbf29ce484222325u /* hash of zero bytes */

/* Continues `hash`, the hash of the preceding bytes. */
static inline uint64_t pl_hash_bytes(uint64_t hash, const void *data, size_t len)
{
	const unsigned char *bytes = data;

	for (size_t i = 0; i < len; i++)
		hash = (hash ^ bytes[i]) * 0x100000001b3u;
	return hash;
}

static inline uint64_t pl_hash_text(uint64_t hash, const char *text)
{
	for (; *text != '\0'; text++)
		hash = (hash ^ (unsigned char)*text) * 0x100000001b3u;
	return hash;
}
