/* Checks everything that queries rely on: with any bytes, they read and write inside of their arrays. */
#include <stdlib.h>
#include <string.h>

#include "mirror/image/image_chunk_priv.h"

const void *mirror_image_take(struct image_bytes *bytes, size_t count, size_t size)
{
	size_t len;

	if (__builtin_mul_overflow(count, size, &len) || len > bytes->len - bytes->at)
		return NULL;
	const void *at = bytes->data + bytes->at;
	size_t end = bytes->at + image_padded(len);
	bytes->at = end < bytes->len ? end : bytes->len;
	return at;
}

int mirror_image_damaged(struct pl_err *err)
{
	return pl_err_set(err, PL_ERR_INVALID, "it is damaged");
}

/* ---- checks -------------------------------------------------------------------------------------- */

static bool are_codes_below(const struct chunk *chunk, size_t rows, uint32_t distinct)
{
	uint32_t most = 0;

	if (chunk->width == 1) {
		const uint8_t *codes = chunk->codes;
		uint8_t greatest = 0;
		for (size_t i = 0; i < rows; i++)
			greatest = codes[i] > greatest ? codes[i] : greatest;
		most = greatest;
	} else if (chunk->width == 2) {
		const uint16_t *codes = chunk->codes;
		uint16_t greatest = 0;
		for (size_t i = 0; i < rows; i++)
			greatest = codes[i] > greatest ? codes[i] : greatest;
		most = greatest;
	} else if (chunk->width == 4) {
		const uint32_t *codes = chunk->codes;
		for (size_t i = 0; i < rows; i++)
			most = codes[i] > most ? codes[i] : most;
	}
	return most < distinct;
}

static bool are_exceptions(const struct chunk *chunk, size_t rows)
{
	uint32_t from = 0;

	for (uint32_t part = 0; part < chunk->parts; from = chunk->part_ends[part++]) {
		if (chunk->part_ends[part] < from || chunk->part_ends[part] > rows)
			return false;
		for (uint32_t i = from; i < chunk->part_ends[part]; i++) {
			if (chunk->part_rows[i] >= rows ||
			    (i > from && chunk->part_rows[i] <= chunk->part_rows[i - 1]))
				return false;
		}
	}
	return true;
}

static bool are_runs(const struct chunk *chunk, size_t rows, uint32_t distinct)
{
	uint32_t from = 0;

	for (uint32_t i = 0; i < chunk->parts; from = chunk->runs[i++].end) {
		if (chunk->runs[i].end <= from || chunk->runs[i].code >= distinct)
			return false;
	}
	return from == rows;
}

static bool are_bitmaps(const struct chunk *chunk, size_t rows)
{
	size_t words = mirror_bitmap_words(rows);

	for (uint32_t part = 0; part < chunk->parts; part++) {
		if (rows % MIRROR_WORD_ROWS != 0 &&
		    chunk_bitmap(chunk, part)[words - 1] >> rows % MIRROR_WORD_ROWS != 0)
			return false;
	}
	return true;
}

static bool are_parts(const struct chunk *chunk, size_t rows, uint32_t distinct)
{
	if (chunk->form == CHUNK_RUNS)
		return are_runs(chunk, rows, distinct);
	for (uint32_t part = 0; chunk->part_codes != NULL && part < chunk->parts; part++) {
		if (chunk->part_codes[part] >= distinct)
			return false;
	}
	if (chunk->form == CHUNK_EXCEPTIONS)
		return are_exceptions(chunk, rows);
	return chunk->form != CHUNK_BITMAPS || are_bitmaps(chunk, rows);
}

static bool are_totals(const struct chunk *chunk, size_t rows)
{
	uint64_t sum = 0;

	for (uint32_t code = 0; chunk->totals != NULL && code < chunk->total_count; code++)
		sum += chunk->totals[code];
	return chunk->totals == NULL || sum == rows;
}

/* Returns whether each row whose code says that its number is in the array has one there. */
static bool has_numbers(const struct chunk *chunk, const struct image_column *column, size_t rows)
{
	uint64_t found[MIRROR_SEGMENT_WORDS];
	const uint32_t *codes = column->elsewhere;

	if ((codes[0] == 0 && codes[1] == 0) || chunk->number_room >= rows)
		return true;
	if (chunk->form == CHUNK_CONSTANT && chunk->width == 0)
		return chunk->base == 0 || (chunk->base != codes[0] && chunk->base != codes[1]);
	auto_free uint8_t *wanted = pl_alloc(column->distinct);
	wanted[codes[0]] = wanted[codes[1]] = 1;
	wanted[0] = 0;
	mirror_chunk_match(chunk, rows, wanted, column->distinct, found);
	for (size_t row = chunk->number_room; row < rows; row++) {
		if (found[row / 64] >> row % 64 & 1)
			return false;
	}
	return true;
}

static bool is_head(const struct image_chunk *head, const struct image_column *column, size_t rows)
{
	bool is_coded = head->width == 1 || head->width == 2 || head->width == 4;
	bool has_parts = head->form == CHUNK_EXCEPTIONS || head->form == CHUNK_RUNS ||
			 head->form == CHUNK_BITMAPS;

	return head->form <= CHUNK_BITMAPS && (is_coded || head->width == 0) &&
	       (head->form != CHUNK_CODES || is_coded) &&
	       (head->form != CHUNK_CONSTANT || !is_coded) && head->base < column->distinct &&
	       has_parts == (head->parts > 0) && head->number_room <= rows &&
	       (!head->has_totals || head->total_count <= column->distinct);
}

/* ---- reading ------------------------------------------------------------------------------------- */

int mirror_image_read_chunk(struct image_bytes *bytes, const struct image_column *column,
			    size_t rows, struct chunk *ret, struct pl_err *err)
{
	struct image_array arrays[IMAGE_CHUNK_ARRAYS];
	const struct image_chunk *head = mirror_image_take(bytes, 1, sizeof(*head));

	*ret = (struct chunk){ .is_sealed = true, .rows = (uint32_t)rows };
	if (head == NULL || !is_head(head, column, rows))
		return mirror_image_damaged(err);
	ret->form = head->form;
	ret->width = head->width;
	ret->base = head->base;
	ret->parts = head->parts;
	ret->room = head->width > 0 ? ret->rows : 0;
	ret->number_room = head->number_room;
	ret->total_count = head->has_totals ? head->total_count : 0;
	mirror_image_chunk_arrays(ret, head, rows, arrays);
	for (size_t i = 0; i < IMAGE_CHUNK_ARRAYS; i++) {
		size_t len = arrays[i].count * arrays[i].size;
		if (len == 0)
			continue;
		const void *items = mirror_image_take(bytes, arrays[i].count, arrays[i].size);
		if (items == NULL)
			return mirror_image_damaged(err);
		*arrays[i].items = pl_realloc_array(NULL, arrays[i].count, arrays[i].size);
		memcpy(*arrays[i].items, items, len);
		ret->bytes += len;
	}
	if (head->has_totals && ret->totals == NULL)
		ret->totals = pl_alloc(sizeof(*ret->totals));
	if (ret->form == CHUNK_EXCEPTIONS && ret->part_ends[ret->parts - 1] != head->part_rows)
		return mirror_image_damaged(err);
	if (!are_codes_below(ret, rows, column->distinct) ||
	    !are_parts(ret, rows, column->distinct) || !are_totals(ret, rows) ||
	    !has_numbers(ret, column, rows))
		return mirror_image_damaged(err);
	return 0;
}
