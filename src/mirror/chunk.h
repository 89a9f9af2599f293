/*
 * The cells of one column in one segment: codes of its dictionary, a row each, and numbers that have
 * no code of their own.
 *
 * - An open chunk grows in place, by one writer. Who has a copy of the struct may read the rows that were
 *   there when it was copied: an array that becomes too narrow or too short is replaced, and the old one
 *   is kept for as long as the segment (struct garbage).
 * - A sealed one never changes. Its form is the one that is counted fastest: see encode.c.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "mirror/mask.h"

enum chunk_form {
	CHUNK_CONSTANT, /* every row has `base` */
	CHUNK_CODES,    /* codes[row], of 1, 2 or 4 bytes */
	CHUNK_EXCEPTIONS, /* `base`, but for the rows of each part, from the end of the one before to its own */
	CHUNK_RUNS,    /* rows one behind the other with one code */
	CHUNK_BITMAPS, /* `base`, but for the bits of part i in its bitmap */
};

struct chunk {
	unsigned char form;  /* enum chunk_form */
	unsigned char width; /* bytes of one of the codes; 0: there is no array of them */
	uint32_t base;
	uint32_t room; /* rows that there are codes for */
	void *codes; /* beside EXCEPTIONS, RUNS and BITMAPS too, where these are slow to look up in */
	double *numbers; /* NULL: all have codes */
	uint32_t number_room;

	/* of a sealed one */
	bool is_sealed;
	uint32_t rows;
	uint32_t parts;
	uint32_t *part_codes;    /* of EXCEPTIONS and BITMAPS */
	uint32_t *part_ends;     /* of EXCEPTIONS */
	uint16_t *part_rows;     /* of EXCEPTIONS: rising within a part */
	struct mirror_run *runs; /* `parts` of them */
	uint64_t *bitmaps;       /* mirror_bitmap_words(rows) a part */
	uint32_t *totals;        /* rows that have code i, of all of them; NULL: to be counted */
	uint32_t total_count;
	size_t bytes; /* of all arrays */
};

/* Arrays that were replaced. */
struct garbage {
	void **items;
	size_t count;
	size_t room;
};
void mirror_garbage_done(struct garbage *garbage);

/* The next row of an open chunk, which begins as { 0 }: rows come one after the other from 0. */
void mirror_chunk_set(struct chunk *chunk, size_t row, uint32_t code, struct garbage *garbage);
void mirror_chunk_set_number(struct chunk *chunk, size_t row, double number,
			     struct garbage *garbage);
void mirror_chunk_done(struct chunk *chunk);
/* Copies of the structs, which borrow the arrays (free()). */
struct chunk *mirror_chunk_copies(const struct chunk *chunks, size_t count);

/* Of an open one, with one row at least; overwrites *ret, which shares nothing with it. */
void mirror_chunk_seal(const struct chunk *open, size_t rows, uint32_t distinct, struct chunk *ret);

static inline const uint64_t *chunk_bitmap(const struct chunk *chunk, size_t part)
{
	return chunk->bitmaps + part * mirror_bitmap_words(chunk->rows);
}

/* Memory that its arrays take. */
static inline size_t chunk_bytes(const struct chunk *chunk)
{
	return chunk->is_sealed ? chunk->bytes
				: (size_t)chunk->room * chunk->width +
					  chunk->number_room * sizeof(*chunk->numbers);
}

/* ---- reading: of an open one `rows` are those that the reader knows of; distinct: codes are below it -- */

uint32_t mirror_chunk_code(const struct chunk *chunk, size_t row);
/* Of these rows, in their order; quick where they stand near each other. */
void mirror_chunk_gather(const struct chunk *chunk, const uint32_t *rows, size_t count,
			 uint32_t *ret_codes);
/* Of all rows, one after the other. */
void mirror_chunk_decode(const struct chunk *chunk, size_t rows, uint32_t *ret_codes);
/* counts[code] grows by the rows of the mask that have it. */
void mirror_chunk_count(const struct chunk *chunk, const struct mask *mask, uint32_t distinct,
			uint32_t *counts);
/* Rows whose code has 1 in `wanted`, a byte a code; of a sealed one all of its rows. */
void mirror_chunk_match(const struct chunk *chunk, size_t rows, const uint8_t *wanted,
			uint32_t distinct, uint64_t *ret_rows);
