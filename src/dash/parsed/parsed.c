#include "dash/parsed/parsed.h"

#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

#define READERS_MAX 3 /* that read or wait; of four threads (dash/server.c) */
#define READS_MAX   2 /* at once, of different artifacts */

struct entry {
	char sha256[65];
	const struct dash_parsed_kind *kind;
	void *parsed;
	size_t bytes;
};

/* An artifact that is being read. */
struct reading {
	const struct dash_parsed_kind *kind; /* NULL: a free place */
	const char *sha256;
};

struct dash_parsed_cache {
	pthread_mutex_t lock; /* of all that follows */
	pthread_cond_t read;  /* a read has ended */
	struct reading readings[READS_MAX];
	unsigned readers;
	size_t bytes_max;
	size_t bytes;
	struct entry *entries; /* the most recently used one last */
	size_t count;
	size_t room;
};

struct dash_parsed_cache *dash_parsed_cache_new(size_t bytes_max)
{
	struct dash_parsed_cache *cache = pl_alloc(sizeof(*cache));

	pthread_mutex_init(&cache->lock, NULL);
	pthread_cond_init(&cache->read, NULL);
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
	pthread_cond_destroy(&cache->read);
	pthread_mutex_destroy(&cache->lock);
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

/* Returns a new reference; NULL if the cache does not have it. */
static void *find(struct dash_parsed_cache *cache, const struct dash_parsed_kind *kind,
		  const char *sha256)
{
	if (!make_newest(cache, kind, sha256))
		return NULL;
	void *found = cache->entries[cache->count - 1].parsed;
	kind->ref(found);
	return found;
}

static void add(struct dash_parsed_cache *cache, const struct dash_parsed_kind *kind,
		const char *sha256, void *parsed)
{
	struct entry entry = { .kind = kind, .parsed = parsed, .bytes = kind->bytes(parsed) };

	if (entry.bytes > cache->bytes_max || strlen(sha256) >= sizeof(entry.sha256))
		return;
	memcpy(entry.sha256, sha256, strlen(sha256) + 1);
	while (cache->bytes + entry.bytes > cache->bytes_max)
		drop_oldest(cache);
	kind->ref(parsed);
	cache->bytes += entry.bytes;
	*PL_PUSH(cache->entries, cache->count, cache->room) = entry;
}

/* Returns a place for a read of this artifact; NULL if another thread reads it, or all places are taken. */
static struct reading *place_of(struct dash_parsed_cache *cache,
				const struct dash_parsed_kind *kind, const char *sha256)
{
	struct reading *place = NULL;

	for (size_t i = 0; i < READS_MAX; i++) {
		struct reading *reading = &cache->readings[i];
		if (reading->kind == NULL)
			place = reading;
		else if (reading->kind == kind && strcmp(reading->sha256, sha256) == 0)
			return NULL;
	}
	return place;
}

/* Holds the lock, except while it reads or waits. */
static int open_locked(struct dash_parsed_cache *cache, const struct dash_parsed_kind *kind,
		       const char *sha256, dash_parsed_read_fn *read, void *data, void **ret,
		       struct pl_err *err)
{
	struct reading *place;

	while ((*ret = find(cache, kind, sha256)) == NULL &&
	       (place = place_of(cache, kind, sha256)) == NULL)
		pthread_cond_wait(&cache->read, &cache->lock);
	if (*ret != NULL)
		return 0;
	*place = (struct reading){ kind, sha256 };
	pthread_mutex_unlock(&cache->lock);
	int result = read(data, cache->bytes_max, ret, err);
	pthread_mutex_lock(&cache->lock);
	if (result == 0)
		add(cache, kind, sha256, *ret);
	place->kind = NULL;
	pthread_cond_broadcast(&cache->read);
	return result;
}

int dash_parsed_open(struct dash_parsed_cache *cache, const struct dash_parsed_kind *kind,
		     const char *sha256, dash_parsed_read_fn *read, void *data, void **ret,
		     struct pl_err *err)
{
	int result = 0;

	pthread_mutex_lock(&cache->lock);
	*ret = find(cache, kind, sha256);
	if (*ret == NULL && cache->readers == READERS_MAX) {
		result = pl_err_set(err, PL_ERR_BUSY,
				    "other artifacts are being read; retry later");
	} else if (*ret == NULL) {
		cache->readers++;
		result = open_locked(cache, kind, sha256, read, data, ret, err);
		cache->readers--;
	}
	pthread_mutex_unlock(&cache->lock);
	return result;
}

int dash_parsed_fill(struct dash_parsed_cache *cache, const struct dash_parsed_kind *kind,
		     const char *sha256, dash_parsed_read_fn *read, void *data, void **ret,
		     struct pl_err *err)
{
	pthread_mutex_lock(&cache->lock);
	int result = open_locked(cache, kind, sha256, read, data, ret, err);
	pthread_mutex_unlock(&cache->lock);
	return result;
}

void dash_parsed_forget(struct dash_parsed_cache *cache, const struct dash_parsed_kind *kind,
			const char *sha256)
{
	pthread_mutex_lock(&cache->lock);
	if (make_newest(cache, kind, sha256)) {
		struct entry *entry = &cache->entries[--cache->count];
		cache->bytes -= entry->bytes;
		kind->unref(entry->parsed);
	}
	pthread_mutex_unlock(&cache->lock);
}
