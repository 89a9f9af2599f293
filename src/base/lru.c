#include "base/lru.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/mem.h"

#define BUCKETS 16384

struct entry {
	uint64_t hash;
	char *key;
	void *value;
	size_t bytes;
	struct entry *in_bucket; /* the next one in the bucket */
	struct entry *newer;
	struct entry *older;
};

struct pl_lru {
	size_t bytes_max;
	size_t bytes;
	void (*value_free)(void *value);
	struct entry *buckets[BUCKETS];
	struct entry *newest;
	struct entry *oldest;
};

struct pl_lru *pl_lru_new(size_t bytes_max, void (*value_free)(void *value))
{
	struct pl_lru *lru = pl_alloc(sizeof(*lru));

	lru->bytes_max = bytes_max;
	lru->value_free = value_free;
	return lru;
}

static struct entry **bucket_of(struct pl_lru *lru, uint64_t hash)
{
	return &lru->buckets[hash % BUCKETS];
}

/* ---- by age ---------------------------------------------------------------------------------- */

static void unlink_age(struct pl_lru *lru, struct entry *entry)
{
	*(entry->newer != NULL ? &entry->newer->older : &lru->newest) = entry->older;
	*(entry->older != NULL ? &entry->older->newer : &lru->oldest) = entry->newer;
}

static void make_newest(struct pl_lru *lru, struct entry *entry)
{
	entry->newer = NULL;
	entry->older = lru->newest;
	*(lru->newest != NULL ? &lru->newest->newer : &lru->oldest) = entry;
	lru->newest = entry;
}

static void drop_down_to(struct pl_lru *lru, size_t bytes)
{
	while (lru->bytes > bytes) {
		struct entry *entry = lru->oldest;
		struct entry **at = bucket_of(lru, entry->hash);
		while (*at != entry)
			at = &(*at)->in_bucket;
		*at = entry->in_bucket;
		unlink_age(lru, entry);
		lru->bytes -= entry->bytes;
		lru->value_free(entry->value);
		free(entry->key);
		free(entry);
	}
}

void pl_lru_empty(struct pl_lru *lru)
{
	drop_down_to(lru, 0);
}

void pl_lru_free(struct pl_lru *lru)
{
	if (lru == NULL)
		return;
	pl_lru_empty(lru);
	free(lru);
}

size_t pl_lru_bytes(const struct pl_lru *lru)
{
	return lru->bytes;
}

/* ---- lookup and insertion -------------------------------------------------------------------- */

static struct entry *find(struct pl_lru *lru, uint64_t hash, const char *key)
{
	struct entry *entry = *bucket_of(lru, hash);

	while (entry != NULL && (entry->hash != hash || strcmp(entry->key, key) != 0))
		entry = entry->in_bucket;
	return entry;
}

void *pl_lru_find(struct pl_lru *lru, const char *key)
{
	struct entry *entry = find(lru, pl_hash_text(PL_HASH_NONE, key), key);

	if (entry == NULL)
		return NULL;
	unlink_age(lru, entry);
	make_newest(lru, entry);
	return entry->value;
}

bool pl_lru_add(struct pl_lru *lru, const char *key, void *value, size_t bytes)
{
	uint64_t hash = pl_hash_text(PL_HASH_NONE, key);
	size_t whole = sizeof(struct entry) + strlen(key) + 1 + bytes;

	if (whole > lru->bytes_max || find(lru, hash, key) != NULL) {
		lru->value_free(value);
		return false;
	}
	drop_down_to(lru, lru->bytes_max - whole);
	struct entry *entry = pl_alloc(sizeof(*entry));
	*entry = (struct entry){
		.hash = hash, .key = pl_strdup(key), .value = value, .bytes = whole
	};
	entry->in_bucket = *bucket_of(lru, hash);
	*bucket_of(lru, hash) = entry;
	make_newest(lru, entry);
	lru->bytes += whole;
	return true;
}
