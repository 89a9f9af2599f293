#include "base/sort.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

#define SIGN_BIT   (UINT64_C(1) << 63)
#define DIGIT_BITS 11
#define DIGITS     6 /* 6 x 11 bits hold 64 */
#define VALUES     (1u << DIGIT_BITS)

/* From this size on, counting digits takes less time than comparing. */
#define DIGITS_COUNT_MIN 1024

/* Negative numbers have their bits inverted, the others only the sign. */
uint64_t pl_sort_key(double number)
{
	uint64_t bits;

	memcpy(&bits, &number, sizeof(bits));
	if (isnan(number))
		return UINT64_MAX;
	return (bits & SIGN_BIT) != 0 ? ~bits : bits | SIGN_BIT;
}

double pl_sort_number(uint64_t key)
{
	uint64_t bits = (key & SIGN_BIT) != 0 ? key & ~SIGN_BIT : ~key;
	double number;

	memcpy(&number, &bits, sizeof(number));
	return number;
}

/* Merges two sorted halves, so that equal keys stay in their order. */
static void sort_few(struct pl_sort_item *items, size_t count, struct pl_sort_item *spare)
{
	size_t half = count / 2, left = 0, right = half;

	if (count < 2)
		return;
	sort_few(items, half, spare);
	sort_few(items + half, count - half, spare);
	memcpy(spare, items, count * sizeof(*items));
	for (size_t i = 0; i < count; i++) {
		bool is_left = right == count ||
			       (left < half && spare[left].key <= spare[right].key);
		items[i] = spare[is_left ? left++ : right++];
	}
}

static unsigned digit_of(uint64_t key, unsigned digit)
{
	return (unsigned)(key >> (DIGIT_BITS * digit)) & (VALUES - 1);
}

/* Sorts by one digit after another, the lowest first; each pass is stable. */
static void sort_many(struct pl_sort_item *items, size_t count, struct pl_sort_item *spare)
{
	auto_free size_t(*counts)[VALUES] = pl_alloc_array(DIGITS, sizeof(*counts));
	struct pl_sort_item *from = items, *to = spare;

	for (size_t i = 0; i < count; i++) {
		for (unsigned digit = 0; digit < DIGITS; digit++)
			counts[digit][digit_of(items[i].key, digit)]++;
	}
	for (unsigned digit = 0; digit < DIGITS; digit++) {
		size_t at = 0;
		/* all keys have the same digit, as the exponents of similar numbers do */
		if (counts[digit][digit_of(from[0].key, digit)] == count)
			continue;
		for (size_t value = 0; value < VALUES; value++) {
			size_t here = counts[digit][value];
			counts[digit][value] = at;
			at += here;
		}
		for (size_t i = 0; i < count; i++)
			to[counts[digit][digit_of(from[i].key, digit)]++] = from[i];
		struct pl_sort_item *other = from;
		from = to;
		to = other;
	}
	if (from != items)
		memcpy(items, from, count * sizeof(*items));
}

void pl_sort_items(struct pl_sort_item *items, size_t count)
{
	auto_free struct pl_sort_item *spare = pl_alloc_array(count + 1, sizeof(*spare));

	if (count >= DIGITS_COUNT_MIN)
		sort_many(items, count, spare);
	else
		sort_few(items, count, spare);
}
