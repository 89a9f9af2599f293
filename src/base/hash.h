/* For in-memory tables: FNV-1a, fast for short texts, and one for long texts. Neither resists chosen collisions. */
#pragma once

#include <stddef.h>
#include <stdint.h>
#include <string.h>

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

/* Continues `hash` with 8 bytes at a time: the result depends on how the bytes are divided into calls. */
static inline uint64_t pl_hash_words(uint64_t hash, const void *data, size_t len)
{
	const unsigned char *bytes = data;
	uint64_t word;

	for (; len >= sizeof(word); len -= sizeof(word), bytes += sizeof(word)) {
		memcpy(&word, bytes, sizeof(word));
		hash = (hash ^ word) * 0x9e3779b97f4a7c15u;
		hash ^= hash >> 32;
	}
	word = 0;
	memcpy(&word, bytes, len);
	hash = (hash ^ word ^ (uint64_t)len << 56) * 0x9e3779b97f4a7c15u;
	return hash ^ hash >> 32;
}
