/* The live rows of several segments as one, so that the image has no dead rows and no small segments. */
#include <stdlib.h>
#include <string.h>

#include "mirror/image/image_chunk_priv.h"

static bool is_live(const uint64_t *words, size_t row)
{
	return words[row / 64] >> row % 64 & 1;
}

static size_t gather_codes(const struct image_group *group, const struct image_source *source)
{
	size_t count = 0;

	for (size_t i = 0; i < group->count; i++) {
		size_t segment = group->first + i, rows = source->rows[segment];
		const uint64_t *live = group->lives + i * MIRROR_SEGMENT_WORDS;
		mirror_chunk_decode(&source->chunks[segment][source->column], rows, group->codes);
		for (size_t row = 0; row < rows; row++) {
			if (is_live(live, row))
				group->all[count++] = group->codes[row];
		}
	}
	return count;
}

/* Returns NULL if no segment has numbers; free(). */
static double *gather_numbers(const struct image_group *group, const struct image_source *source)
{
	double *numbers = NULL;
	size_t count = 0;

	for (size_t i = 0; i < group->count; i++) {
		size_t segment = group->first + i;
		const uint64_t *live = group->lives + i * MIRROR_SEGMENT_WORDS;
		const struct chunk *chunk = &source->chunks[segment][source->column];
		size_t room = chunk->numbers != NULL ? chunk->number_room : 0;
		if (room > 0 && numbers == NULL)
			numbers = pl_alloc_array(group->rows, sizeof(*numbers));
		for (size_t row = 0; row < source->rows[segment]; row++) {
			if (!is_live(live, row))
				continue;
			if (row < room)
				numbers[count] = chunk->numbers[row];
			count++;
		}
	}
	return numbers;
}

/* Stores the codes in the least width; free(). */
static void *narrow(const uint32_t *codes, size_t count, unsigned width)
{
	void *made = pl_alloc_array(count, width);

	for (size_t i = 0; i < count; i++) {
		if (width == 1)
			((uint8_t *)made)[i] = (uint8_t)codes[i];
		else if (width == 2)
			((uint16_t *)made)[i] = (uint16_t)codes[i];
		else
			((uint32_t *)made)[i] = codes[i];
	}
	return made;
}

void mirror_image_gather_chunk(const struct image_group *group, const struct image_source *source,
			       struct chunk *ret)
{
	struct chunk open = { 0 };
	uint32_t most = 0;
	bool is_constant = true;
	size_t rows = gather_codes(group, source);

	for (size_t row = 0; row < rows; row++) {
		most = group->all[row] > most ? group->all[row] : most;
		is_constant = is_constant && group->all[row] == group->all[0];
	}
	open.base = group->all[0];
	if (!is_constant) {
		open.form = CHUNK_CODES;
		open.width = most <= UINT8_MAX ? 1 : most <= UINT16_MAX ? 2 : 4;
		open.room = (uint32_t)rows;
		open.codes = narrow(group->all, rows, open.width);
	}
	open.numbers = gather_numbers(group, source);
	open.number_room = open.numbers != NULL ? (uint32_t)rows : 0;
	mirror_chunk_seal(&open, rows, source->distinct, ret);
	mirror_chunk_done(&open);
}
