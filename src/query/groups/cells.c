#include "query/groups/cells_priv.h"

#include <stdlib.h>

/* The cells of a column by code. */
struct meaning {
	struct cell *of_code;
	uint8_t *is_elsewhere;
	uint32_t *codes; /* of a segment */
};

static void meaning_done(struct meaning *meaning)
{
	free(meaning->of_code);
	free(meaning->is_elsewhere);
	free(meaning->codes);
}
#define auto_meaning __attribute__((cleanup(meaning_done), unused)) struct meaning

static struct cell *read_segment(const struct meaning *meaning, const struct chunk *chunk,
				 const uint64_t *rows, struct cell *into)
{
	for (size_t word = 0; word < MIRROR_SEGMENT_WORDS; word++) {
		for (uint64_t bits = rows[word]; bits != 0; bits &= bits - 1) {
			size_t row = word * MIRROR_WORD_ROWS + (size_t)__builtin_ctzll(bits);
			*into = meaning->of_code[meaning->codes[row]];
			if (meaning->is_elsewhere[meaning->codes[row]])
				into->number = chunk->numbers[row] + 0.0; /* -0 is 0 */
			into++;
		}
	}
	return into;
}

void query_cells_read(const struct mirror_view *view, const struct mirror_column *column,
		      const uint64_t *rows, struct cell *ret_cells)
{
	const struct mirror_kernels *kernels = mirror_kernels();
	auto_meaning meaning = { 0 };

	meaning.of_code = pl_alloc_array(column->distinct, sizeof(*meaning.of_code));
	meaning.is_elsewhere = pl_alloc(column->distinct);
	meaning.codes = pl_alloc_array(MIRROR_SEGMENT_ROWS, sizeof(*meaning.codes));
	for (uint32_t code = 0; code < column->distinct; code++) {
		const struct mirror_value *value = mirror_column_value(column, code);
		struct cell *cell = &meaning.of_code[code];
		cell->class = value->class;
		cell->code = value->same;
		cell->number = value->class == MIRROR_NUMBER ? value->number + 0.0 : 0;
		meaning.is_elsewhere[code] = value->is_elsewhere;
	}
	for (size_t i = 0; i < mirror_view_segments(view); i++, rows += MIRROR_SEGMENT_WORDS) {
		const struct chunk *chunk = mirror_column_chunk(column, i);
		if (kernels->count(rows, MIRROR_SEGMENT_WORDS) == 0)
			continue;
		mirror_chunk_decode(chunk, mirror_view_rows(view, i), meaning.codes);
		ret_cells = read_segment(&meaning, chunk, rows, ret_cells);
	}
}
