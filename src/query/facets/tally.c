#include "query/facets/tally_priv.h"

#include <stdlib.h>
#include <string.h>

#include "base/stats.h"
#include "query/facets/distinct.h"
#include "query/order.h"

#define RANKED_MAX    4096 /* values: sorting more takes longer than searching for the first ones */
#define IN_ORDER_MIN  1024 /* rows */
#define IN_ORDER_PART 16   /* sorted numbers per row */

struct facet_rows {
	struct mask *masks; /* one per segment */
	size_t segments;
	size_t count;
};

struct facet_rows *query_facet_rows_new(const struct mirror_view *view, const uint64_t *rows)
{
	struct facet_rows *made = pl_alloc(sizeof(*made));

	made->segments = mirror_view_segments(view);
	made->masks = pl_alloc_array(made->segments, sizeof(*made->masks));
	for (size_t i = 0; i < made->segments; i++) {
		mirror_mask_init(&made->masks[i], rows + i * MIRROR_SEGMENT_WORDS,
				 mirror_view_rows(view, i));
		made->count += made->masks[i].count;
	}
	return made;
}

void query_facet_rows_free(struct facet_rows *rows)
{
	if (rows == NULL)
		return;
	for (size_t i = 0; i < rows->segments; i++)
		mirror_mask_done(&rows->masks[i]);
	free(rows->masks);
	free(rows);
}

size_t query_facet_rows_count(const struct facet_rows *rows)
{
	return rows->count;
}

void query_tally_done(struct tally *tally)
{
	free(tally->counts);
	free(tally->numbers);
	free(tally->counted);
	free(tally->values);
	mirror_numbers_put(tally->in_order);
	free(tally->in_order_counts);
	free(tally->codes);
}

/* Makes room for a number of items; their content is overwritten. */
static void make_room(void **items, size_t *room, size_t need, size_t item_size)
{
	if (need <= *room)
		return;
	free(*items);
	*items = pl_realloc_array(NULL, need, item_size);
	*room = need;
}

/* ---- codes --------------------------------------------------------------------------------------- */

/* Lists the codes with counts, sorted by value if sorting is cheap. */
static void find_codes(struct tally *tally, const struct mirror_column *column)
{
	bool is_one = column->distinct <= DICTIONARY_NULL + 2;
	struct ranks *ranks = !is_one && column->distinct <= RANKED_MAX ? query_order_ranks(column)
									: NULL;
	uint32_t end = ranks != NULL ? ranks->count : column->distinct;

	pl_grow((void **)&tally->codes, &tally->code_room, end, sizeof(*tally->codes));
	tally->code_count = 0;
	for (uint32_t i = 0; i < end; i++) {
		uint32_t code = ranks != NULL ? ranks->order[i] : i;
		/* there may be ranks of later values */
		if (code > DICTIONARY_NULL && code < column->distinct && tally->counts[code] > 0)
			tally->codes[tally->code_count++] = code;
	}
	tally->are_ranked = is_one || ranks != NULL;
	if (ranks != NULL)
		query_order_put(column, ranks);
}

void query_tally_column(struct tally *tally, const struct mirror_column *column,
			const struct facet_rows *rows)
{
	pl_grow((void **)&tally->counts, &tally->room, column->distinct, sizeof(*tally->counts));
	if (column->distinct > 0)
		memset(tally->counts, 0, column->distinct * sizeof(*tally->counts));
	for (size_t i = 0; i < rows->segments; i++)
		mirror_chunk_count(mirror_column_chunk(column, i), &rows->masks[i],
				   column->distinct, tally->counts);
	memset(tally->class_counts, 0, sizeof(tally->class_counts));
	tally->explicit_count = tally->elsewhere = 0;
	for (uint32_t code = 0; code < column->distinct; code++) {
		uint32_t count = tally->counts[code];
		if (count == 0)
			continue;
		const struct mirror_value *value = mirror_column_value(column, code);
		tally->class_counts[value->class] += count;
		tally->explicit_count += value->is_explicit ? count : 0;
		tally->elsewhere += value->is_elsewhere ? count : 0;
		if (value->same == code)
			continue;
		/* the first one has a lower code, so it was handled already */
		tally->counts[value->same] += count;
		tally->counts[code] = 0;
	}
	find_codes(tally, column);
	tally->value_count = tally->counted_count = 0;
}

/* ---- numbers without codes ------------------------------------------------------------------------- */

/* Returns the rows of the mask with such a number. */
static const uint64_t *rows_with_number(const struct chunk *chunk, const struct mask *mask,
					const uint8_t *wanted, uint32_t distinct,
					uint64_t found[MIRROR_SEGMENT_WORDS])
{
	if (chunk->form == CHUNK_CONSTANT && wanted[chunk->base])
		return mask->words;
	mirror_chunk_match(chunk, mask->rows, wanted, distinct, found);
	mirror_kernels()->and (found, found, mask->words, MIRROR_SEGMENT_WORDS);
	return found;
}

/* Removes the rows before `begin`. */
static const uint64_t *rows_from(size_t begin, const uint64_t *words,
				 uint64_t ret[MIRROR_SEGMENT_WORDS])
{
	if (words != ret)
		memcpy(ret, words, MIRROR_SEGMENT_WORDS * sizeof(*ret));
	memset(ret, 0, begin / 64 * sizeof(*ret));
	ret[begin / 64] &= UINT64_MAX << begin % 64;
	return ret;
}

/* Collects the numbers of rows that are not in `known`; NULL: of all. Returns their number. */
static size_t gather(struct tally *tally, const struct mirror_column *column,
		     const struct facet_rows *rows, const struct numbers *known)
{
	auto_free uint8_t *wanted = pl_alloc(column->distinct);
	uint64_t found[MIRROR_SEGMENT_WORDS];
	size_t count = 0;

	make_room((void **)&tally->numbers, &tally->number_room,
		  tally->elsewhere + MIRROR_GATHER_MORE, sizeof(*tally->numbers));
	for (uint32_t code = 0; code < column->distinct; code++)
		wanted[code] = mirror_column_value(column, code)->is_elsewhere;
	for (size_t i = 0; i < rows->segments && count < tally->elsewhere; i++) {
		const struct chunk *chunk = mirror_column_chunk(column, i);
		const struct mask *mask = &rows->masks[i];
		size_t begin = known != NULL ? numbers_known(known, i) : 0;
		if (chunk->numbers == NULL || mask->count == 0 || begin >= mask->rows)
			continue;
		/* the array ends with its last number */
		size_t end = mask->rows < chunk->number_room ? mask->rows : chunk->number_room;
		const uint64_t *words = rows_with_number(chunk, mask, wanted, column->distinct,
							 found);
		if (begin > 0)
			words = rows_from(begin, words, found);
		count += mirror_kernels()->gather_f64(chunk->numbers, end, words,
						      tally->numbers + count);
	}
	return count;
}

void query_tally_gather(struct tally *tally, const struct mirror_column *column,
			const struct facet_rows *rows)
{
	(void)gather(tally, column, rows, NULL);
}

static void count_gathered(struct tally *tally, size_t count)
{
	make_room((void **)&tally->counted, &tally->counted_room, count, sizeof(*tally->counted));
	tally->counted_count = query_distinct(tally->numbers, count, tally->counted);
}

/* Adds the numbers with codes. */
static void add_coded(struct tally *tally, const struct mirror_column *column)
{
	if (!mirror_column_has(column, MIRROR_NUMBER))
		return;
	for (size_t i = 0; i < tally->code_count; i++) {
		uint32_t code = tally->codes[i];
		const struct mirror_value *value = mirror_column_value(column, code);
		if (value->class == MIRROR_NUMBER && !value->is_elsewhere)
			*PL_PUSH(tally->counted, tally->counted_count, tally->counted_room) =
				(struct query_counted){ value->number, tally->counts[code] };
	}
}

/* Counts each number, with or without a code, in `counted`. */
static void count_numbers(struct tally *tally, const struct mirror_column *column,
			  const struct facet_rows *rows)
{
	if (tally->elsewhere > 0) {
		query_tally_gather(tally, column, rows);
		count_gathered(tally, tally->elsewhere);
	}
	add_coded(tally, column);
}

/* ---- sorted numbers ---------------------------------------------------------------------------------- */

/* A row that the sorted numbers do not cover may still have one of these numbers. */
static void add_unknown(struct tally *tally, const struct mirror_column *column,
			const struct facet_rows *rows)
{
	const struct query_rising in_order = { .numbers = tally->in_order->items,
					       .count = tally->in_order->count };
	size_t count = 0;

	count_gathered(tally, gather(tally, column, rows, tally->in_order));
	for (size_t i = 0; i < tally->counted_count; i++) {
		struct query_counted counted = tally->counted[i];
		size_t position = pl_stats_count_below(in_order.numbers, in_order.count,
						       counted.number);
		if (position < in_order.count && in_order.numbers[position] <= counted.number)
			tally->in_order_counts[position] += (uint32_t)counted.count;
		else
			tally->counted[count++] = counted;
	}
	tally->counted_count = count;
}

static void set_rising(struct tally *tally)
{
	const struct numbers *in_order = tally->in_order;
	const uint32_t *counts = tally->in_order_counts;
	size_t first = 0, end = in_order->count;

	tally->rising_distinct = 0;
	for (size_t i = 0; i < numbers_room(in_order); i += NUMBERS_BLOCK) {
		uint32_t there = 0;
		for (size_t k = 0; k < NUMBERS_BLOCK; k++)
			there += counts[i + k] > 0;
		tally->rising_distinct += there;
	}
	while (first < end && counts[first] == 0)
		first++;
	while (first < end && counts[end - 1] == 0)
		end--;
	tally->rising = (struct query_rising){ in_order->items + first, counts + first, end - first,
					       in_order->are_whole };
}

/* If the rows are so few that scanning the sorted numbers would take longer, counts them one by one. */
static bool take_order(struct tally *tally, const struct mirror_column *column,
		       const struct facet_rows *rows)
{
	mirror_numbers_put(tally->in_order);
	tally->in_order = NULL;
	tally->rising = (struct query_rising){ 0 };
	tally->rising_distinct = 0;
	if (tally->elsewhere < IN_ORDER_MIN)
		return false;
	tally->in_order = mirror_number_cache_take(column, rows->masks, rows->segments);
	return tally->in_order != NULL &&
	       tally->in_order->count / IN_ORDER_PART <= tally->elsewhere;
}

void query_tally_find_numbers(struct tally *tally, const struct mirror_column *column,
			      const struct facet_rows *rows)
{
	if (!take_order(tally, column, rows)) {
		count_numbers(tally, column, rows);
		return;
	}
	make_room((void **)&tally->in_order_counts, &tally->in_order_room,
		  numbers_room(tally->in_order), sizeof(*tally->in_order_counts));
	mirror_numbers_count(tally->in_order, rows->masks, rows->segments, tally->in_order_counts);
	add_unknown(tally, column, rows);
	add_coded(tally, column);
	set_rising(tally);
}

/* If all rows have such a number: returns whether one differs from the first. */
static bool numbers_vary(const struct mirror_column *column, const struct facet_rows *rows)
{
	const double *first = NULL;

	for (size_t i = 0; i < rows->segments; i++) {
		const double *numbers = mirror_column_chunk(column, i)->numbers;
		const uint64_t *words = rows->masks[i].words;
		for (size_t word = 0; rows->masks[i].count > 0 && word < MIRROR_SEGMENT_WORDS;
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

bool query_tally_varies(const struct tally *tally, const struct mirror_column *column,
			const struct facet_rows *rows)
{
	size_t different = (tally->elsewhere > 0) + (tally->class_counts[MIRROR_MISSING] > 0) +
			   (tally->class_counts[MIRROR_NULL] > 0);

	for (size_t i = 0; i < tally->code_count && different < 2; i++)
		different += !mirror_column_value(column, tally->codes[i])->is_elsewhere;
	return different > 1 ||
	       (different == 1 && tally->elsewhere > 1 && numbers_vary(column, rows));
}
