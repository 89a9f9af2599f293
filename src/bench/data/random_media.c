#include "bench/data/random_media.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

/* Like numpy's choice(p=shares): the first bucket whose cumulative share exceeds the draw. */
static size_t choose(const double *shares, size_t count, struct pl_pcg64 *rng)
{
	double total = 0, sum = 0;
	double draw = pl_pcg64_double(rng);

	for (size_t i = 0; i < count; i++)
		total += shares[i];
	for (size_t i = 0; i < count; i++) {
		sum += shares[i];
		if (shares[i] > 0 && sum / total > draw)
			return i;
	}
	/* only if rounding made the last sum smaller than the draw */
	size_t last = count - 1;
	while (last > 0 && shares[last] <= 0)
		last--;
	return last;
}

/* Removes the buckets of a kind that has reached its limit; false: none is left. */
static bool remove_kind(const struct exp_media *media, enum exp_modality modality, double *shares)
{
	double sum = 0;

	for (size_t i = 0; i < media->count; i++) {
		if (exp_media_modality(&media->buckets[i]) == modality)
			shares[i] = 0;
		sum += shares[i];
	}
	for (size_t i = 0; i < media->count && sum > 0; i++)
		shares[i] /= sum;
	return sum > 0;
}

static int draw_item(const struct exp_media_bucket *bucket, struct pl_pcg64 *rng,
		     int (*take)(void *user, const struct bench_random_item *item,
				 struct pl_err *err),
		     void *user, struct pl_err *err)
{
	size_t bytes = (size_t)bucket->height * bucket->width * bucket->frames * 3;
	auto_free uint8_t *pixels = pl_alloc_array(bytes, 1);
	struct bench_random_item item = { .size = *bucket, .pixels = pixels };

	pl_pcg64_bytes(rng, pixels, bytes);
	return take(user, &item, err);
}

int bench_random_media_draw(const struct exp_media *media, struct pl_pcg64 *rng,
			    int (*take)(void *user, const struct bench_random_item *item,
					struct pl_err *err),
			    void *user, struct pl_err *err)
{
	int64_t wanted = pl_pcg64_integers(rng, media->fewest, media->most + 1);
	auto_free double *shares = pl_alloc_array(media->count, sizeof(*shares));
	int64_t taken[EXP_MODALITIES] = { 0 };

	for (size_t i = 0; i < media->count; i++)
		shares[i] = media->buckets[i].share;
	for (int64_t i = 0; i < wanted;) {
		const struct exp_media_bucket *bucket =
			&media->buckets[choose(shares, media->count, rng)];
		enum exp_modality modality = exp_media_modality(bucket);
		if (taken[modality] >= media->caps[modality]) {
			if (!remove_kind(media, modality, shares))
				break;
			continue;
		}
		if (draw_item(bucket, rng, take, user, err) < 0)
			return -1;
		taken[modality]++;
		i++;
	}
	return 0;
}
