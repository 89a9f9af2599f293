/*
 * The cells of one column in one segment: one dictionary code per row, and the numbers that have no code.
 * - One writer extends an open chunk in place. A reader with a copy of the struct may read the rows that existed when
 *   the copy was made: an array that becomes too narrow or too short is replaced, and the segment keeps the old one
 *   (struct garbage).
 * - A sealed chunk never changes. Its form is the one that is fastest to count (encode.c).
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "mirror/mask.h"

enum chunk_form {
	CHUNK_CONSTANT, /* every row has `base` */
	CHUNK_CODES,    /* codes[row], of 1, 2 or 4 bytes */
	CHUNK_EXCEPTIONS, /* `base`, except for the rows of each part; a part begins where the previous one ends */
	CHUNK_RUNS,    /* consecutive rows with the same code */
	CHUNK_BITMAPS, /* `base`, except for the rows in the bitmap of part i */
};

struct chunk {
	unsigned char form;  /* enum chunk_form */
	unsigned char width; /* bytes per code; 0: there is no array of codes */
	uint32_t base;
	uint32_t room; /* capacity of `codes`, in rows */
	void *codes; /* also set for EXCEPTIONS, RUNS and BITMAPS if a lookup in these would be slow */
	double *numbers; /* NULL: all values have codes */
	uint32_t number_room;

	/* ---- of a sealed chunk ---- */
	bool is_sealed;
	uint32_t rows;
	uint32_t parts;
	uint32_t *part_codes;    /* of EXCEPTIONS and BITMAPS */
	uint32_t *part_ends;     /* of EXCEPTIONS */
	uint16_t *part_rows;     /* of EXCEPTIONS: ascending within a part */
	struct mirror_run *runs; /* `parts` runs */
	uint64_t *bitmaps;       /* mirror_bitmap_words(rows) words per part */
	uint32_t *totals;        /* number of rows with code i; NULL: not counted */
	uint32_t total_count;
	size_t bytes; /* of all arrays */
};

/* Arrays that were replaced but may still be read. */
struct garbage {
	void **items;
	size_t count;
	size_t room;
};
void mirror_garbage_done(struct garbage *garbage);

/* Sets the next row of an open chunk, which starts as { 0 }. Rows are set in order, from 0. */
void mirror_chunk_set(struct chunk *chunk, size_t row, uint32_t code, struct garbage *garbage);
void mirror_chunk_set_number(struct chunk *chunk, size_t row, double number,
			     struct garbage *garbage);
void mirror_chunk_done(struct chunk *chunk);
/* Returns copies of the structs (free()), which borrow the arrays. */
struct chunk *mirror_chunk_copies(const struct chunk *chunks, size_t count);

/* Seals a copy of an open chunk with at least one row. Overwrites *ret, which shares no memory with it. */
void mirror_chunk_seal(const struct chunk *open, size_t rows, uint32_t distinct, struct chunk *ret);

static inline const uint64_t *chunk_bitmap(const struct chunk *chunk, size_t part)
{
	return chunk->bitmaps + part * mirror_bitmap_words(chunk->rows);
}

/* Returns the memory of its arrays. */
static inline size_t chunk_bytes(const struct chunk *chunk)
{
	return chunk->is_sealed ? chunk->bytes
				: (size_t)chunk->room * chunk->width +
					  chunk->number_room * sizeof(*chunk->numbers);
}

/* ---- reading: `rows` is the number of rows the reader knows, all codes are < distinct ----------- */

uint32_t mirror_chunk_code(const struct chunk *chunk, size_t row);
/* Reads the codes of these rows, in this order. Fast if the rows are close to each other. */
void mirror_chunk_gather(const struct chunk *chunk, const uint32_t *rows, size_t count,
			 uint32_t *ret_codes);
/* Reads the codes of all rows, in order. */
void mirror_chunk_decode(const struct chunk *chunk, size_t rows, uint32_t *ret_codes);
/* Adds to counts[code] the number of rows in the mask that have the code. */
void mirror_chunk_count(const struct chunk *chunk, const struct mask *mask, uint32_t distinct,
			uint32_t *counts);
/* Returns the rows whose code has wanted[code] == 1. For a sealed chunk, `rows` must be all of its rows. */
void mirror_chunk_match(const struct chunk *chunk, size_t rows, const uint8_t *wanted,
			uint32_t distinct, uint64_t *ret_rows);
