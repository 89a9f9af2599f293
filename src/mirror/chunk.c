#include "mirror/chunk.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

#define ROOM_MIN 64 /* rows; grows by a factor of 4 */

void mirror_garbage_done(struct garbage *garbage)
{
	for (size_t i = 0; i < garbage->count; i++)
		free(garbage->items[i]);
	free(garbage->items);
	*garbage = (struct garbage){ 0 };
}

static void *replace(void *old, size_t old_bytes, size_t bytes, struct garbage *garbage)
{
	void *made = pl_alloc(bytes);

	if (old == NULL)
		return made;
	memcpy(made, old, old_bytes);
	*PL_PUSH(garbage->items, garbage->count, garbage->room) = old;
	return made;
}

static uint32_t room_for(uint32_t room, size_t row)
{
	room = room < ROOM_MIN ? ROOM_MIN : room;
	while (room <= row)
		room *= 4;
	return room;
}

static unsigned width_of(uint32_t code)
{
	return code <= UINT8_MAX ? 1 : code <= UINT16_MAX ? 2 : 4;
}

static uint32_t code_at(const void *codes, unsigned width, size_t row)
{
	if (width == 1)
		return ((const uint8_t *)codes)[row];
	return width == 2 ? ((const uint16_t *)codes)[row] : ((const uint32_t *)codes)[row];
}

static void put_code(void *codes, unsigned width, size_t row, uint32_t code)
{
	if (width == 1)
		((uint8_t *)codes)[row] = (uint8_t)code;
	else if (width == 2)
		((uint16_t *)codes)[row] = (uint16_t)code;
	else
		((uint32_t *)codes)[row] = code;
}

/* ---- growing --------------------------------------------------------------------------------- */

/* All earlier rows had the same code. */
static void begin_codes(struct chunk *chunk, size_t row, unsigned width)
{
	chunk->form = CHUNK_CODES;
	chunk->width = (unsigned char)width;
	chunk->room = room_for(0, row);
	chunk->codes = pl_alloc_array(chunk->room, width);
	for (size_t i = 0; i < row; i++)
		put_code(chunk->codes, width, i, chunk->base);
}

void mirror_chunk_set(struct chunk *chunk, size_t row, uint32_t code, struct garbage *garbage)
{
	unsigned width = width_of(code);

	if (row == 0)
		chunk->base = code;
	if (chunk->form == CHUNK_CONSTANT) {
		if (code == chunk->base)
			return;
		begin_codes(chunk, row,
			    width > width_of(chunk->base) ? width : width_of(chunk->base));
	}
	if (width > chunk->width) {
		void *wide = pl_alloc_array(chunk->room, width);
		for (size_t i = 0; i < row; i++)
			put_code(wide, width, i, code_at(chunk->codes, chunk->width, i));
		*PL_PUSH(garbage->items, garbage->count, garbage->room) = chunk->codes;
		chunk->codes = wide;
		chunk->width = (unsigned char)width;
	}
	if (row >= chunk->room) {
		uint32_t room = room_for(chunk->room, row);
		chunk->codes = replace(chunk->codes, (size_t)chunk->room * chunk->width,
				       (size_t)room * chunk->width, garbage);
		chunk->room = room;
	}
	put_code(chunk->codes, chunk->width, row, code);
}

void mirror_chunk_set_number(struct chunk *chunk, size_t row, double number,
			     struct garbage *garbage)
{
	if (chunk->numbers == NULL || row >= chunk->number_room) {
		uint32_t room = room_for(chunk->number_room, row);
		chunk->numbers = replace(chunk->numbers,
					 chunk->number_room * sizeof(*chunk->numbers),
					 room * sizeof(*chunk->numbers), garbage);
		chunk->number_room = room;
	}
	chunk->numbers[row] = number + 0.0; /* -0 is 0 */
}

void mirror_chunk_done(struct chunk *chunk)
{
	free(chunk->codes);
	free(chunk->numbers);
	free(chunk->part_codes);
	free(chunk->part_ends);
	free(chunk->part_rows);
	free(chunk->runs);
	free(chunk->bitmaps);
	free(chunk->totals);
	*chunk = (struct chunk){ 0 };
}

struct chunk *mirror_chunk_copies(const struct chunk *chunks, size_t count)
{
	struct chunk *copies = pl_alloc_array(count, sizeof(*copies));

	if (count > 0)
		memcpy(copies, chunks, count * sizeof(*copies));
	return copies;
}

/* ---- reading --------------------------------------------------------------------------------- */

static uint32_t code_of_exception(const struct chunk *chunk, size_t row)
{
	uint32_t from = 0;

	for (uint32_t part = 0; part < chunk->parts; from = chunk->part_ends[part++]) {
		for (uint32_t i = from; i < chunk->part_ends[part]; i++) {
			if (chunk->part_rows[i] == row)
				return chunk->part_codes[part];
		}
	}
	return chunk->base;
}

static uint32_t run_of(const struct chunk *chunk, size_t row)
{
	uint32_t low = 0, high = chunk->parts - 1;

	while (low < high) {
		uint32_t middle = low + (high - low) / 2;
		if (chunk->runs[middle].end <= row)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static uint32_t code_of_bits(const struct chunk *chunk, size_t row)
{
	for (uint32_t part = 0; part < chunk->parts; part++) {
		const uint64_t *bits = chunk_bitmap(chunk, part);
		if (bits[row / 64] >> row % 64 & 1)
			return chunk->part_codes[part];
	}
	return chunk->base;
}

uint32_t mirror_chunk_code(const struct chunk *chunk, size_t row)
{
	if (chunk->width > 0)
		return code_at(chunk->codes, chunk->width, row);
	switch ((enum chunk_form)chunk->form) {
	case CHUNK_EXCEPTIONS:
		return code_of_exception(chunk, row);
	case CHUNK_RUNS:
		return chunk->runs[run_of(chunk, row)].code;
	case CHUNK_BITMAPS:
		return code_of_bits(chunk, row);
	default:
		return chunk->base;
	}
}

/* For few rows, usually none of which is among the exceptions. */
static void gather_exceptions(const struct chunk *chunk, const uint32_t *rows, size_t count,
			      uint32_t *ret)
{
	uint32_t low = UINT32_MAX, high = 0, i = 0;

	for (size_t k = 0; k < count; k++) {
		low = rows[k] < low ? rows[k] : low;
		high = rows[k] > high ? rows[k] : high;
	}
	for (uint32_t part = 0; part < chunk->parts; part++) {
		for (; i < chunk->part_ends[part]; i++) {
			uint32_t row = chunk->part_rows[i];
			if (row < low || row > high)
				continue;
			for (size_t k = 0; k < count; k++)
				ret[k] = rows[k] == row ? chunk->part_codes[part] : ret[k];
		}
	}
}

/* If all rows are in one word of a bitmap, as consecutive rows mostly are, returns their bits; else all bits. */
static uint64_t bits_within(const uint32_t *rows, size_t count)
{
	uint64_t bits = 0;

	for (size_t i = 0; i < count; i++) {
		if (rows[i] / 64 != rows[0] / 64)
			return UINT64_MAX;
		bits |= 1ull << rows[i] % 64;
	}
	return bits;
}

static void gather_bits(const struct chunk *chunk, const uint32_t *rows, size_t count,
			uint32_t *ret)
{
	uint64_t within = bits_within(rows, count);

	for (uint32_t part = 0; part < chunk->parts; part++) {
		const uint64_t *bits = chunk_bitmap(chunk, part);
		if (within != UINT64_MAX && (bits[rows[0] / 64] & within) == 0)
			continue;
		for (size_t k = 0; k < count; k++) {
			if (bits[rows[k] / 64] >> rows[k] % 64 & 1)
				ret[k] = chunk->part_codes[part];
		}
	}
}

void mirror_chunk_gather(const struct chunk *chunk, const uint32_t *rows, size_t count,
			 uint32_t *ret)
{
	if (chunk->width > 0) {
		if (chunk->width == 1) {
			for (size_t i = 0; i < count; i++)
				ret[i] = ((const uint8_t *)chunk->codes)[rows[i]];
		} else if (chunk->width == 2) {
			for (size_t i = 0; i < count; i++)
				ret[i] = ((const uint16_t *)chunk->codes)[rows[i]];
		} else {
			for (size_t i = 0; i < count; i++)
				ret[i] = ((const uint32_t *)chunk->codes)[rows[i]];
		}
		return;
	}
	if (chunk->form == CHUNK_RUNS) {
		uint32_t begin = 1, end = 0; /* of the run that contains the previous row */
		for (size_t i = 0; i < count; i++) {
			if (rows[i] >= begin && rows[i] < end) {
				ret[i] = ret[i - 1];
				continue;
			}
			uint32_t part = run_of(chunk, rows[i]);
			begin = part > 0 ? chunk->runs[part - 1].end : 0;
			end = chunk->runs[part].end;
			ret[i] = chunk->runs[part].code;
		}
		return;
	}
	for (size_t i = 0; i < count; i++)
		ret[i] = chunk->base;
	if (chunk->form == CHUNK_EXCEPTIONS)
		gather_exceptions(chunk, rows, count, ret);
	else if (chunk->form == CHUNK_BITMAPS)
		gather_bits(chunk, rows, count, ret);
}

static void decode_bits(const struct chunk *chunk, size_t rows, uint32_t *ret)
{
	for (uint32_t part = 0; part < chunk->parts; part++) {
		const uint64_t *words = chunk_bitmap(chunk, part);
		for (size_t word = 0; word < mirror_bitmap_words(rows); word++) {
			for (uint64_t bits = words[word]; bits != 0; bits &= bits - 1) {
				size_t row = word * 64 + (size_t)__builtin_ctzll(bits);
				if (row < rows)
					ret[row] = chunk->part_codes[part];
			}
		}
	}
}

void mirror_chunk_decode(const struct chunk *chunk, size_t rows, uint32_t *ret_codes)
{
	if (chunk->width > 0) {
		if (chunk->width == 1) {
			for (size_t i = 0; i < rows; i++)
				ret_codes[i] = ((const uint8_t *)chunk->codes)[i];
		} else if (chunk->width == 2) {
			for (size_t i = 0; i < rows; i++)
				ret_codes[i] = ((const uint16_t *)chunk->codes)[i];
		} else {
			memcpy(ret_codes, chunk->codes, rows * sizeof(*ret_codes));
		}
		return;
	}
	if (chunk->form == CHUNK_RUNS) {
		size_t row = 0;
		for (uint32_t part = 0; part < chunk->parts; part++) {
			for (; row < chunk->runs[part].end && row < rows; row++)
				ret_codes[row] = chunk->runs[part].code;
		}
		return;
	}
	for (size_t i = 0; i < rows; i++)
		ret_codes[i] = chunk->base;
	if (chunk->form == CHUNK_BITMAPS)
		decode_bits(chunk, rows, ret_codes);
	uint32_t from = 0;
	for (uint32_t part = 0; chunk->form == CHUNK_EXCEPTIONS && part < chunk->parts;
	     from = chunk->part_ends[part++]) {
		for (uint32_t i = from; i < chunk->part_ends[part]; i++) {
			if (chunk->part_rows[i] < rows)
				ret_codes[chunk->part_rows[i]] = chunk->part_codes[part];
		}
	}
}
