#include "query/order.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "result/quality.h"

/* ---- values --------------------------------------------------------------------------------- */

static const char *const run_statuses[] = {
#define STATUS(id, name, exit, results, error, run, text) #name,
#include "tbl/states.h"
	NULL,
};

const char *const *query_order_words(const char *id)
{
	if (strcmp(id, "quality.verdict") == 0)
		return res_quality_verdicts;
	if (strcmp(id, "run.status") == 0)
		return run_statuses;
	if (pl_text_starts(id, "quality.") && pl_text_ends(id, ".status"))
		return res_quality_statuses;
	return NULL;
}

static size_t position_among(const char *const *words, const char *text)
{
	size_t i = 0;

	while (words[i] != NULL && strcmp(words[i], text) != 0)
		i++;
	return i;
}

static int compare_sizes(size_t a, size_t b)
{
	return (a > b) - (a < b);
}

static int compare_numbers(double a, double b)
{
	return (a > b) - (a < b);
}

static int compare_texts(const char *const *words, const struct mirror_value *one,
			 const struct mirror_value *other)
{
	int difference = 0;

	if (words != NULL)
		difference = compare_sizes(position_among(words, one->text),
					   position_among(words, other->text));
	return difference != 0 ? difference : strcmp(one->text, other->text);
}

int query_order_positions(const char *const *words, const struct mirror_value *one,
			  const struct mirror_value *other)
{
	if (one->class != other->class)
		return one->class < other->class ? -1 : 1;
	if (one->class == MIRROR_NUMBER)
		return compare_numbers(one->number, other->number);
	if (one->class < MIRROR_TEXT)
		return 0;
	if (one->is_time != other->is_time)
		return one->is_time ? -1 : 1;
	if (one->is_time)
		return (one->time_us > other->time_us) - (one->time_us < other->time_us);
	return compare_texts(words, one, other);
}

int query_order_values(const char *const *words, const struct mirror_value *a,
		       const struct mirror_value *b)
{
	int difference = query_order_positions(words, a, b);

	return difference == 0 && a->is_time ? strcmp(a->text, b->text) : difference;
}

struct ranking {
	const struct mirror_column *column;
	const char *const *words;
	bool knows_words;
};

static int compare_codes(const void *a, const void *b, void *context)
{
	struct ranking *ranking = context;

	/* the ranks usually exist, and nothing is compared */
	if (!ranking->knows_words)
		ranking->words = query_order_words(ranking->column->field->id);
	ranking->knows_words = true;
	return query_order_positions(ranking->words,
				     mirror_column_value(ranking->column, *(const uint32_t *)a),
				     mirror_column_value(ranking->column, *(const uint32_t *)b));
}

struct ranks *query_order_ranks(const struct mirror_column *column)
{
	struct ranking ranking = { .column = column };

	return mirror_ranks_get(column->values->ranks, column->distinct, compare_codes, &ranking);
}

void query_order_put(const struct mirror_column *column, struct ranks *ranks)
{
	mirror_ranks_put(column->values->ranks, ranks);
}

uint64_t query_order_find(const struct mirror_column *column, const struct ranks *ranks,
			  const struct mirror_value *value)
{
	const char *const *words = query_order_words(column->field->id);
	uint32_t low = 0, high = ranks->count;

	/* the first one that is not before it */
	while (low < high) {
		uint32_t middle = low + (high - low) / 2;
		if (query_order_positions(words, mirror_column_value(column, ranks->order[middle]),
					  value) < 0)
			low = middle + 1;
		else
			high = middle;
	}
	if (low < ranks->count &&
	    query_order_positions(words, mirror_column_value(column, ranks->order[low]), value) ==
		    0)
		return 2ull * ranks->positions[ranks->order[low]] + 1;
	return low > 0 ? 2ull * ranks->positions[ranks->order[low - 1]] + 2 : 0;
}

/* ---- the first ------------------------------------------------------------------------------ */

struct heap {
	char *items;
	size_t count;
	size_t size;
	int (*compare)(const void *, const void *, void *);
	void *context;
};

static void swap(const struct heap *heap, size_t a, size_t b)
{
	char retained[QUERY_ORDER_ITEM_MAX];

	memcpy(retained, heap->items + a * heap->size, heap->size);
	memcpy(heap->items + a * heap->size, heap->items + b * heap->size, heap->size);
	memcpy(heap->items + b * heap->size, retained, heap->size);
}

static bool is_before(const struct heap *heap, size_t a, size_t b)
{
	return heap->compare(heap->items + a * heap->size, heap->items + b * heap->size,
			     heap->context) < 0;
}

/* The last item in the order is on top. */
static void sink(const struct heap *heap, size_t at)
{
	for (size_t child; (child = 2 * at + 1) < heap->count; at = child) {
		if (child + 1 < heap->count && is_before(heap, child, child + 1))
			child++;
		if (!is_before(heap, at, child))
			return;
		swap(heap, at, child);
	}
}

void query_order_first(void *items, size_t count, size_t size, size_t first,
		       int (*compare)(const void *, const void *, void *), void *context)
{
	struct heap heap = { items, first < count ? first : count, size, compare, context };

	assert(size <= QUERY_ORDER_ITEM_MAX);
	for (size_t i = heap.count / 2; first < count && i-- > 0;)
		sink(&heap, i);
	for (size_t i = heap.count; heap.count > 0 && i < count; i++) {
		if (is_before(&heap, i, 0)) {
			swap(&heap, i, 0);
			sink(&heap, 0);
		}
	}
	/* with none, the array may be NULL */
	if (heap.count > 0)
		qsort_r(items, heap.count, size, compare, context);
}
