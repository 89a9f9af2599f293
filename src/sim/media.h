/* Media in a prompt: how many tokens an image, a video or a recording has. Nothing is decoded. */
#pragma once

#include "base/json.h"
#include "sim/refusal.h"

#include <stdint.h>

/* Media per prompt. */
#define SIM_MEDIA_ITEMS_MAX 255
/* Tokens of one item. */
#define SIM_MEDIA_TOKENS_MAX 16384

struct sim_media {
	uint32_t tokens; /* at least 1 */
	uint64_t seed;   /* equal for equal media */
};

/*
 * Reads a part of a message: {"type": "image_url", "image_url": {"url": …}}, video_url, or input_audio with data and
 * format. An image has a token per 28 x 28 pixels, a recording 25 per second; media that are not in the
 * request, or have an unknown length, have SIM_MEDIA_TOKENS_FAR.
 */
#define SIM_MEDIA_TOKENS_FAR   1024
#define SIM_AUDIO_TOKENS_PER_S 25
int sim_media_read(const json_t *part, const char *type, struct sim_media *ret,
		   struct sim_refusal *refusal) PL_MUST_CHECK;
/* A recording of this length in a form. */
struct sim_media sim_media_from_audio(const void *bytes, size_t len);
/* Fills ids[media->tokens], which are equal for equal media, so that prefixes are found. */
void sim_media_ids(const struct sim_media *media, uint32_t *ids);
