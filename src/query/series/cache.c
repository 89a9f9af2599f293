#include "query/series/cache.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"

#define BUCKETS      16384
#define REASON_BYTES 256 /* of a line of text as JSON, about */

struct entry {
	char hash[PL_SHA256_HEX_BYTES];
	struct res_change_analysis analysis; /* without its series and their values */
	size_t bytes;
	struct entry *in_bucket; /* the next one in the bucket */
	struct entry *newer;
	struct entry *older;
};

struct query_series_cache {
	pthread_mutex_t lock; /* protects all below */
	size_t bytes_max;
	size_t bytes;
	struct entry *buckets[BUCKETS];
	struct entry *newest;
	struct entry *oldest;
	struct query_series_counts counts;
};

static void *copy_of(const void *items, size_t bytes)
{
	void *copied = pl_alloc(bytes);

	if (bytes > 0)
		memcpy(copied, items, bytes);
	return copied;
}

/*
 * Overwrites *ret, which shares nothing with the analysis. Without values: those of 1,000 points need forty times as much
 * memory as the remainder, and the caller has the points.
 */
static void copy(const struct res_change_analysis *analysis, struct res_change_analysis *ret)
{
	*ret = *analysis;
	ret->outliers = copy_of(analysis->outliers,
				analysis->outlier_count * sizeof(*ret->outliers));
	ret->markers = copy_of(analysis->markers, analysis->marker_count * sizeof(*ret->markers));
	ret->changes = copy_of(analysis->changes, analysis->change_count * sizeof(*ret->changes));
	ret->change_room = analysis->change_count;
	ret->series = NULL;
	ret->y = NULL;
	ret->index = NULL;
	ret->reasons = json_deep_copy(analysis->reasons);
}

static size_t bytes_of(const struct res_change_analysis *analysis)
{
	return sizeof(struct entry) +
	       (analysis->outlier_count + analysis->marker_count) * sizeof(size_t) +
	       analysis->change_count * sizeof(*analysis->changes) +
	       json_array_size(analysis->reasons) * REASON_BYTES;
}

static struct entry **bucket_of(struct query_series_cache *cache, const char *hash)
{
	return &cache->buckets[pl_hash_text(PL_HASH_NONE, hash) % BUCKETS];
}

static struct entry *find(struct query_series_cache *cache, const char *hash)
{
	struct entry *entry = *bucket_of(cache, hash);

	while (entry != NULL && strcmp(entry->hash, hash) != 0)
		entry = entry->in_bucket;
	return entry;
}

/* ---- by age ---------------------------------------------------------------------------------- */

static void unlink_age(struct query_series_cache *cache, struct entry *entry)
{
	*(entry->newer != NULL ? &entry->newer->older : &cache->newest) = entry->older;
	*(entry->older != NULL ? &entry->older->newer : &cache->oldest) = entry->newer;
}

static void make_newest(struct query_series_cache *cache, struct entry *entry)
{
	entry->newer = NULL;
	entry->older = cache->newest;
	*(cache->newest != NULL ? &cache->newest->newer : &cache->oldest) = entry;
	cache->newest = entry;
}

static void drop_down_to(struct query_series_cache *cache, size_t bytes)
{
	while (cache->bytes > bytes) {
		struct entry *entry = cache->oldest;
		struct entry **at = bucket_of(cache, entry->hash);
		while (*at != entry)
			at = &(*at)->in_bucket;
		*at = entry->in_bucket;
		unlink_age(cache, entry);
		cache->bytes -= entry->bytes;
		res_change_analysis_done(&entry->analysis);
		free(entry);
	}
}

/* ---- interface ------------------------------------------------------------------------------- */

struct query_series_cache *query_series_cache_new(size_t bytes_max)
{
	struct query_series_cache *cache = pl_alloc(sizeof(*cache));

	cache->bytes_max = bytes_max;
	pthread_mutex_init(&cache->lock, NULL);
	return cache;
}

void query_series_cache_free(struct query_series_cache *cache)
{
	if (cache == NULL)
		return;
	drop_down_to(cache, 0);
	pthread_mutex_destroy(&cache->lock);
	free(cache);
}

bool query_series_cache_find(struct query_series_cache *cache, const char *hash,
			     const struct res_change_series *series,
			     struct res_change_analysis *ret)
{
	pthread_mutex_lock(&cache->lock);
	struct entry *entry = find(cache, hash);
	if (entry != NULL) {
		unlink_age(cache, entry);
		make_newest(cache, entry);
		copy(&entry->analysis, ret);
		cache->counts.cached++;
	}
	pthread_mutex_unlock(&cache->lock);
	if (entry != NULL)
		res_change_attach(ret, series);
	return entry != NULL;
}

void query_series_cache_add(struct query_series_cache *cache, const char *hash,
			    const struct res_change_analysis *analysis)
{
	size_t bytes = bytes_of(analysis);

	pthread_mutex_lock(&cache->lock);
	cache->counts.analyzed++;
	if (bytes <= cache->bytes_max && find(cache, hash) == NULL) {
		drop_down_to(cache, cache->bytes_max - bytes);
		struct entry *entry = pl_alloc(sizeof(*entry));
		memcpy(entry->hash, hash, sizeof(entry->hash));
		copy(analysis, &entry->analysis);
		entry->bytes = bytes;
		entry->in_bucket = *bucket_of(cache, hash);
		*bucket_of(cache, hash) = entry;
		make_newest(cache, entry);
		cache->bytes += bytes;
	}
	pthread_mutex_unlock(&cache->lock);
}

void query_series_cache_keep_tests(struct query_series_cache *cache, const char *hash,
				   const struct res_change_analysis *analysis)
{
	pthread_mutex_lock(&cache->lock);
	struct entry *entry = find(cache, hash);
	for (size_t i = 0; entry != NULL && i < entry->analysis.change_count; i++)
		memcpy(entry->analysis.changes[i].repeated, analysis->changes[i].repeated,
		       sizeof(analysis->changes[i].repeated));
	pthread_mutex_unlock(&cache->lock);
}

struct query_series_counts query_series_cache_counts(struct query_series_cache *cache)
{
	pthread_mutex_lock(&cache->lock);
	struct query_series_counts counts = cache->counts;
	pthread_mutex_unlock(&cache->lock);
	return counts;
}
