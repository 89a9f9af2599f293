/*
 * Analyses of single series by the hash of all their inputs, so that a new result causes a new analysis of its own series
 * only. Bounded in bytes, least recently used first out. Any thread may use it.
 *
 * An entry needs about 400 bytes, and 330 more per change, whatever the number of its points. A question with a budget and
 * more series than fit would drop those of its beginning and never be complete, so series must be small.
 */
#pragma once

#include "base/file.h"
#include "result/change/change.h"

struct query_series_cache;

struct query_series_cache *query_series_cache_new(size_t bytes_max);
void query_series_cache_free(struct query_series_cache *cache);
PL_AUTO_DEFINE(struct query_series_cache, query_series_cache_free);
#define auto_series_cache PL_AUTO(query_series_cache_free)

/* Stores a copy of the analysis in *ret, for this series with the same points, and returns true; or returns false. */
bool query_series_cache_find(struct query_series_cache *cache, const char *hash,
			     const struct res_change_series *series,
			     struct res_change_analysis *ret);
/* Adds a copy. */
void query_series_cache_add(struct query_series_cache *cache, const char *hash,
			    const struct res_change_analysis *analysis);
/* Keeps the tests that res_change_family() has repeated with more orders. */
void query_series_cache_keep_tests(struct query_series_cache *cache, const char *hash,
				   const struct res_change_analysis *analysis);

struct query_series_counts {
	uint64_t analyzed; /* series that were added */
	uint64_t cached;   /* series that were found */
};
struct query_series_counts query_series_cache_counts(struct query_series_cache *cache);
