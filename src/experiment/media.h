/* The media of dataset random-mm: how many items a request has, of which sizes. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "vllm/bench_options.h"

enum exp_modality { EXP_IMAGE, EXP_VIDEO, EXP_MODALITIES };

/* A size of items and its share of all draws. */
struct exp_media_bucket {
	uint32_t height; /* pixels */
	uint32_t width;
	uint32_t frames; /* 1: an image */
	double share;    /* above 0; all together 1 */
};

struct exp_media {
	struct exp_media_bucket *buckets; /* in the order of the option */
	size_t count;
	int64_t caps[EXP_MODALITIES]; /* items of one request */
	int64_t fewest;               /* items of a request */
	int64_t most;
};

/* An item has at most this many pixels, all frames together. */
#define EXP_MEDIA_PIXELS_MAX ((uint64_t)1 << 28)

enum exp_modality exp_media_modality(const struct exp_media_bucket *bucket);
/*
 * Reads the four options of random-mm. -1: err->text has the reason without the key, and *ret_key is the
 * key of the wrong option (static). *ret must be freed with exp_media_done().
 */
int exp_media_read(const struct vllm_bench *bench, struct exp_media *ret, const char **ret_key,
		   struct pl_err *err) PL_MUST_CHECK;
void exp_media_done(struct exp_media *media);
