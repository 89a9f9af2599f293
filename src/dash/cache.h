/*
 * Answers by their questions, of one version of the data: a newer one empties it. Bounded in bytes; what
 * was asked for longest ago goes first. Whoever has it locks.
 */
#pragma once

#include "dash/answer.h"

#include <stdint.h>

struct dash_cache;

struct dash_cache *dash_cache_new(size_t bytes_max);
void dash_cache_free(struct dash_cache *kept);

/* False: it is not there, and *answer is as it was. */
bool dash_cache_find(struct dash_cache *kept, int64_t version, const char *question,
		     struct dash_answer *answer);
/* Takes part in the answer's bytes, which have to be shared; passed over where it is too large or its
 * version is not the newest. */
void dash_cache_add(struct dash_cache *kept, int64_t version, const char *question,
		    const struct dash_answer *answer);
