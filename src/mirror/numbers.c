#include "mirror/numbers.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

#define BYTE_VALUES 256
#define SIGN_BIT    (1ull << 63)
#define EXACT_MAX   9e15 /* doubles are exact up to here */

/* A number of a row, as bits that compare like the number. */
struct item {
	uint64_t key;
	uint32_t row; /* in all segments */
};

static uint64_t key_of(double number)
{
	uint64_t bits;

	number += 0.0; /* -0 is 0 */
	memcpy(&bits, &number, sizeof(bits));
	return bits & SIGN_BIT ? ~bits : bits | SIGN_BIT;
}

static double number_of(uint64_t key)
{
	uint64_t bits = key & SIGN_BIT ? key & ~SIGN_BIT : ~key;
	double number;

	memcpy(&number, &bits, sizeof(number));
	return number;
}

/* ---- making ---------------------------------------------------------------------------------- */

/*
 * Sorts by one byte of the key, for use from the last byte to the first. Returns false if all keys have the same byte
 * there.
 */
static bool sort_by_byte(const struct item *items, size_t count, unsigned shift, struct item *ret)
{
	size_t ends[BYTE_VALUES] = { 0 }, before = 0;

	for (size_t i = 0; i < count; i++)
		ends[items[i].key >> shift & 0xff]++;
	if (ends[items[0].key >> shift & 0xff] == count)
		return false;
	/* first the start of each byte's items, then incremented with each item */
	for (size_t i = 0; i < BYTE_VALUES; i++) {
		size_t of_byte = ends[i];
		ends[i] = before;
		before += of_byte;
	}
	for (size_t i = 0; i < count; i++)
		ret[ends[items[i].key >> shift & 0xff]++] = items[i];
	return true;
}

/* Returns the sorted array: one of the two. */
static const struct item *sort(struct item *items, struct item *room, size_t count)
{
	for (unsigned shift = 0; count > 0 && shift < 64; shift += 8) {
		if (!sort_by_byte(items, count, shift, room))
			continue;
		struct item *sorted = room;
		room = items;
		items = sorted;
	}
	return items;
}

static size_t gather(const struct mirror_column *column, const struct mask *masks, size_t segments,
		     struct item *ret)
{
	auto_free uint8_t *wanted = pl_alloc(column->distinct);
	uint64_t found[MIRROR_SEGMENT_WORDS];
	size_t count = 0;

	for (uint32_t code = 0; code < column->distinct; code++)
		wanted[code] = mirror_column_value(column, code)->is_elsewhere;
	for (size_t i = 0; i < segments; i++) {
		const struct chunk *chunk = mirror_column_chunk(column, i);
		if (chunk->numbers == NULL)
			continue;
		mirror_chunk_match(chunk, masks[i].rows, wanted, column->distinct, found);
		for (size_t row = 0; row < masks[i].rows; row++) {
			if ((found[row / 64] >> row % 64 & 1) == 0 || isnan(chunk->numbers[row]))
				continue;
			ret[count++] = (struct item){ key_of(chunk->numbers[row]),
						      (uint32_t)(i * MIRROR_SEGMENT_ROWS + row) };
		}
	}
	return count;
}

static bool is_whole(double number)
{
	return isinf(number) ||
	       (fabs(number) < EXACT_MAX && trunc(number) >= number && trunc(number) <= number);
}

/* The items are sorted; `distinct` of them differ. */
static void fill(struct numbers *numbers, const struct item *items, size_t count, size_t distinct)
{
	size_t position = SIZE_MAX;

	numbers->count = distinct;
	numbers->are_whole = true;
	numbers->items = pl_alloc_array(distinct, sizeof(*numbers->items));
	numbers->totals = pl_alloc_array(numbers_room(numbers), sizeof(*numbers->totals));
	for (size_t i = 0; i < numbers->segments; i++) {
		numbers->positions[i] = pl_realloc_array(NULL, numbers->rows[i] + 1,
							 sizeof(uint32_t));
		for (size_t row = 0; row < numbers->rows[i]; row++)
			numbers->positions[i][row] = (uint32_t)distinct;
		numbers->known += numbers->rows[i];
	}
	for (size_t i = 0; i < count; i++) {
		if (i == 0 || items[i].key != items[i - 1].key)
			numbers->items[++position] = number_of(items[i].key);
		numbers->are_whole = numbers->are_whole && is_whole(numbers->items[position]);
		numbers->totals[position]++;
		numbers->positions[items[i].row / MIRROR_SEGMENT_ROWS]
				  [items[i].row % MIRROR_SEGMENT_ROWS] = (uint32_t)position;
	}
	numbers->totals[distinct] = (uint32_t)(numbers->known - count);
	numbers->bytes = distinct * sizeof(double) + numbers_room(numbers) * sizeof(uint32_t) +
			 numbers->known * sizeof(uint32_t);
}

struct numbers *mirror_numbers_new(const struct mirror_column *column, const struct mask *masks,
				   size_t segments)
{
	struct numbers *made = pl_alloc(sizeof(*made));
	size_t rows = 0, distinct = 0;

	atomic_init(&made->users, 1);
	made->segments = segments;
	made->rows = pl_alloc_array(segments, sizeof(*made->rows));
	made->positions = pl_alloc_array(segments, sizeof(*made->positions));
	for (size_t i = 0; i < segments; i++)
		rows += made->rows[i] = masks[i].rows;
	auto_free struct item *items = pl_realloc_array(NULL, rows + 1, sizeof(*items));
	auto_free struct item *room = pl_realloc_array(NULL, rows + 1, sizeof(*room));
	size_t count = gather(column, masks, segments, items);
	const struct item *sorted = sort(items, room, count);
	for (size_t i = 0; i < count; i++)
		distinct += i == 0 || sorted[i].key != sorted[i - 1].key;
	fill(made, sorted, count, distinct);
	return made;
}

void mirror_numbers_put(struct numbers *numbers)
{
	if (numbers == NULL || atomic_fetch_sub(&numbers->users, 1) > 1)
		return;
	for (size_t i = 0; i < numbers->segments; i++)
		free(numbers->positions[i]);
	free(numbers->positions);
	free(numbers->rows);
	free(numbers->items);
	free(numbers->totals);
	free(numbers);
}

/* ---- counting -------------------------------------------------------------------------------- */

/* Adds `step` for each row before `end` that is in the mask, or with `flip` for those that are not. */
static void count_rows(const uint32_t *positions, size_t end, const uint64_t *words, uint64_t flip,
		       uint32_t step, uint32_t *counts)
{
	for (size_t word = 0; word * 64 < end; word++) {
		const uint32_t *from = positions + word * 64;
		uint64_t bits = words[word] ^ flip;
		if (end - word * 64 < 64)
			bits &= (1ull << (end - word * 64)) - 1;
		for (size_t i = 0; bits == UINT64_MAX && i < 64; i++)
			counts[from[i]] += step;
		for (bits = bits == UINT64_MAX ? 0 : bits; bits != 0; bits &= bits - 1)
			counts[from[__builtin_ctzll(bits)]] += step;
	}
}

void mirror_numbers_count(const struct numbers *numbers, const struct mask *masks, size_t segments,
			  uint32_t *ret_counts)
{
	size_t rows = 0;

	for (size_t i = 0; i < segments && i < numbers->segments; i++)
		rows += masks[i].count;
	/* then fewer rows are excluded than included */
	bool are_most = rows > numbers->known / 2 && segments >= numbers->segments;
	if (are_most)
		memcpy(ret_counts, numbers->totals, numbers_room(numbers) * sizeof(*ret_counts));
	else
		memset(ret_counts, 0, numbers_room(numbers) * sizeof(*ret_counts));
	for (size_t i = 0; i < segments && i < numbers->segments; i++)
		count_rows(numbers->positions[i], numbers->rows[i], masks[i].words,
			   are_most ? UINT64_MAX : 0, are_most ? UINT32_MAX : 1, ret_counts);
	ret_counts[numbers->count] = 0;
}
