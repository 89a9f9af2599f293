/* The random media of random-mm, before they are encoded: numpy's draws in vLLM's order. */
#pragma once

#include <stdint.h>

#include "base/err.h"
#include "base/rng.h"
#include "experiment/media.h"

/* An item: its size, and its pixels, three bytes each, frame by frame and row by row. */
struct bench_random_item {
	struct exp_media_bucket size;
	const uint8_t *pixels;
};

/*
 * Draws the items of one request: their number, then for each its size and its pixels; calls `take` with each
 * (-1 ends it). The pixels are valid during the call.
 */
int bench_random_media_draw(const struct exp_media *media, struct pl_pcg64 *rng,
			    int (*take)(void *user, const struct bench_random_item *item,
					struct pl_err *err),
			    void *user, struct pl_err *err) PL_MUST_CHECK;
