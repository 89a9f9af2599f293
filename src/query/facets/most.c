#include "query/facets/most.h"

#include "base/mem.h"

/* The last of the kept items is on top. With equal counts, the lower index comes first, and so the greater item. */
struct heap {
	uint64_t *items;
	size_t count;
};

static uint64_t item_of(uint32_t count, size_t position)
{
	return (uint64_t)count << 32 | (UINT32_MAX - (uint32_t)position);
}

static void sink(struct heap *heap, uint64_t item)
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

size_t query_most_next(const uint32_t *counts, size_t count, size_t at, uint32_t least)
{
	for (; at + QUERY_MOST_BLOCK <= count; at += QUERY_MOST_BLOCK) {
		uint32_t above = 0;
		for (size_t i = 0; i < QUERY_MOST_BLOCK; i++)
			above |= (int32_t)counts[at + i] > (int32_t)least;
		if (above != 0)
			break;
	}
	while (at < count && counts[at] <= least)
		at++;
	return at;
}

/* The heap is empty, with room for `first`. */
static void fill(const uint32_t *counts, size_t count, size_t first, struct heap *heap)
{
	size_t at = 0;

	for (; heap->count < first && (at = query_most_next(counts, count, at, 0)) < count; at++) {
		size_t child = heap->count++;
		uint64_t item = item_of(counts[at], at);
		for (size_t parent; child > 0 && heap->items[parent = (child - 1) / 2] > item;
		     child = parent)
			heap->items[child] = heap->items[parent];
		heap->items[child] = item;
	}
	/* of equal counts, the first one was found first */
	while (at < count && (at = query_most_next(counts, count, at,
						   (uint32_t)(heap->items[0] >> 32))) < count) {
		sink(heap, item_of(counts[at], at));
		at++;
	}
}

size_t query_most(const uint32_t *counts, size_t count, size_t first, uint32_t *ret_positions)
{
	auto_free uint64_t *items = pl_realloc_array(NULL, first, sizeof(*items));
	struct heap heap = { .items = items };

	if (first > 0)
		fill(counts, count, first, &heap);
	size_t found = heap.count;
	while (heap.count > 0) {
		uint64_t item = heap.items[0];
		heap.count--;
		sink(&heap, heap.items[heap.count]);
		ret_positions[heap.count] = UINT32_MAX - (uint32_t)item;
	}
	return found;
}
