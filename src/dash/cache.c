#include "dash/cache.h"

#include <stdlib.h>

#include "base/lru.h"
#include "base/mem.h"

struct dash_cache {
	struct pl_lru *answers;
	int64_t version;
};

static void value_free(void *value)
{
	dash_answer_done(value);
	free(value);
}

struct dash_cache *dash_cache_new(size_t bytes_max)
{
	struct dash_cache *cache = pl_alloc(sizeof(*cache));

	cache->answers = pl_lru_new(bytes_max, value_free);
	return cache;
}

void dash_cache_free(struct dash_cache *cache)
{
	if (cache == NULL)
		return;
	pl_lru_free(cache->answers);
	free(cache);
}

/* Versions grow, so no client asks for an older version again. */
static bool is_newest(struct dash_cache *cache, int64_t version)
{
	if (version > cache->version)
		pl_lru_empty(cache->answers);
	else if (version < cache->version)
		return false;
	cache->version = version;
	return true;
}

bool dash_cache_find(struct dash_cache *cache, int64_t version, const char *question,
		     struct dash_answer *answer)
{
	const struct dash_answer *known = is_newest(cache, version)
						  ? pl_lru_find(cache->answers, question)
						  : NULL;

	if (known == NULL)
		return false;
	dash_answer_share(known, answer);
	return true;
}

void dash_cache_add(struct dash_cache *cache, int64_t version, const char *question,
		    const struct dash_answer *answer)
{
	size_t bytes = sizeof(*answer) + dash_answer_held(answer);

	if (!is_newest(cache, version))
		return;
	struct dash_answer *shared = pl_alloc(sizeof(*shared));
	dash_answer_share(answer, shared);
	pl_lru_add(cache->answers, question, shared, bytes);
}

size_t dash_cache_bytes(const struct dash_cache *cache)
{
	return pl_lru_bytes(cache->answers);
}
