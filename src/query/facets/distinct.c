/*
 * A hash table of a hundred thousand numbers exceeds the L1 and L2 caches, so each lookup would wait. The numbers are
 * partitioned by the first bits of their hash, so that the table of each part fits.
 */
#include "query/facets/distinct.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

#define HASH_MULTIPLIER 0x9e3779b97f4a7c15u
#define PART_NUMBERS    256 /* at least, on average */
#define PART_BITS_MAX   10
#define SLOT_BITS_MIN   10

/* A hash table of the numbers in one part. */
struct table {
	uint32_t *slots; /* index in `list` + 1; 0: free */
	unsigned bits;   /* 2 to the power of `bits` slots */
	size_t room;
	struct query_counted *list;
	size_t count;
};

static uint64_t hash_of(double number)
{
	uint64_t bits;

	memcpy(&bits, &number, sizeof(bits));
	return bits * HASH_MULTIPLIER;
}

/* The first bits of the hash select the part. */
static size_t slot_of(const struct table *table, double number)
{
	return hash_of(number) << PART_BITS_MAX >> (64 - table->bits);
}

static void begin(struct table *table, struct query_counted *list, unsigned bits)
{
	size_t slots = (size_t)1 << bits;

	pl_grow((void **)&table->slots, &table->room, slots, sizeof(*table->slots));
	memset(table->slots, 0, slots * sizeof(*table->slots));
	table->bits = bits;
	table->list = list;
}

/* Half of the slots stay free. */
static void widen(struct table *table)
{
	begin(table, table->list, table->bits + 1);
	size_t mask = ((size_t)1 << table->bits) - 1;
	for (size_t i = 0; i < table->count; i++) {
		size_t at = slot_of(table, table->list[i].number);
		while (table->slots[at] != 0)
			at = (at + 1) & mask;
		table->slots[at] = (uint32_t)i + 1;
	}
}

/*
 * Adds as many numbers as there is room for. Each is first written after the end of the list, so that a free slot
 * matches it: no branch depends on whether a number is new, because it would be mispredicted half of the time.
 */
static size_t add_some(struct table *table, const double *numbers, size_t count)
{
	/* a local copy, because members would be loaded again after each store of a number */
	struct table here = *table;
	size_t mask = ((size_t)1 << here.bits) - 1, i = 0;

	for (; i < count && here.count * 2 <= mask; i++) {
		double number = numbers[i];
		size_t at = slot_of(&here, number), position;
		here.list[here.count] = (struct query_counted){ number, 0 };
		while (position = here.slots[at] == 0 ? here.count : here.slots[at] - 1,
		       memcmp(&here.list[position].number, &number, sizeof(number)) != 0)
			at = (at + 1) & mask;
		here.slots[at] = (uint32_t)position + 1;
		here.list[position].count++;
		here.count += position == here.count;
	}
	table->count = here.count;
	return i;
}

static size_t count_part(struct table *table, const double *numbers, size_t count,
			 struct query_counted *ret)
{
	table->count = 0;
	begin(table, ret, SLOT_BITS_MIN);
	for (size_t i = 0; (i += add_some(table, numbers + i, count - i)) < count;)
		widen(table);
	return table->count;
}

size_t query_distinct(const double *numbers, size_t count, struct query_counted *ret)
{
	size_t ends[1u << PART_BITS_MAX] = { 0 }, found = 0, from = 0;
	struct table table = { .slots = NULL };
	auto_free double *parted = NULL;
	unsigned bits = 0;

	if (count == 0)
		return 0;
	while (bits < PART_BITS_MAX && (size_t)PART_NUMBERS * 2 << bits <= count)
		bits++;
	ends[0] = count;
	if (bits > 0) {
		ends[0] = 0;
		parted = pl_realloc_array(NULL, count, sizeof(*parted));
		/* ends[i]: end of part i. */
		size_t parts = 1u << bits, before = 0;
		for (size_t i = 0; i < count; i++)
			ends[hash_of(numbers[i]) >> (64 - bits)]++;
		/* first the start of each part, then incremented with each number */
		for (size_t i = 0; i < parts; i++) {
			size_t numbers_of_part = ends[i];
			ends[i] = before;
			before += numbers_of_part;
		}
		for (size_t i = 0; i < count; i++)
			parted[ends[hash_of(numbers[i]) >> (64 - bits)]++] = numbers[i];
	}
	for (size_t i = 0; i < 1u << bits; from = ends[i++])
		found += count_part(&table, (bits > 0 ? parted : numbers) + from, ends[i] - from,
				    ret + found);
	free(table.slots);
	return found;
}
