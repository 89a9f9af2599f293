#include "run/steps/prefix_hits.h"

#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>

#include "base/hash.h"
#include "base/mem.h"
#include "bench/data/dataset.h"

/* Hashes of prefixes that end with a block: open addressing, at most half full; 0: free slot. */
struct prefixes {
	uint64_t *slots;
	size_t mask;
	size_t count;
};

static uint64_t *slot_of(const struct prefixes *prefixes, uint64_t hash)
{
	size_t at = (size_t)(hash ^ hash >> 32) & prefixes->mask;

	while (prefixes->slots[at] != 0 && prefixes->slots[at] != hash)
		at = (at + 1) & prefixes->mask;
	return &prefixes->slots[at];
}

static void grow(struct prefixes *prefixes)
{
	struct prefixes larger = { .count = prefixes->count };

	larger.mask = prefixes->slots == NULL ? 4095 : 2 * prefixes->mask + 1;
	larger.slots = pl_alloc_array(larger.mask + 1, sizeof(*larger.slots));
	for (size_t i = 0; prefixes->slots != NULL && i <= prefixes->mask; i++) {
		if (prefixes->slots[i] != 0)
			*slot_of(&larger, prefixes->slots[i]) = prefixes->slots[i];
	}
	free(prefixes->slots);
	*prefixes = larger;
}

/* Returns whether the prefix was known, and knows it from now on. */
static bool learn(struct prefixes *prefixes, uint64_t hash)
{
	if (prefixes->slots == NULL || 2 * prefixes->count > prefixes->mask)
		grow(prefixes);
	uint64_t *slot = slot_of(prefixes, hash);
	if (*slot == hash)
		return true;
	*slot = hash;
	prefixes->count++;
	return false;
}

static size_t hits_of(struct prefixes *prefixes, const struct bench_sample *sample,
		      size_t block_size)
{
	uint64_t hash = PL_HASH_NONE;
	size_t hits = 0;
	bool known = true;

	for (size_t at = 0; at + block_size <= sample->id_count; at += block_size) {
		hash = pl_hash_words(hash, sample->ids + at, block_size * sizeof(*sample->ids));
		hash = hash != 0 ? hash : 1;
		known &= learn(prefixes, hash);
		/* of a prompt that is known as a whole, the last token is computed again */
		hits += known && at + block_size < sample->id_count ? block_size : 0;
	}
	return hits;
}

double run_prefix_hits(const struct bench_sample *samples, size_t count, size_t block_size)
{
	struct prefixes prefixes = { 0 };
	double hits = 0, total = 0;

	for (size_t i = 0; i < count; i++) {
		if (samples[i].ids == NULL || samples[i].inputs != NULL)
			total = NAN;
	}
	for (size_t i = 0; i < count && !isnan(total); i++) {
		hits += (double)hits_of(&prefixes, &samples[i], block_size);
		total += (double)samples[i].id_count;
	}
	free(prefixes.slots);
	return total > 0 ? hits / total : NAN;
}
