#include "store/tally_priv.h"

#include <stdlib.h>
#include <string.h>

#define HASH_MULTIPLIER 0x9e3779b97f4a7c15u

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
	tally->value_count = 0;
}

/* ---- numbers that have no codes -------------------------------------------------------------------- */

typedef void number_fn(void *context, double number);

static void each_number(const struct store_column *column, const struct facet_rows *rows,
			number_fn *take, void *context)
{
	auto_free uint8_t *wanted = pl_alloc(column->distinct);
	uint64_t found[STORE_SEGMENT_WORDS];

	for (uint32_t code = 0; code < column->distinct; code++)
		wanted[code] = store_column_value(column, code)->is_elsewhere;
	for (size_t i = 0; i < rows->segments; i++) {
		const struct chunk *chunk = store_column_chunk(column, i);
		const struct mask *mask = &rows->masks[i];
		if (chunk->numbers == NULL || mask->count == 0)
			continue;
		chunk_match(chunk, mask->rows, wanted, column->distinct, found);
		for (size_t word = 0; word < STORE_SEGMENT_WORDS; word++) {
			for (uint64_t bits = found[word] & mask->words[word]; bits != 0;
			     bits &= bits - 1) {
				size_t row = word * 64 + (size_t)__builtin_ctzll(bits);
				take(context, chunk->numbers[row]);
			}
		}
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

/* A hash whose free slots have a count of 0. */
struct numbers {
	struct tally_value *slots;
	unsigned bits;
};

static void count_number(void *context, double number)
{
	struct numbers *numbers = context;
	uint64_t key, mask = (1ull << numbers->bits) - 1;

	number += 0.0; /* -0 is 0 */
	memcpy(&key, &number, sizeof(key));
	for (uint64_t at = key * HASH_MULTIPLIER >> (64 - numbers->bits);; at++) {
		struct tally_value *slot = &numbers->slots[at & mask];
		if (slot->count == 0)
			slot->value = (struct store_value){ .class = STORE_NUMBER,
							    .number = number };
		else if (memcmp(&slot->value.number, &number, sizeof(number)) != 0)
			continue;
		slot->count++;
		return;
	}
}

static void push(struct tally *tally, const struct tally_value *value)
{
	*PL_PUSH(tally->values, tally->value_count, tally->value_room) = *value;
}

void tally_list_numbers(struct tally *tally, const struct store_column *column,
			const struct facet_rows *rows)
{
	struct numbers numbers = { .bits = 4 };

	if (tally->elsewhere == 0)
		return;
	while ((1ull << numbers.bits) < tally->elsewhere * 2)
		numbers.bits++;
	numbers.slots = pl_alloc_array(1ull << numbers.bits, sizeof(*numbers.slots));
	each_number(column, rows, count_number, &numbers);
	for (size_t i = 0; i < 1ull << numbers.bits; i++) {
		if (numbers.slots[i].count > 0)
			push(tally, &numbers.slots[i]);
	}
	free(numbers.slots);
}

/* ---- the list -------------------------------------------------------------------------------------- */

static void list_codes(struct tally *tally, const struct store_column *column, bool words)
{
	for (uint32_t code = DICTIONARY_NULL + 1; code < column->distinct; code++) {
		const struct store_value *value = store_column_value(column, code);
		struct tally_value listed = { *value, tally->counts[code] };
		/* an explicit null is counted as a null */
		if (listed.count > 0 && value->class > STORE_NULL && !value->is_elsewhere &&
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
