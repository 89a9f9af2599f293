#include "query/series/cache.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "base/lru.h"

#define REASON_BYTES 256 /* of a line of text as JSON, about */

struct query_series_cache {
	pthread_mutex_t lock;    /* protects all below */
	struct pl_lru *analyses; /* without their series and their values */
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
	return sizeof(*analysis) +
	       (analysis->outlier_count + analysis->marker_count) * sizeof(size_t) +
	       analysis->change_count * sizeof(*analysis->changes) +
	       json_array_size(analysis->reasons) * REASON_BYTES;
}

static void value_free(void *value)
{
	res_change_analysis_done(value);
	free(value);
}

struct query_series_cache *query_series_cache_new(size_t bytes_max)
{
	struct query_series_cache *cache = pl_alloc(sizeof(*cache));

	cache->analyses = pl_lru_new(bytes_max, value_free);
	pthread_mutex_init(&cache->lock, NULL);
	return cache;
}

void query_series_cache_free(struct query_series_cache *cache)
{
	if (cache == NULL)
		return;
	pl_lru_free(cache->analyses);
	pthread_mutex_destroy(&cache->lock);
	free(cache);
}

bool query_series_cache_find(struct query_series_cache *cache, const char *hash,
			     const struct res_change_series *series,
			     struct res_change_analysis *ret)
{
	pthread_mutex_lock(&cache->lock);
	const struct res_change_analysis *known = pl_lru_find(cache->analyses, hash);
	if (known != NULL) {
		copy(known, ret);
		cache->counts.cached++;
	}
	pthread_mutex_unlock(&cache->lock);
	if (known != NULL)
		res_change_attach(ret, series);
	return known != NULL;
}

void query_series_cache_add(struct query_series_cache *cache, const char *hash,
			    const struct res_change_analysis *analysis)
{
	struct res_change_analysis *copied = pl_alloc(sizeof(*copied));

	copy(analysis, copied);
	pthread_mutex_lock(&cache->lock);
	cache->counts.analyzed++;
	pl_lru_add(cache->analyses, hash, copied, bytes_of(analysis));
	pthread_mutex_unlock(&cache->lock);
}

void query_series_cache_keep_tests(struct query_series_cache *cache, const char *hash,
				   const struct res_change_analysis *analysis)
{
	pthread_mutex_lock(&cache->lock);
	struct res_change_analysis *known = pl_lru_find(cache->analyses, hash);
	for (size_t i = 0; known != NULL && i < known->change_count; i++)
		memcpy(known->changes[i].repeated, analysis->changes[i].repeated,
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
