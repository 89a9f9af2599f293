/*
 * Rows of a segment as a bitmap, with what counting by it again and again wants to know.
 *
 * A bitmap of a segment always has MIRROR_SEGMENT_WORDS words here, however many rows there are: bits at
 * and beyond `rows` are 0.
 */
#pragma once

#include "mirror/kernels/kernels.h"

#define MIRROR_SEGMENT_WORDS (MIRROR_SEGMENT_ROWS / MIRROR_WORD_ROWS)
#define MASK_FEW_PART        64 /* at most one row of so many: they stand in a list */

struct mask {
	const uint64_t *words; /* borrowed */
	size_t rows;
	size_t count;    /* of bits */
	uint16_t *list;  /* the rows, where they are few; else NULL */
	uint32_t *ranks; /* mirror_kernels()->rank(); NULL where none is in it */
};

void mirror_mask_init(struct mask *mask, const uint64_t *words, size_t rows);
void mirror_mask_done(struct mask *mask);
