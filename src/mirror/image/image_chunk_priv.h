/* The parts of an image (image_priv.h) that are about chunks. */
#pragma once

#include "base/err.h"
#include "mirror/chunk.h"

struct image_column {
	uint32_t distinct;
	uint32_t classes;
	uint32_t elsewhere[2]; /* as in struct dictionary */
	uint32_t has_odd_times;
	uint32_t refuses_numbers;
};

struct image_chunk {
	unsigned char form;
	unsigned char width;
	unsigned char has_totals;
	unsigned char zero;
	uint32_t base;
	uint32_t parts;
	uint32_t part_rows; /* of EXCEPTIONS */
	uint32_t number_room;
	uint32_t total_count;
};

/* The arrays of a chunk. */
#define IMAGE_CHUNK_ARRAYS 8
struct image_array {
	void **items;
	size_t count;
	size_t size; /* of an item */
};
/* The counts are those of `head`, for a chunk of so many rows. */
void mirror_image_chunk_arrays(struct chunk *chunk, const struct image_chunk *head, size_t rows,
			       struct image_array ret[IMAGE_CHUNK_ARRAYS]);

static inline size_t image_padded(size_t len)
{
	return (len + 7) & ~(size_t)7;
}

/* ---- reading ------------------------------------------------------------------------------------ */

/* The bytes of a block. */
struct image_bytes {
	const char *data;
	size_t len;
	size_t at;
};
/* Returns an array and moves on to the next multiple of 8, or NULL if the block is too short. */
const void *mirror_image_take(struct image_bytes *bytes, size_t count, size_t size);
int mirror_image_damaged(struct pl_err *err) PL_MUST_CHECK; /* returns -1 with INVALID */

/* Reads a chunk of so many rows. *ret: mirror_chunk_done(), also after a failure. */
int mirror_image_read_chunk(struct image_bytes *bytes, const struct image_column *column,
			    size_t rows, struct chunk *ret, struct pl_err *err) PL_MUST_CHECK;
