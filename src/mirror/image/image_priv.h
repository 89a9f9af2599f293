/*
 * The format of an image:
 *
 *	head      struct image_top
 *	blocks    zstd frames; in this order:
 *	            for each column: its values, in one or more blocks
 *	            for each segment: its ids and run ids, then the chunks of all columns, in one or more blocks
 *	index     a zstd frame: struct image_counts, then a u32 of rows per segment, padded to 8 bytes, then a
 *	          struct image_column per column, then a struct image_block per block
 *
 * All numbers are in the order of the processor, and every array starts at a multiple of 8 bytes of its block:
 *
 *	values    a struct image_value per value, then the texts, each with a NUL
 *	names     an i64 id per row, then a u32 per row: 0, or 1 + the offset of its run id in the texts that follow
 *	chunks    per column a struct image_chunk and its arrays, in the order of mirror_image_chunk_arrays()
 */
#pragma once

#include "base/buf.h"
#include "mirror/image/image.h"
#include "mirror/image/image_chunk_priv.h"
#include "mirror/mirror_priv.h"

/* Raise it with each change of the format, and of what a value or a code means. */
#define IMAGE_FORMAT 1
#define IMAGE_MAGIC  0x31676d696d6c6670u /* "pflmimg1" on a little-endian processor */

#define IMAGE_BLOCK_BYTES     ((size_t)1 << 20) /* the writer ends a block that has reached it */
#define IMAGE_BLOCK_BYTES_MAX ((size_t)256 << 20)
#define IMAGE_INDEX_BYTES_MAX ((size_t)256 << 20)
/* An image unpacks to at most this, so that a small file cannot exhaust memory. */
#define IMAGE_RATIO_MAX   256u
#define IMAGE_RATIO_EXTRA ((uint64_t)16 << 20)

struct image_top {
	uint64_t magic;
	char form[64];
	char token[MIRROR_IMAGE_TOKEN_LEN];
	int64_t version;
	uint64_t rows;
	uint64_t index_at; /* the index ends the file */
	uint64_t index_packed;
	uint64_t index_bytes;
	char sha256[64]; /* of the fields above */
};

struct image_counts {
	uint32_t columns;
	uint32_t segments;
	uint32_t blocks;
	uint32_t zero;
};

enum image_kind { IMAGE_VALUES, IMAGE_NAMES, IMAGE_CHUNKS };
struct image_block {
	uint32_t kind;   /* enum image_kind */
	uint32_t of;     /* a column; a segment */
	uint32_t from;   /* the first value; 0; the first column */
	uint32_t count;  /* values; rows; columns */
	uint32_t packed; /* bytes in the file */
	uint32_t bytes;  /* unpacked */
};

struct image_value {
	unsigned char class;
	bool is_explicit;
	bool is_time;
	bool is_elsewhere;
	uint32_t same;
	uint64_t bits;    /* number or time_us */
	uint32_t text_at; /* in the texts of the block */
	uint32_t text_len;
};
#define IMAGE_NO_TEXT UINT32_MAX

/* ---- reading ------------------------------------------------------------------------------------ */

/* Appends the values of a block to a dictionary, whose first values it may already have. */
int mirror_image_read_values(struct image_bytes *bytes, const struct image_block *block,
			     const struct image_column *column, struct dictionary *values,
			     struct pl_err *err) PL_MUST_CHECK;
int mirror_image_read_names(struct image_bytes *bytes, size_t rows, struct names *ret,
			    struct pl_err *err) PL_MUST_CHECK;
