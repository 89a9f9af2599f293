#include "experiment/media.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "base/mem.h"
#include "base/text.h"

#define SIDE_MAX    65500 /* of a JPEG image */
#define BUCKETS_MAX 4096
#define ITEMS_MAX   65536 /* in one request */

#define SIZE_FORM \
	"(height, width, frames) with at most 65500 pixels per side and 2^28 pixels in all"

static const char *const modality_names[EXP_MODALITIES] = { "image", "video" };

enum exp_modality exp_media_modality(const struct exp_media_bucket *bucket)
{
	return bucket->frames > 1 ? EXP_VIDEO : EXP_IMAGE;
}

/* Three integers in parentheses, in brackets, or without: "(256, 256, 1)". */
static bool read_size(const char *text, struct exp_media_bucket *ret)
{
	auto_free char *copy = pl_strdup(text);
	char *rest = pl_text_trim(copy);
	size_t len = strlen(rest);
	int64_t numbers[3];

	if (len >= 2 && ((rest[0] == '(' && rest[len - 1] == ')') ||
			 (rest[0] == '[' && rest[len - 1] == ']'))) {
		rest[len - 1] = '\0';
		rest++;
	}
	for (size_t i = 0; i < PL_ARRAY_SIZE(numbers); i++) {
		char *one = strsep(&rest, ",");
		if (one == NULL || !pl_text_to_i64(pl_text_trim(one), &numbers[i]) ||
		    numbers[i] < 1 || numbers[i] > INT32_MAX)
			return false;
	}
	if (rest != NULL || numbers[0] > SIDE_MAX || numbers[1] > SIDE_MAX ||
	    (uint64_t)(numbers[0] * numbers[1]) > EXP_MEDIA_PIXELS_MAX / (uint64_t)numbers[2])
		return false;
	ret->height = (uint32_t)numbers[0];
	ret->width = (uint32_t)numbers[1];
	ret->frames = (uint32_t)numbers[2];
	return true;
}

/* Buckets without a share are never drawn. The other shares are made to add up to 1. */
static int read_buckets(const json_t *config, struct exp_media *media, struct pl_err *err)
{
	double sum = 0;

	if (!json_is_object(config) || json_object_size(config) > BUCKETS_MAX)
		return pl_err_invalid(err, "expected at most %d sizes with their shares",
				      BUCKETS_MAX);
	media->buckets = pl_alloc_array(json_object_size(config) + 1, sizeof(*media->buckets));
	PL_JSON_EACH_MEMBER(key, value, config) {
		struct exp_media_bucket bucket = { .share = json_number_value(value) };
		if (!read_size(key, &bucket))
			return pl_err_invalid(err, "found size '%.60s', expected " SIZE_FORM, key);
		if (!json_is_number(value) || !(bucket.share >= 0) || isinf(bucket.share))
			return pl_err_invalid(err,
					      "the share of size '%.60s' must be a number of "
					      "at least 0",
					      key);
		sum += bucket.share;
		if (bucket.share > 0)
			media->buckets[media->count++] = bucket;
	}
	if (media->count == 0 || isinf(sum))
		return pl_err_invalid(err, "at least one size must have a share above 0");
	for (size_t i = 0; i < media->count; i++)
		media->buckets[i].share /= sum;
	return 0;
}

static int read_caps(const json_t *limits, struct exp_media *media, struct pl_err *err)
{
	for (size_t i = 0; i < media->count; i++) {
		enum exp_modality modality = exp_media_modality(&media->buckets[i]);
		const json_t *cap = json_object_get(limits, modality_names[modality]);
		if (!json_is_integer(cap) || json_integer_value(cap) < 0)
			return pl_err_invalid(err,
					      "needs '%s' with an integer of at least 0, "
					      "because {benchmark.random_mm_bucket_config} "
					      "has sizes of this kind",
					      modality_names[modality]);
		media->caps[modality] = json_integer_value(cap) < ITEMS_MAX
						? json_integer_value(cap)
						: ITEMS_MAX;
	}
	return 0;
}

static int read_counts(const struct vllm_bench *bench, struct exp_media *media, struct pl_err *err)
{
	double items = (double)bench->random_mm_base_items_per_request;
	double ratio = bench->random_mm_num_mm_items_range_ratio;
	int64_t room = media->caps[EXP_IMAGE] + media->caps[EXP_VIDEO];

	media->fewest = (int64_t)fmax(0, floor(items * (1 - ratio)));
	media->most = (int64_t)ceil(items * (1 + ratio));
	media->most = media->most < room ? media->most : room;
	if (media->fewest > media->most)
		return pl_err_invalid(err,
				      "a request has at least %lld items, but "
				      "{benchmark.random_mm_limit_mm_per_prompt} allows %lld",
				      (long long)media->fewest, (long long)media->most);
	return 0;
}

int exp_media_read(const struct vllm_bench *bench, struct exp_media *ret, const char **ret_key,
		   struct pl_err *err)
{
	struct exp_media media = { 0 };
	int done;

	*ret_key = "benchmark.random_mm_bucket_config";
	done = read_buckets(bench->random_mm_bucket_config, &media, err);
	if (done == 0) {
		*ret_key = "benchmark.random_mm_limit_mm_per_prompt";
		done = read_caps(bench->random_mm_limit_mm_per_prompt, &media, err);
	}
	if (done == 0) {
		*ret_key = "benchmark.random_mm_base_items_per_request";
		done = read_counts(bench, &media, err);
	}
	if (done < 0) {
		exp_media_done(&media);
		return -1;
	}
	*ret = media;
	return 0;
}

void exp_media_done(struct exp_media *media)
{
	free(media->buckets);
	*media = (struct exp_media){ 0 };
}
