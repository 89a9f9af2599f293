/* The list of counted values, and selecting the first ones. */
#include <stdlib.h>
#include <string.h>

#include "query/facets/most.h"
#include "query/facets/tally_priv.h"
#include "query/order.h"

static void push(struct tally *tally, const struct tally_value *value)
{
	*PL_PUSH(tally->values, tally->value_count, tally->value_room) = *value;
}

/* A point in time may have several spellings, which have equal ranks; codes are sorted by rank. */
static void settle_time(struct tally *tally)
{
	struct tally_value *values = tally->values, last = values[tally->value_count - 1];
	size_t at = tally->value_count - 1;

	for (; at > 0 && values[at - 1].value.is_time &&
	       values[at - 1].value.time_us == last.value.time_us &&
	       strcmp(values[at - 1].value.text, last.value.text) > 0;
	     at--)
		values[at] = values[at - 1];
	values[at] = last;
}

static void list_codes(struct tally *tally, const struct mirror_column *column, bool words)
{
	const unsigned classes = words ? 1u << MIRROR_TEXT
				       : 1u << MIRROR_NO | 1u << MIRROR_YES | 1u << MIRROR_JSON;

	if ((column->classes & classes) == 0)
		return;
	for (size_t i = 0; i < tally->code_count; i++) {
		uint32_t code = tally->codes[i];
		const struct mirror_value *value = mirror_column_value(column, code);
		if ((classes >> value->class & 1) == 0)
			continue;
		push(tally, &(struct tally_value){ *value, tally->counts[code] });
		if (value->is_time && tally->are_ranked)
			settle_time(tally);
	}
}

void query_tally_list_words(struct tally *tally, const struct mirror_column *column)
{
	list_codes(tally, column, true);
}

void query_tally_list_others(struct tally *tally, const struct mirror_column *column)
{
	list_codes(tally, column, false);
}

/* ---- numbers --------------------------------------------------------------------------------------- */

static int compare_counted(const void *a, const void *b)
{
	const struct query_counted *one = a, *other = b;

	if (one->count != other->count)
		return one->count > other->count ? -1 : 1;
	return (one->number > other->number) - (one->number < other->number);
}

/*
 * Moves the least numbers to the front of `counted`: repeatedly sorts twice as many as needed and keeps the first half.
 * Returns their number.
 */
static size_t keep_first(struct query_counted *counted, size_t count, size_t first)
{
	const struct query_counted *last = NULL;
	size_t retained = 0;

	for (size_t i = 0; i < count; i++) {
		if (last != NULL && compare_counted(&counted[i], last) > 0)
			continue;
		counted[retained++] = counted[i];
		if (retained < 2 * first)
			continue;
		qsort(counted, retained, sizeof(*counted), compare_counted);
		retained = first;
		last = &counted[retained - 1];
	}
	return retained;
}

/* Appends to `counted`, which has room. */
static void put_all(const struct query_rising *rising, struct query_counted *counted)
{
	for (size_t at = 0;
	     (at = query_most_next(rising->counts, rising->count, at, 0)) < rising->count; at++)
		*counted++ = (struct query_counted){ rising->numbers[at], rising->counts[at] };
}

static void put_first(const struct query_rising *rising, size_t first,
		      struct query_counted *counted)
{
	auto_free uint32_t *positions = pl_realloc_array(NULL, first, sizeof(*positions));
	size_t count = query_most(rising->counts, rising->count, first, positions);

	for (size_t i = 0; i < count; i++)
		counted[i] = (struct query_counted){ rising->numbers[positions[i]],
						     rising->counts[positions[i]] };
}

/* Moves this number of ascending numbers to the list; 0: all. */
static void push_rising(struct tally *tally, size_t first)
{
	bool are_all = first == 0 || first >= tally->rising_distinct;
	size_t count = are_all ? tally->rising_distinct : first;

	/* then there may be no array of counts */
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

/* Those with codes are sorted, and there are no others. */
static bool are_rising(const struct tally *tally)
{
	return tally->are_ranked && tally->elsewhere == 0;
}

void query_tally_list_numbers(struct tally *tally, size_t first)
{
	push_rising(tally, first);
	size_t count = tally->counted_count;

	if (first > 0 && first < count / 2 && !are_rising(tally))
		count = keep_first(tally->counted, count, first);
	for (size_t i = 0; i < count; i++)
		push(tally, &(struct tally_value){
				    { .class = MIRROR_NUMBER, .number = tally->counted[i].number },
				    tally->counted[i].count });
}

/* ---- the first ones -------------------------------------------------------------------------------- */

static int compare_values(const void *a, const void *b, void *words)
{
	const struct tally_value *one = a, *other = b;

	return query_order_values(words, &one->value, &other->value);
}

static int compare_counts(const void *a, const void *b, void *words)
{
	const struct tally_value *one = a, *other = b;

	if (one->count != other->count)
		return one->count > other->count ? -1 : 1;
	return compare_values(a, b, words);
}

/* The values are sorted: of equally frequent ones, the first comes first. */
static void put_most(struct tally *tally, size_t first)
{
	auto_free uint32_t *counts = pl_realloc_array(NULL, tally->value_count, sizeof(*counts));
	auto_free uint32_t *positions = pl_realloc_array(NULL, first, sizeof(*positions));
	auto_free struct tally_value *found = pl_realloc_array(NULL, first, sizeof(*found));

	for (size_t i = 0; i < tally->value_count; i++)
		counts[i] = (uint32_t)tally->values[i].count;
	size_t count = query_most(counts, tally->value_count, first, positions);
	for (size_t i = 0; i < count; i++)
		found[i] = tally->values[positions[i]];
	if (count > 0)
		memcpy(tally->values, found, count * sizeof(*found));
}

void query_tally_put_first(struct tally *tally, const struct mirror_column *column, size_t first,
			   enum tally_by by)
{
	bool by_count = by == TALLY_BY_COUNT;

	/* Each class is sorted, and they are listed class by class. */
	bool rise = are_rising(tally);
	for (size_t i = 1; i < tally->value_count && rise; i++)
		rise = tally->values[i - 1].value.class <= tally->values[i].value.class;
	if (!rise)
		query_order_first(tally->values, tally->value_count, sizeof(*tally->values), first,
				  by_count ? compare_counts : compare_values,
				  (void *)query_order_words(column->field->id));
	else if (by_count)
		put_most(tally, first);
}
