#include "store/tally_priv.h"

#include <stdlib.h>
#include <string.h>

#include "store/distinct.h"

#define IN_ORDER_MIN  1024 /* rows */
#define IN_ORDER_PART 16   /* numbers in order a row */

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
	numbers_put(tally->in_order);
	free(tally->in_order_counts);
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

/* Without those in front of `begin`. */
static const uint64_t *rows_from(size_t begin, const uint64_t *words,
				 uint64_t ret[STORE_SEGMENT_WORDS])
{
	if (words != ret)
		memcpy(ret, words, STORE_SEGMENT_WORDS * sizeof(*ret));
	memset(ret, 0, begin / 64 * sizeof(*ret));
	ret[begin / 64] &= UINT64_MAX << begin % 64;
	return ret;
}

/* Of rows that are not known; NULL: of all. How many numbers they have. */
static size_t gather(struct tally *tally, const struct store_column *column,
		     const struct facet_rows *rows, const struct numbers *known)
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
		size_t begin = known != NULL ? numbers_known(known, i) : 0;
		if (chunk->numbers == NULL || mask->count == 0 || begin >= mask->rows)
			continue;
		/* the array ends with its last number */
		size_t end = mask->rows < chunk->number_room ? mask->rows : chunk->number_room;
		const uint64_t *words = rows_with_number(chunk, mask, wanted, column->distinct,
							 found);
		if (begin > 0)
			words = rows_from(begin, words, found);
		count += store_kernels()->gather_f64(chunk->numbers, end, words,
						     tally->numbers + count);
	}
	return count;
}

void tally_gather(struct tally *tally, const struct store_column *column,
		  const struct facet_rows *rows)
{
	(void)gather(tally, column, rows, NULL);
}

static void count_gathered(struct tally *tally, size_t count)
{
	pl_grow((void **)&tally->counted, &tally->counted_room, count, sizeof(*tally->counted));
	tally->counted_count = store_distinct(tally->numbers, count, tally->counted);
}

/* Numbers that have codes. */
static void add_coded(struct tally *tally, const struct store_column *column)
{
	if (!store_column_has(column, STORE_NUMBER))
		return;
	for (uint32_t code = DICTIONARY_NULL + 1; code < column->distinct; code++) {
		const struct store_value *value = store_column_value(column, code);
		struct store_counted counted = { value->number, tally->counts[code] };
		if (value->class == STORE_NUMBER && !value->is_elsewhere && counted.count > 0)
			*PL_PUSH(tally->counted, tally->counted_count,
				 tally->counted_room) = counted;
	}
}

void tally_count_numbers(struct tally *tally, const struct store_column *column,
			 const struct facet_rows *rows)
{
	if (tally->elsewhere > 0) {
		tally_gather(tally, column, rows);
		count_gathered(tally, tally->elsewhere);
	}
	add_coded(tally, column);
}

/* ---- numbers that are kept in order ------------------------------------------------------------------ */

/* A number of a row that the order does not know may be one of those that it does. */
static void add_unknown(struct tally *tally, const struct store_column *column,
			const struct facet_rows *rows)
{
	const struct store_rising in_order = { .numbers = tally->in_order->items,
					       .count = tally->in_order->count };
	size_t count = 0;

	count_gathered(tally, gather(tally, column, rows, tally->in_order));
	for (size_t i = 0; i < tally->counted_count; i++) {
		struct store_counted counted = tally->counted[i];
		size_t place = store_rising_find(&in_order, counted.number);
		if (place < in_order.count && in_order.numbers[place] <= counted.number)
			tally->in_order_counts[place] += (uint32_t)counted.count;
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
		for (size_t k = 0; k < NUMBERS_BLOCK; k++)
			tally->rising_distinct += counts[i + k] > 0;
	}
	while (first < end && counts[first] == 0)
		first++;
	while (first < end && counts[end - 1] == 0)
		end--;
	tally->rising = (struct store_rising){ in_order->items + first, counts + first, end - first,
					       in_order->are_whole };
}

/* Where rows are so few that the numbers in order were more to walk through, they are counted one by one. */
static bool take_order(struct tally *tally, const struct store_column *column,
		       const struct facet_rows *rows)
{
	numbers_put(tally->in_order);
	tally->in_order = NULL;
	tally->rising = (struct store_rising){ 0 };
	tally->rising_distinct = 0;
	if (tally->elsewhere < IN_ORDER_MIN)
		return false;
	tally->in_order = shelf_take(column, rows->masks, rows->segments);
	return tally->in_order != NULL &&
	       tally->in_order->count / IN_ORDER_PART <= tally->elsewhere;
}

void tally_find_numbers(struct tally *tally, const struct store_column *column,
			const struct facet_rows *rows)
{
	if (!take_order(tally, column, rows)) {
		tally_count_numbers(tally, column, rows);
		return;
	}
	pl_grow((void **)&tally->in_order_counts, &tally->in_order_room,
		numbers_room(tally->in_order), sizeof(*tally->in_order_counts));
	numbers_count(tally->in_order, rows->masks, rows->segments, tally->in_order_counts);
	add_unknown(tally, column, rows);
	add_coded(tally, column);
	set_rising(tally);
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
	const unsigned classes = words ? 1u << STORE_TEXT
				       : 1u << STORE_NO | 1u << STORE_YES | 1u << STORE_JSON;

	if ((column->classes & classes) == 0)
		return;
	for (uint32_t code = DICTIONARY_NULL + 1; code < column->distinct; code++) {
		const struct store_value *value = store_column_value(column, code);
		struct tally_value listed = { *value, tally->counts[code] };
		if (listed.count > 0 && (classes >> value->class & 1) != 0)
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

/* The first place from `at` on with more than so many rows. */
static size_t next_above(const struct store_rising *rising, size_t at, uint32_t least)
{
	for (; at + NUMBERS_BLOCK <= rising->count; at += NUMBERS_BLOCK) {
		uint32_t most = 0;
		for (size_t i = 0; i < NUMBERS_BLOCK; i++)
			most = rising->counts[at + i] > most ? rising->counts[at + i] : most;
		if (most > least)
			break;
	}
	while (at < rising->count && rising->counts[at] <= least)
		at++;
	return at;
}

/* The first so many of an order, of which the last is on top. Of those that are there as often the lower one is first,
 * and greater. */
struct heap {
	uint64_t *items;
	size_t count;
};

static uint64_t heap_item(uint32_t count, size_t place)
{
	return (uint64_t)count << 32 | (UINT32_MAX - (uint32_t)place);
}

static void heap_sink(struct heap *heap, uint64_t item)
{
	size_t at = 0;

	for (size_t child; (child = 2 * at + 1) < heap->count; at = child) {
		child += child + 1 < heap->count && heap->items[child + 1] < heap->items[child];
		if (heap->items[child] >= item)
			break;
		heap->items[at] = heap->items[child];
	}
	heap->items[at] = item;
}

static uint64_t heap_take(struct heap *heap)
{
	uint64_t top = heap->items[0];

	heap->count--;
	heap_sink(heap, heap->items[heap->count]);
	return top;
}

/* The heap has none yet, and room for `first`: the last that it keeps is on top then. */
static void heap_fill(const struct store_rising *rising, size_t first, struct heap *heap)
{
	size_t at = 0;

	for (; heap->count < first && (at = next_above(rising, at, 0)) < rising->count; at++) {
		size_t child = heap->count++;
		uint64_t item = heap_item(rising->counts[at], at);
		for (size_t parent; child > 0 && heap->items[parent = (child - 1) / 2] > item;
		     child = parent)
			heap->items[child] = heap->items[parent];
		heap->items[child] = item;
	}
	/* of those that are there as often the first was met first */
	while (at < rising->count &&
	       (at = next_above(rising, at, (uint32_t)(heap->items[0] >> 32))) < rising->count) {
		heap_sink(heap, heap_item(rising->counts[at], at));
		at++;
	}
}

/* Into `counted`, which has room for them. */
static void put_all(const struct store_rising *rising, struct store_counted *counted)
{
	for (size_t at = 0; (at = next_above(rising, at, 0)) < rising->count; at++)
		*counted++ = (struct store_counted){ rising->numbers[at], rising->counts[at] };
}

static void put_first(const struct store_rising *rising, size_t first,
		      struct store_counted *counted)
{
	auto_free uint64_t *items = pl_realloc_array(NULL, first, sizeof(*items));
	struct heap heap = { .items = items };

	heap_fill(rising, first, &heap);
	while (heap.count > 0) {
		uint64_t item = heap_take(&heap);
		size_t place = UINT32_MAX - (uint32_t)item;
		counted[heap.count] = (struct store_counted){ rising->numbers[place], item >> 32 };
	}
}

/* So many of the rising ones join the counted ones; 0: all. */
static void push_rising(struct tally *tally, size_t first)
{
	bool are_all = first == 0 || first >= tally->rising_distinct;
	size_t count = are_all ? tally->rising_distinct : first;

	/* then there may be no place to count them in */
	if (count == 0)
		return;
	pl_grow((void **)&tally->counted, &tally->counted_room, tally->counted_count + count,
		sizeof(*tally->counted));
	if (are_all)
		put_all(&tally->rising, tally->counted + tally->counted_count);
	else
		put_first(&tally->rising, first, tally->counted + tally->counted_count);
	tally->counted_count += count;
}

void tally_list_numbers(struct tally *tally, size_t first)
{
	push_rising(tally, first);
	size_t count = tally->counted_count;

	if (first > 0 && first < count / 2)
		count = keep_first(tally->counted, count, first);
	for (size_t i = 0; i < count; i++)
		push(tally, &(struct tally_value){
				    { .class = STORE_NUMBER, .number = tally->counted[i].number },
				    tally->counted[i].count });
}
