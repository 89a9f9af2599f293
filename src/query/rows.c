/*
 * Finds the first rows. The keys of a row become numbers that compare like the values, so one comparison rejects most
 * rows. The best rows so far are kept in a heap.
 */
#include <stdlib.h>
#include <string.h>

#include "query/order.h"
#include "query/rows_priv.h"

/* The positions of values are below these two in both directions: null and not recorded come last. */
#define POSITION_NULL    (UINT64_MAX - 1)
#define POSITION_MISSING UINT64_MAX
/* After all numbers, the greatest of which is infinity. */
#define POSITION_OTHERS 0xfff8000000000000u

/* If all numbers have codes, the rank of a value is its position; else there is a table of positions. */
struct sort_key {
	const struct mirror_column *column;
	bool descends;
	struct ranks *ranks;
	uint64_t *positions; /* by code, without numbers that have no code; NULL: see above */
};

struct rows_order {
	const struct mirror_view *view;
	struct sort_key *keys;
	size_t count;
};

/* ---- positions --------------------------------------------------------------------------------- */

/* Returns an integer that increases with the number. */
static uint64_t position_of_number(double number)
{
	uint64_t bits;

	memcpy(&bits, &number, sizeof(bits));
	return bits >> 63 ? ~bits : bits | 1ull << 63;
}

static uint64_t turned(const struct sort_key *key, uint64_t position)
{
	return key->descends ? ~position : position;
}

/* `rank` is odd, so that a value that does not occur has a position between two others. */
static uint64_t position_of_rank(const struct sort_key *key, uint64_t rank)
{
	if (rank <= 3)
		return rank == 1 ? POSITION_MISSING : POSITION_NULL;
	return turned(key, rank);
}

static uint64_t position_of(const struct sort_key *key, const struct mirror_value *value,
			    uint64_t rank)
{
	if (value->class == MIRROR_NUMBER)
		return turned(key, position_of_number(value->number + 0.0));
	return value->class <= MIRROR_NULL ? position_of_rank(key, rank)
					   : turned(key, POSITION_OTHERS + rank);
}

static bool has_numbers_elsewhere(const struct mirror_column *column, size_t segments)
{
	for (size_t i = 0; i < segments; i++) {
		if (mirror_column_chunk(column, i)->numbers != NULL)
			return true;
	}
	return false;
}

struct rows_order *query_rows_order_new(const struct mirror_view *view, const struct rows_key *keys,
					size_t key_count)
{
	struct rows_order *order = pl_alloc(sizeof(*order));

	order->view = view;
	order->count = key_count;
	order->keys = pl_alloc_array(key_count, sizeof(*order->keys));
	for (size_t i = 0; i < key_count; i++) {
		struct sort_key *key = &order->keys[i];
		const struct mirror_column *column = keys[i].column;
		*key = (struct sort_key){ .column = column,
					  .descends = keys[i].descends,
					  .ranks = query_order_ranks(column) };
		if (!has_numbers_elsewhere(column, mirror_view_segments(view)))
			continue;
		key->positions = pl_alloc_array(column->distinct, sizeof(*key->positions));
		for (uint32_t code = 0; code < column->distinct; code++)
			key->positions[code] = position_of(key, mirror_column_value(column, code),
							   2ull * key->ranks->positions[code] + 1);
	}
	return order;
}

void query_rows_order_free(struct rows_order *order)
{
	if (order == NULL)
		return;
	for (size_t i = 0; i < order->count; i++) {
		query_order_put(order->keys[i].column, order->keys[i].ranks);
		free(order->keys[i].positions);
	}
	free(order->keys);
	free(order);
}

static uint64_t position_of_code(const struct sort_key *key, const struct chunk *chunk, size_t row,
				 uint32_t code)
{
	if (key->positions == NULL)
		return position_of_rank(key, 2ull * key->ranks->positions[code] + 1);
	if (chunk->numbers == NULL || !mirror_column_value(key->column, code)->is_elsewhere)
		return key->positions[code];
	return turned(key, position_of_number(chunk->numbers[row]));
}

void query_rows_positions(const struct rows_order *order, size_t row, uint64_t *ret_positions)
{
	size_t at = row % MIRROR_SEGMENT_ROWS;

	for (size_t i = 0; i < order->count; i++) {
		const struct sort_key *key = &order->keys[i];
		const struct chunk *chunk = mirror_column_chunk(key->column,
								row / MIRROR_SEGMENT_ROWS);
		ret_positions[i] = position_of_code(key, chunk, at, mirror_chunk_code(chunk, at));
	}
	ret_positions[order->count] = rows_position_of_id(mirror_view_id(order->view, row));
}

uint64_t query_rows_position_of(const struct rows_order *order, size_t key_at,
				const struct mirror_value *value)
{
	const struct sort_key *key = &order->keys[key_at];
	uint64_t rank = query_order_find(key->column, key->ranks, value);

	return key->positions != NULL ? position_of(key, value, rank) : position_of_rank(key, rank);
}

/* ---- the first ones ------------------------------------------------------------------------------ */

/* Items of `width` numbers: positions, followed by the row. The last item in the order is on top. */
struct heap {
	uint64_t *items;
	size_t width;
	size_t count;
	size_t room;
};

static int compare_positions(const uint64_t *a, const uint64_t *b, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		if (a[i] != b[i])
			return a[i] < b[i] ? -1 : 1;
	}
	return 0;
}

static void put(struct heap *heap, size_t at, const uint64_t *item)
{
	memcpy(heap->items + at * heap->width, item, heap->width * sizeof(*item));
}

static const uint64_t *item_at(const struct heap *heap, size_t at)
{
	return heap->items + at * heap->width;
}

static void add(struct heap *heap, const uint64_t *item)
{
	size_t at = heap->count++, positions = heap->width - 1;

	while (at > 0 && compare_positions(item_at(heap, (at - 1) / 2), item, positions) < 0) {
		put(heap, at, item_at(heap, (at - 1) / 2));
		at = (at - 1) / 2;
	}
	put(heap, at, item);
}

/* Replaces the top item. */
static void replace_top(struct heap *heap, const uint64_t *item)
{
	size_t at = 0, positions = heap->width - 1;

	for (size_t child; (child = 2 * at + 1) < heap->count; at = child) {
		if (child + 1 < heap->count &&
		    compare_positions(item_at(heap, child), item_at(heap, child + 1), positions) <
			    0)
			child++;
		if (compare_positions(item, item_at(heap, child), positions) >= 0)
			break;
		put(heap, at, item_at(heap, child));
	}
	put(heap, at, item);
}

static int compare_items(const void *a, const void *b, void *context)
{
	const struct heap *heap = context;

	return compare_positions(a, b, heap->width - 1);
}

struct search {
	const struct rows_order *order;
	const uint64_t *after;
	struct heap heap;
	uint64_t *item;
	size_t found;    /* rows after `after` */
	uint32_t *codes; /* of a complete segment, key by key */
	bool has_codes;  /* of this segment: it has enough rows */
	size_t segment;
};

static uint64_t position_at(const struct search *search, size_t key_at, size_t at)
{
	const struct sort_key *key = &search->order->keys[key_at];
	const struct chunk *chunk = mirror_column_chunk(key->column, search->segment);

	return position_of_code(key, chunk, at,
				search->has_codes ? search->codes[key_at * MIRROR_SEGMENT_ROWS + at]
						  : mirror_chunk_code(chunk, at));
}

/* The first position decides for most rows. */
static void take_row(struct search *search, size_t at)
{
	const struct mirror_view *view = search->order->view;
	size_t count = search->order->count, row = search->segment * MIRROR_SEGMENT_ROWS + at;
	struct heap *heap = &search->heap;
	uint64_t *item = search->item;
	bool is_full = heap->count == heap->room;

	item[0] = count > 0 ? position_at(search, 0, at)
			    : rows_position_of_id(mirror_view_id(view, row));
	if (search->after != NULL && item[0] < search->after[0])
		return;
	if (is_full && item[0] > item_at(heap, 0)[0] &&
	    (search->after == NULL || item[0] > search->after[0])) {
		search->found++;
		return;
	}
	for (size_t i = 1; i < count; i++)
		item[i] = position_at(search, i, at);
	item[count] = rows_position_of_id(mirror_view_id(view, row));
	item[count + 1] = row;
	if (search->after != NULL && compare_positions(item, search->after, count + 1) <= 0)
		return;
	search->found++;
	if (!is_full)
		add(heap, item);
	else if (compare_positions(item, item_at(heap, 0), count + 1) < 0)
		replace_top(heap, item);
}

/* From the last row to the first: of equal rows, the newest are taken first and rarely replaced. */
static void take_segment(struct search *search, size_t segment, const uint64_t *rows)
{
	const struct rows_order *order = search->order;
	size_t count = mirror_kernels()->count(rows, MIRROR_SEGMENT_WORDS);

	search->segment = segment;
	search->has_codes = count * MASK_FEW_PART > MIRROR_SEGMENT_ROWS;
	for (size_t i = 0; search->has_codes && i < order->count; i++)
		mirror_chunk_decode(mirror_column_chunk(order->keys[i].column, segment),
				    mirror_view_rows(order->view, segment),
				    search->codes + i * MIRROR_SEGMENT_ROWS);
	for (size_t word = MIRROR_SEGMENT_WORDS; count > 0 && word-- > 0;) {
		for (uint64_t bits = rows[word]; bits != 0;) {
			unsigned last = 63 - (unsigned)__builtin_clzll(bits);
			take_row(search, word * MIRROR_WORD_ROWS + last);
			bits ^= 1ull << last;
		}
	}
}

/* Returns the number of rows of the page and all before it, limited by the existing ones. */
static size_t room_of(const struct rows_order *order, const uint64_t *rows,
		      const struct rows_page *page)
{
	size_t count = mirror_kernels()->count(rows, mirror_view_words(order->view));

	return page->limit < count && page->offset < count - page->limit
		       ? page->offset + page->limit
		       : count;
}

void query_rows_of_page(const struct rows_order *order, const uint64_t *rows,
			struct rows_page *page)
{
	size_t width = order->count + 2;
	struct search search = {
		.order = order,
		.after = page->after,
		.heap = { .width = width, .room = room_of(order, rows, page) },
	};
	auto_free uint64_t *items = pl_alloc_array(search.heap.room, width * sizeof(*items));
	auto_free uint64_t *item = pl_alloc_array(width, sizeof(*item));
	auto_free uint32_t *codes = pl_alloc_array(order->count,
						   MIRROR_SEGMENT_ROWS * sizeof(*codes));

	page->count = page->left = 0;
	search.heap.items = items;
	search.item = item;
	search.codes = codes;
	if (page->limit == 0 || search.heap.room == 0)
		return;
	for (size_t segment = mirror_view_segments(order->view); segment-- > 0;)
		take_segment(&search, segment, rows + segment * MIRROR_SEGMENT_WORDS);
	qsort_r(items, search.heap.count, width * sizeof(*items), compare_items, &search.heap);
	for (size_t i = page->offset; i < search.heap.count && page->count < page->limit; i++)
		page->rows[page->count++] = (size_t)items[i * width + width - 1];
	if (search.found > page->offset + page->count)
		page->left = search.found - page->offset - page->count;
}
