#include "query/groups/cells_priv.h"

#include <stdlib.h>

/* What codes mean. */
struct meaning {
	struct cell *of_code;
	uint8_t *is_elsewhere;
	uint32_t *codes; /* of a segment */
};

static void meaning_init(struct meaning *meaning, const struct store_column *column)
{
	meaning->of_code = pl_alloc_array(column->distinct, sizeof(*meaning->of_code));
	meaning->is_elsewhere = pl_alloc(column->distinct);
	meaning->codes = pl_alloc_array(STORE_SEGMENT_ROWS, sizeof(*meaning->codes));
	for (uint32_t code = 0; code < column->distinct; code++) {
		const struct store_value *value = store_column_value(column, code);
		struct cell *cell = &meaning->of_code[code];
		cell->class = value->class;
		cell->code = value->same;
		cell->number = value->class == STORE_NUMBER ? value->number + 0.0 : 0;
		meaning->is_elsewhere[code] = value->is_elsewhere;
	}
}

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
	for (size_t word = 0; word < STORE_SEGMENT_WORDS; word++) {
		for (uint64_t bits = rows[word]; bits != 0; bits &= bits - 1) {
			size_t row = word * STORE_WORD_ROWS + (size_t)__builtin_ctzll(bits);
			*into = meaning->of_code[meaning->codes[row]];
			if (meaning->is_elsewhere[meaning->codes[row]])
				into->number = chunk->numbers[row] + 0.0; /* -0 is 0 */
			into++;
		}
	}
	return into;
}

void cells_read(const struct store_view *view, const struct store_column *column,
		const uint64_t *rows, struct cell *ret_cells)
{
	const struct store_kernels *kernels = store_kernels();
	auto_meaning meaning = { 0 };

	meaning_init(&meaning, column);
	for (size_t i = 0; i < store_view_segments(view); i++, rows += STORE_SEGMENT_WORDS) {
		const struct chunk *chunk = store_column_chunk(column, i);
		if (kernels->count(rows, STORE_SEGMENT_WORDS) == 0)
			continue;
		chunk_decode(chunk, store_view_rows(view, i), meaning.codes);
		ret_cells = read_segment(&meaning, chunk, rows, ret_cells);
	}
}
