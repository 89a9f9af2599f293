#include "dash/parsed/parsed.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

#define READERS_MAX 3 /* one reads, the others wait; of four threads (dash/server.c) */

struct entry {
	char sha256[65];
	const struct dash_parsed_kind *kind;
	void *parsed;
	size_t bytes;
};

struct dash_parsed_cache {
	pthread_mutex_t reading; /* held by the thread that reads; before `lock` */
	atomic_uint readers;     /* the thread that reads, and those that wait for it */
	pthread_mutex_t lock;
	size_t bytes_max;
	size_t bytes;
	struct entry *entries; /* the most recently used one last */
	size_t count;
	size_t room;
};

struct dash_parsed_cache *dash_parsed_cache_new(size_t bytes_max)
{
	struct dash_parsed_cache *cache = pl_alloc(sizeof(*cache));

	pthread_mutex_init(&cache->reading, NULL);
	pthread_mutex_init(&cache->lock, NULL);
	cache->bytes_max = bytes_max;
	return cache;
}

void dash_parsed_cache_free(struct dash_parsed_cache *cache)
{
	if (cache == NULL)
		return;
	for (size_t i = 0; i < cache->count; i++)
		cache->entries[i].kind->unref(cache->entries[i].parsed);
	free(cache->entries);
	pthread_mutex_destroy(&cache->lock);
	pthread_mutex_destroy(&cache->reading);
	free(cache);
}

/* Returns false if the cache does not have it. One file may be an artifact of two kinds. */
static bool make_newest(struct dash_parsed_cache *cache, const struct dash_parsed_kind *kind,
			const char *sha256)
{
	for (size_t i = 0; i < cache->count; i++) {
		struct entry entry = cache->entries[i];
		if (entry.kind != kind || strcmp(entry.sha256, sha256) != 0)
			continue;
		memmove(&cache->entries[i], &cache->entries[i + 1],
			(cache->count - i - 1) * sizeof(entry));
		cache->entries[cache->count - 1] = entry;
		return true;
	}
	return false;
}

static void drop_oldest(struct dash_parsed_cache *cache)
{
	cache->bytes -= cache->entries[0].bytes;
	cache->entries[0].kind->unref(cache->entries[0].parsed);
	cache->count--;
	memmove(&cache->entries[0], &cache->entries[1], cache->count * sizeof(cache->entries[0]));
}

/* New reference; NULL if the cache does not have it. */
static void *find(struct dash_parsed_cache *cache, const struct dash_parsed_kind *kind,
		  const char *sha256)
{
	void *found = NULL;

	pthread_mutex_lock(&cache->lock);
	if (make_newest(cache, kind, sha256)) {
		found = cache->entries[cache->count - 1].parsed;
		kind->ref(found);
	}
	pthread_mutex_unlock(&cache->lock);
	return found;
}

static void add(struct dash_parsed_cache *cache, const struct dash_parsed_kind *kind,
		const char *sha256, void *parsed)
{
	struct entry entry = { .kind = kind, .parsed = parsed, .bytes = kind->bytes(parsed) };

	if (entry.bytes > cache->bytes_max || strlen(sha256) >= sizeof(entry.sha256))
		return;
	memcpy(entry.sha256, sha256, strlen(sha256) + 1);
	pthread_mutex_lock(&cache->lock);
	while (cache->bytes + entry.bytes > cache->bytes_max)
		drop_oldest(cache);
	kind->ref(parsed);
	cache->bytes += entry.bytes;
	*PL_PUSH(cache->entries, cache->count, cache->room) = entry;
	pthread_mutex_unlock(&cache->lock);
}

int dash_parsed_open(struct dash_parsed_cache *cache, const struct dash_parsed_kind *kind,
		     const char *sha256, dash_parsed_read_fn *read, void *data, void **ret,
		     struct pl_err *err)
{
	int result = 0;

	*ret = find(cache, kind, sha256);
	if (*ret != NULL)
		return 0;
	if (atomic_fetch_add(&cache->readers, 1) >= READERS_MAX) {
		atomic_fetch_sub(&cache->readers, 1);
		return pl_err_set(err, PL_ERR_BUSY, "other artifacts are being read; retry later");
	}
	pthread_mutex_lock(&cache->reading);
	*ret = find(cache, kind, sha256);
	if (*ret == NULL) {
		result = read(data, cache->bytes_max, ret, err);
		if (result == 0)
			add(cache, kind, sha256, *ret);
	}
	pthread_mutex_unlock(&cache->reading);
	atomic_fetch_sub(&cache->readers, 1);
	return result;
}
