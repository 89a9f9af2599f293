#include "dash/cache.h"

#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/mem.h"

#define BUCKETS 1024

struct entry {
	uint64_t hash;
	char *question;
	struct dash_answer answer;
	size_t bytes;
	struct entry *in_bucket; /* the next one in the bucket */
	struct entry *newer;
	struct entry *older;
};

struct dash_cache {
	size_t bytes_max;
	size_t bytes;
	int64_t version;
	struct entry *buckets[BUCKETS];
	struct entry *newest;
	struct entry *oldest;
};

struct dash_cache *dash_cache_new(size_t bytes_max)
{
	struct dash_cache *cache = pl_alloc(sizeof(*cache));

	cache->bytes_max = bytes_max;
	return cache;
}

static struct entry **bucket_of(struct dash_cache *cache, uint64_t hash)
{
	return &cache->buckets[hash % BUCKETS];
}

/* ---- by age ---------------------------------------------------------------------------------- */

static void unlink_age(struct dash_cache *cache, struct entry *entry)
{
	*(entry->newer != NULL ? &entry->newer->older : &cache->newest) = entry->older;
	*(entry->older != NULL ? &entry->older->newer : &cache->oldest) = entry->newer;
}

static void make_newest(struct dash_cache *cache, struct entry *entry)
{
	entry->newer = NULL;
	entry->older = cache->newest;
	*(cache->newest != NULL ? &cache->newest->newer : &cache->oldest) = entry;
	cache->newest = entry;
}

static void drop_down_to(struct dash_cache *cache, size_t bytes)
{
	while (cache->bytes > bytes) {
		struct entry *entry = cache->oldest;
		struct entry **at = bucket_of(cache, entry->hash);
		while (*at != entry)
			at = &(*at)->in_bucket;
		*at = entry->in_bucket;
		unlink_age(cache, entry);
		cache->bytes -= entry->bytes;
		dash_answer_done(&entry->answer);
		free(entry->question);
		free(entry);
	}
}

void dash_cache_free(struct dash_cache *cache)
{
	if (cache == NULL)
		return;
	drop_down_to(cache, 0);
	free(cache);
}

/* ---- lookup and insertion -------------------------------------------------------------------- */

/* Versions grow, so no client asks for an older version again. */
static bool is_newest(struct dash_cache *cache, int64_t version)
{
	if (version > cache->version)
		drop_down_to(cache, 0);
	else if (version < cache->version)
		return false;
	cache->version = version;
	return true;
}

static struct entry *find(struct dash_cache *cache, uint64_t hash, const char *question)
{
	struct entry *entry = *bucket_of(cache, hash);

	while (entry != NULL && (entry->hash != hash || strcmp(entry->question, question) != 0))
		entry = entry->in_bucket;
	return entry;
}

bool dash_cache_find(struct dash_cache *cache, int64_t version, const char *question,
		     struct dash_answer *answer)
{
	struct entry *entry = is_newest(cache, version)
				      ? find(cache, pl_hash_text(PL_HASH_NONE, question), question)
				      : NULL;

	if (entry == NULL)
		return false;
	unlink_age(cache, entry);
	make_newest(cache, entry);
	dash_answer_share(&entry->answer, answer);
	return true;
}

void dash_cache_add(struct dash_cache *cache, int64_t version, const char *question,
		    const struct dash_answer *answer)
{
	size_t bytes = sizeof(struct entry) + strlen(question) + 1 + dash_answer_held(answer);
	uint64_t hash = pl_hash_text(PL_HASH_NONE, question);
	struct entry *entry;

	if (bytes > cache->bytes_max || !is_newest(cache, version) ||
	    find(cache, hash, question) != NULL)
		return;
	drop_down_to(cache, cache->bytes_max - bytes);
	entry = pl_alloc(sizeof(*entry));
	*entry = (struct entry){ .hash = hash, .question = pl_strdup(question), .bytes = bytes };
	dash_answer_share(answer, &entry->answer);
	entry->in_bucket = *bucket_of(cache, hash);
	*bucket_of(cache, hash) = entry;
	make_newest(cache, entry);
	cache->bytes += bytes;
}
