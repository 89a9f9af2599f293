/*
 * Counts and finds codes in each form of a chunk. The most frequent code is never counted: it has the remaining rows of
 * the mask.
 */
#include "mirror/chunk.h"

#include <string.h>

/* Limits the length of tables by the width of the codes. */
static uint32_t codes_below(const struct chunk *chunk, uint32_t distinct)
{
	if (chunk->width == 1 && distinct > UINT8_MAX + 1)
		return UINT8_MAX + 1;
	return chunk->width == 2 && distinct > UINT16_MAX + 1 ? UINT16_MAX + 1 : distinct;
}

/* ---- counting -------------------------------------------------------------------------------- */

static void count_codes(const struct chunk *chunk, const struct mask *mask, uint32_t distinct,
			uint32_t *counts)
{
	const struct mirror_kernels *kernels = mirror_kernels();

	distinct = codes_below(chunk, distinct);
	if (chunk->width == 1 && mask->list != NULL)
		kernels->gather_u8(chunk->codes, mask->list, mask->count, counts);
	else if (chunk->width == 1)
		kernels->tally_u8(chunk->codes, mask->rows, mask->words, counts, distinct);
	else if (chunk->width == 2 && mask->list != NULL)
		kernels->gather_u16(chunk->codes, mask->list, mask->count, counts);
	else if (chunk->width == 2)
		kernels->tally_u16(chunk->codes, mask->rows, mask->words, counts, distinct);
	else if (mask->list != NULL)
		kernels->gather_u32(chunk->codes, mask->list, mask->count, counts);
	else
		kernels->tally_u32(chunk->codes, mask->rows, mask->words, counts, distinct);
}

static void count_exceptions(const struct chunk *chunk, const struct mask *mask, uint32_t *counts)
{
	uint32_t from = 0, left = (uint32_t)mask->count;

	for (uint32_t part = 0; part < chunk->parts; part++) {
		uint32_t found = 0;
		for (uint32_t i = from; i < chunk->part_ends[part]; i++)
			found += mask->words[chunk->part_rows[i] / 64] >> chunk->part_rows[i] % 64 &
				 1;
		counts[chunk->part_codes[part]] += found;
		left -= found;
		from = chunk->part_ends[part];
	}
	counts[chunk->base] += left;
}

static void count_bitmaps(const struct chunk *chunk, const struct mask *mask, uint32_t *counts)
{
	uint32_t left = (uint32_t)mask->count;

	for (uint32_t part = 0; part < chunk->parts; part++) {
		uint32_t found = (uint32_t)mirror_kernels()->count_and(
			mask->words, chunk_bitmap(chunk, part), mirror_bitmap_words(chunk->rows));
		counts[chunk->part_codes[part]] += found;
		left -= found;
	}
	counts[chunk->base] += left;
}

void mirror_chunk_count(const struct chunk *chunk, const struct mask *mask, uint32_t distinct,
			uint32_t *counts)
{
	if (mask->count == 0)
		return;
	if (chunk->form == CHUNK_CONSTANT) {
		counts[chunk->base] += (uint32_t)mask->count;
		return;
	}
	if (chunk->totals != NULL && mask->count == chunk->rows) {
		for (uint32_t i = 0; i < chunk->total_count; i++)
			counts[i] += chunk->totals[i];
		return;
	}
	if (chunk->form == CHUNK_CODES || (mask->list != NULL && chunk->width > 0))
		count_codes(chunk, mask, distinct, counts);
	else if (chunk->form == CHUNK_EXCEPTIONS)
		count_exceptions(chunk, mask, counts);
	else if (chunk->form == CHUNK_RUNS)
		mirror_kernels()->tally_runs(chunk->runs, chunk->parts, mask->words, mask->ranks,
					     counts);
	else
		count_bitmaps(chunk, mask, counts);
}

/* ---- finding --------------------------------------------------------------------------------- */

static void fill(uint64_t *ret_rows, size_t rows, bool wanted)
{
	size_t words = rows / 64;

	memset(ret_rows, 0, MIRROR_SEGMENT_WORDS * sizeof(*ret_rows));
	if (!wanted)
		return;
	memset(ret_rows, 0xff, words * sizeof(*ret_rows));
	if (rows % 64 != 0)
		ret_rows[words] = (1ull << rows % 64) - 1;
}

static void match_exceptions(const struct chunk *chunk, const uint8_t *wanted, uint64_t *ret_rows)
{
	uint32_t from = 0;

	fill(ret_rows, chunk->rows, wanted[chunk->base]);
	for (uint32_t part = 0; part < chunk->parts; from = chunk->part_ends[part++]) {
		if (wanted[chunk->part_codes[part]] == wanted[chunk->base])
			continue;
		for (uint32_t i = from; i < chunk->part_ends[part]; i++)
			ret_rows[chunk->part_rows[i] / 64] ^= 1ull << chunk->part_rows[i] % 64;
	}
}

static void match_bitmaps(const struct chunk *chunk, const uint8_t *wanted, uint64_t *ret_rows)
{
	const struct mirror_kernels *kernels = mirror_kernels();
	size_t words = mirror_bitmap_words(chunk->rows);

	fill(ret_rows, chunk->rows, wanted[chunk->base]);
	for (uint32_t part = 0; part < chunk->parts; part++) {
		const uint64_t *bits = chunk_bitmap(chunk, part);
		if (wanted[chunk->part_codes[part]] == wanted[chunk->base])
			continue;
		if (wanted[chunk->base])
			kernels->and_not(ret_rows, ret_rows, bits, words);
		else
			kernels->or (ret_rows, ret_rows, bits, words);
	}
}

static void match_codes(const struct chunk *chunk, size_t rows, const uint8_t *wanted,
			uint32_t distinct, uint64_t *ret_rows)
{
	const struct mirror_kernels *kernels = mirror_kernels();
	size_t words = mirror_bitmap_words(rows);

	distinct = codes_below(chunk, distinct);
	if (chunk->width == 1)
		kernels->match_u8(chunk->codes, rows, wanted, distinct, ret_rows);
	else if (chunk->width == 2)
		kernels->match_u16(chunk->codes, rows, wanted, distinct, ret_rows);
	else
		kernels->match_u32(chunk->codes, rows, wanted, distinct, ret_rows);
	memset(ret_rows + words, 0, (MIRROR_SEGMENT_WORDS - words) * sizeof(*ret_rows));
}

void mirror_chunk_match(const struct chunk *chunk, size_t rows, const uint8_t *wanted,
			uint32_t distinct, uint64_t *ret_rows)
{
	if (chunk->is_sealed)
		rows = chunk->rows;
	switch ((enum chunk_form)chunk->form) {
	case CHUNK_CONSTANT:
		fill(ret_rows, rows, wanted[chunk->base]);
		break;
	case CHUNK_CODES:
		match_codes(chunk, rows, wanted, distinct, ret_rows);
		break;
	case CHUNK_EXCEPTIONS:
		match_exceptions(chunk, wanted, ret_rows);
		break;
	case CHUNK_RUNS:
		memset(ret_rows, 0, MIRROR_SEGMENT_WORDS * sizeof(*ret_rows));
		mirror_kernels()->match_runs(chunk->runs, chunk->parts, wanted, ret_rows);
		break;
	case CHUNK_BITMAPS:
		match_bitmaps(chunk, wanted, ret_rows);
		break;
	}
}
