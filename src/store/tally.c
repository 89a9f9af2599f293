#include "store/tally_priv.h"

#include <stdlib.h>
#include <string.h>

#include "store/distinct.h"

struct facet_rows {
	struct mask *masks; /* one a segment */
	size_t segments;
	size_t count;
};

struct facet_rows *facet_rows_new(const struct store_view *view, const uint64_t *rows)
{
	struct facet_rows *made = pl_alloc(sizeof(*made));

	made->segments = store_view_segments(view);
	made->masks = pl_alloc_array(made->segments, sizeof(*made->masks));
	for (size_t i = 0; i < made->segments; i++) {
		mask_init(&made->masks[i], rows + i * STORE_SEGMENT_WORDS,
			  store_view_rows(view, i));
		made->count += made->masks[i].count;
	}
	return made;
}

void facet_rows_free(struct facet_rows *rows)
{
	if (rows == NULL)
		return;
	for (size_t i = 0; i < rows->segments; i++)
		mask_done(&rows->masks[i]);
	free(rows->masks);
	free(rows);
}

size_t facet_rows_count(const struct facet_rows *rows)
{
	return rows->count;
}

void tally_done(struct tally *tally)
{
	free(tally->counts);
	free(tally->numbers);
	free(tally->counted);
	free(tally->values);
}

/* ---- codes --------------------------------------------------------------------------------------- */

static void sum_up(struct tally *tally, const struct store_column *column)
{
	memset(tally->class_counts, 0, sizeof(tally->class_counts));
	tally->explicit_count = tally->elsewhere = 0;
	for (uint32_t code = 0; code < column->distinct; code++) {
		uint32_t count = tally->counts[code];
		if (count == 0)
			continue;
		const struct store_value *value = store_column_value(column, code);
		tally->class_counts[value->class] += count;
		tally->explicit_count += value->is_explicit ? count : 0;
		tally->elsewhere += value->is_elsewhere ? count : 0;
		if (value->same == code)
			continue;
		/* the first one has a lower code: it was passed already */
		tally->counts[value->same] += count;
		tally->counts[code] = 0;
	}
}

void tally_column(struct tally *tally, const struct store_column *column,
		  const struct facet_rows *rows)
{
	pl_grow((void **)&tally->counts, &tally->room, column->distinct, sizeof(*tally->counts));
	if (column->distinct > 0)
		memset(tally->counts, 0, column->distinct * sizeof(*tally->counts));
	for (size_t i = 0; i < rows->segments; i++)
		chunk_count(store_column_chunk(column, i), &rows->masks[i], column->distinct,
			    tally->counts);
	sum_up(tally, column);
	tally->value_count = tally->counted_count = 0;
}

/* ---- numbers that have no codes -------------------------------------------------------------------- */

/* The rows of the mask with such a number. */
static const uint64_t *rows_with_number(const struct chunk *chunk, const struct mask *mask,
					const uint8_t *wanted, uint32_t distinct,
					uint64_t found[STORE_SEGMENT_WORDS])
{
	if (chunk->form == CHUNK_CONSTANT && wanted[chunk->base])
		return mask->words;
	chunk_match(chunk, mask->rows, wanted, distinct, found);
	store_kernels()->and (found, found, mask->words, STORE_SEGMENT_WORDS);
	return found;
}

void tally_gather(struct tally *tally, const struct store_column *column,
		  const struct facet_rows *rows)
{
	auto_free uint8_t *wanted = pl_alloc(column->distinct);
	uint64_t found[STORE_SEGMENT_WORDS];
	size_t count = 0;

	pl_grow((void **)&tally->numbers, &tally->number_room, tally->elsewhere + STORE_GATHER_MORE,
		sizeof(*tally->numbers));
	for (uint32_t code = 0; code < column->distinct; code++)
		wanted[code] = store_column_value(column, code)->is_elsewhere;
	for (size_t i = 0; i < rows->segments && count < tally->elsewhere; i++) {
		const struct chunk *chunk = store_column_chunk(column, i);
		const struct mask *mask = &rows->masks[i];
		if (chunk->numbers == NULL || mask->count == 0)
			continue;
		/* the array ends with its last number */
		size_t end = mask->rows < chunk->number_room ? mask->rows : chunk->number_room;
		count += store_kernels()->gather_f64(
			chunk->numbers, end,
			rows_with_number(chunk, mask, wanted, column->distinct, found),
			tally->numbers + count);
	}
}

void tally_count_numbers(struct tally *tally, const struct store_column *column,
			 const struct facet_rows *rows)
{
	if (tally->elsewhere > 0) {
		tally_gather(tally, column, rows);
		pl_grow((void **)&tally->counted, &tally->counted_room, tally->elsewhere,
			sizeof(*tally->counted));
		tally->counted_count = store_distinct(tally->numbers, tally->elsewhere,
						      tally->counted);
	}
	for (uint32_t code = DICTIONARY_NULL + 1; code < column->distinct; code++) {
		const struct store_value *value = store_column_value(column, code);
		struct store_counted counted = { value->number, tally->counts[code] };
		if (value->class == STORE_NUMBER && !value->is_elsewhere && counted.count > 0)
			*PL_PUSH(tally->counted, tally->counted_count,
				 tally->counted_room) = counted;
	}
}

/* Where all rows have such a number: is one of them another than the first? */
static bool numbers_vary(const struct store_column *column, const struct facet_rows *rows)
{
	const double *first = NULL;

	for (size_t i = 0; i < rows->segments; i++) {
		const double *numbers = store_column_chunk(column, i)->numbers;
		const uint64_t *words = rows->masks[i].words;
		for (size_t word = 0; rows->masks[i].count > 0 && word < STORE_SEGMENT_WORDS;
		     word++) {
			for (uint64_t bits = words[word]; bits != 0; bits &= bits - 1) {
				const double *number =
					&numbers[word * 64 + (size_t)__builtin_ctzll(bits)];
				first = first != NULL ? first : number;
				if (*number < *first || *number > *first)
					return true;
			}
		}
	}
	return false;
}

bool tally_varies(const struct tally *tally, const struct store_column *column,
		  const struct facet_rows *rows)
{
	size_t different = tally->elsewhere > 0;

	for (uint32_t code = 0; code < column->distinct && different < 2; code++)
		different += tally->counts[code] > 0 &&
			     !store_column_value(column, code)->is_elsewhere;
	return different > 1 ||
	       (different == 1 && tally->elsewhere > 1 && numbers_vary(column, rows));
}

/* ---- the list -------------------------------------------------------------------------------------- */

static void push(struct tally *tally, const struct tally_value *value)
{
	*PL_PUSH(tally->values, tally->value_count, tally->value_room) = *value;
}

static void list_codes(struct tally *tally, const struct store_column *column, bool words)
{
	for (uint32_t code = DICTIONARY_NULL + 1; code < column->distinct; code++) {
		const struct store_value *value = store_column_value(column, code);
		struct tally_value listed = { *value, tally->counts[code] };
		/* an explicit null is counted as a null */
		if (listed.count > 0 && value->class > STORE_NUMBER &&
		    (value->class == STORE_TEXT) == words)
			push(tally, &listed);
	}
}

void tally_list_words(struct tally *tally, const struct store_column *column)
{
	list_codes(tally, column, true);
}

void tally_list_others(struct tally *tally, const struct store_column *column)
{
	list_codes(tally, column, false);
}

static int compare_counted(const void *a, const void *b)
{
	const struct store_counted *one = a, *other = b;

	if (one->count != other->count)
		return one->count > other->count ? -1 : 1;
	return (one->number > other->number) - (one->number < other->number);
}

/* Numbers come to the front of `counted`; twice as many as are wanted are put in order now and then, and so many
 * kept. How many they are then. */
static size_t keep_first(struct store_counted *counted, size_t count, size_t first)
{
	const struct store_counted *last = NULL;
	size_t kept = 0;

	for (size_t i = 0; i < count; i++) {
		if (last != NULL && compare_counted(&counted[i], last) > 0)
			continue;
		counted[kept++] = counted[i];
		if (kept < 2 * first)
			continue;
		qsort(counted, kept, sizeof(*counted), compare_counted);
		kept = first;
		last = &counted[kept - 1];
	}
	return kept;
}

void tally_list_numbers(struct tally *tally, size_t first)
{
	size_t count = tally->counted_count;

	if (first > 0 && first < count / 2)
		count = keep_first(tally->counted, count, first);
	for (size_t i = 0; i < count; i++)
		push(tally, &(struct tally_value){
				    { .class = STORE_NUMBER, .number = tally->counted[i].number },
				    tally->counted[i].count });
}
