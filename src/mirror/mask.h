/*
 * The rows of a segment as a bitmap, with precomputed data for repeated counting.
 * A bitmap of a segment always has MIRROR_SEGMENT_WORDS words, whatever the number of rows. Bits at and after `rows`
 * are 0.
 */
#pragma once

#include "mirror/kernels/kernels.h"

#define MIRROR_SEGMENT_WORDS (MIRROR_SEGMENT_ROWS / MIRROR_WORD_ROWS)
#define MASK_FEW_PART        64 /* at most one row in 64: they are also stored as a list */

struct mask {
	const uint64_t *words; /* borrowed */
	size_t rows;
	size_t count;    /* of bits */
	uint16_t *list;  /* the rows, if they are few; else NULL */
	uint32_t *ranks; /* mirror_kernels()->rank(); NULL if the mask is empty */
};

void mirror_mask_init(struct mask *mask, const uint64_t *words, size_t rows);
void mirror_mask_done(struct mask *mask);
