/*
 * FNV-1a, for tables in memory: quick for short texts, and nothing against those who choose texts that meet.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#define PL_HASH_NONE 0xcbf29ce484222325u /* of no bytes */

/* `hash` of what is in front of them. */
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
