#include "result/match/nearest.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/mem.h"
#include "result/fields/values.h"

/* A configuration: the code of the value of each input; 0: none. */
struct row {
	const uint32_t *codes;
	uint64_t hash; /* the sum of the hashes of all inputs */
};

struct search {
	size_t inputs; /* that differ at all */
	struct row *cells, *others;
	size_t count, other_count;
	uint32_t *codes;
	size_t *nearest;
	size_t *distance; /* of the nearest one; SIZE_MAX: none yet */
	size_t *table;    /* index of others + 1, by hash; 0: free */
	size_t slots;     /* a power of 2 */
	size_t work;
};

static void search_done(struct search *search)
{
	free(search->cells);
	free(search->others);
	free(search->codes);
	free(search->distance);
	free(search->table);
}
#define auto_search __attribute__((cleanup(search_done))) struct search

/* ---- codes ----------------------------------------------------------------------------------- */

/* Gives each value of an input a number. */
static uint32_t code_of(json_t *dictionary, const json_t *value)
{
	if (value == NULL || json_is_null(value))
		return 0;
	auto_free char *text = res_field_canonical(value);
	json_t *known = json_object_get(dictionary, text);
	if (known == NULL) {
		known = json_integer((json_int_t)json_object_size(dictionary) + 1);
		json_object_set_new(dictionary, text, known);
	}
	return (uint32_t)json_integer_value(known);
}

/* Returns whether the rows differ in the input. `codes` has room for all rows. */
static bool read_input(const char *id, const json_t *const *cells, size_t count,
		       const json_t *const *others, size_t other_count, uint32_t *codes)
{
	auto_json json_t *dictionary = json_object();
	bool differs = false;

	for (size_t i = 0; i < count + other_count; i++) {
		const json_t *inputs = i < count ? cells[i] : others[i - count];
		codes[i] = code_of(dictionary, json_object_get(inputs, id));
		differs |= codes[i] != codes[0];
	}
	return differs;
}

/* Sums of these are hashes of sets of inputs: those of a subset are subtracted. */
static uint64_t hash_of(size_t input, uint32_t code)
{
	uint64_t hash = pl_hash_bytes(PL_HASH_NONE, &input, sizeof(input));

	return pl_hash_bytes(hash, &code, sizeof(code));
}

static json_t *ids_of(const json_t *const *cells, size_t count, const json_t *const *others,
		      size_t other_count)
{
	json_t *ids = json_object();

	for (size_t i = 0; i < count + other_count; i++) {
		const json_t *inputs = i < count ? cells[i] : others[i - count];
		PL_JSON_EACH_MEMBER(id, ignored, inputs)
			json_object_set_new(ids, id, json_null());
	}
	return ids;
}

static void make_rows(struct search *search, struct row *rows, size_t count, size_t first)
{
	for (size_t i = 0; i < count; i++) {
		rows[i].codes = search->codes + (first + i) * search->inputs;
		for (size_t k = 0; k < search->inputs; k++)
			rows[i].hash += hash_of(k, rows[i].codes[k]);
	}
}

static void read_rows(struct search *search, const json_t *const *cells,
		      const json_t *const *others)
{
	size_t rows = search->count + search->other_count;
	auto_json json_t *ids = ids_of(cells, search->count, others, search->other_count);
	size_t most = json_object_size(ids);
	auto_free uint32_t *columns = pl_alloc_array(most * rows + 1, sizeof(*columns));

	PL_JSON_EACH_MEMBER(id, ignored, ids) {
		if (read_input(id, cells, search->count, others, search->other_count,
			       columns + search->inputs * rows))
			search->inputs++;
	}
	search->codes = pl_alloc_array(search->inputs * rows + 1, sizeof(*search->codes));
	for (size_t k = 0; k < search->inputs; k++) {
		for (size_t i = 0; i < rows; i++)
			search->codes[i * search->inputs + k] = columns[k * rows + i];
	}
	make_rows(search, search->cells, search->count, 0);
	make_rows(search, search->others, search->other_count, search->count);
}

static size_t distance_of(const struct search *search, const struct row *one,
			  const struct row *other)
{
	size_t distance = 0;

	for (size_t k = 0; k < search->inputs; k++)
		distance += one->codes[k] != other->codes[k];
	return distance;
}

static void offer(struct search *search, size_t cell, size_t other, size_t distance)
{
	if (distance > search->distance[cell] ||
	    (distance == search->distance[cell] && other >= search->nearest[cell]))
		return;
	search->distance[cell] = distance;
	search->nearest[cell] = other;
}

/* ---- equal without some inputs ---------------------------------------------------------------- */

static uint64_t hash_without(const struct row *row, const size_t *without, size_t size)
{
	uint64_t hash = row->hash;

	for (size_t i = 0; i < size; i++)
		hash -= hash_of(without[i], row->codes[without[i]]);
	return hash ^ hash >> 32;
}

static bool are_equal_without(const struct search *search, const struct row *one,
			      const struct row *other, const size_t *without, size_t size)
{
	size_t distance = distance_of(search, one, other);

	for (size_t i = 0; i < size; i++)
		distance -= one->codes[without[i]] != other->codes[without[i]];
	return distance == 0;
}

/* Returns the slot of the row: that of the first other one that is equal to it, or a free one. */
static size_t *slot_of(struct search *search, const struct row *row, const size_t *without,
		       size_t size)
{
	size_t at = (size_t)hash_without(row, without, size) & (search->slots - 1);

	while (search->table[at] != 0 &&
	       !are_equal_without(search, row, &search->others[search->table[at] - 1], without,
				  size))
		at = (at + 1) & (search->slots - 1);
	search->work++;
	return &search->table[at];
}

static void meet(struct search *search, const size_t *without, size_t size)
{
	memset(search->table, 0, search->slots * sizeof(*search->table));
	for (size_t i = 0; i < search->other_count; i++) {
		size_t *slot = slot_of(search, &search->others[i], without, size);
		if (*slot == 0)
			*slot = i + 1;
	}
	for (size_t i = 0; i < search->count; i++) {
		/* one that is nearer was found with fewer inputs */
		if (search->distance[i] < size)
			continue;
		const size_t *slot = slot_of(search, &search->cells[i], without, size);
		if (*slot != 0)
			offer(search, i, *slot - 1, size);
	}
}

/* Advances to the next set of `size` of `count` inputs in order. Returns false after the last one. */
static bool next_set(size_t *set, size_t size, size_t count)
{
	for (size_t i = size; i-- > 0;) {
		if (set[i] >= count - size + i)
			continue;
		set[i]++;
		for (size_t k = i + 1; k < size; k++)
			set[k] = set[k - 1] + 1;
		return true;
	}
	return false;
}

/* Returns the number of sets, or at least `max`. */
static size_t count_sets(size_t size, size_t count, size_t max)
{
	size_t sets = 1, most = size < count - size ? size : count - size;

	for (size_t i = 0; i < most && sets < max; i++)
		sets = sets * (count - i) / (i + 1);
	return sets;
}

static bool is_open(const struct search *search)
{
	for (size_t i = 0; i < search->count; i++) {
		if (search->distance[i] == SIZE_MAX)
			return true;
	}
	return false;
}

static void meet_all(struct search *search)
{
	size_t left = RES_NEAREST_SETS_MAX;
	auto_free size_t *set = pl_alloc_array(search->inputs + 1, sizeof(*set));

	for (size_t size = 0; size <= search->inputs && is_open(search); size++) {
		size_t sets = count_sets(size, search->inputs, left + 1);
		if (sets > left)
			return;
		left -= sets;
		for (size_t i = 0; i < size; i++)
			set[i] = i;
		do
			meet(search, set, size);
		while (next_set(set, size, search->inputs));
	}
}

/* ---- the others ------------------------------------------------------------------------------ */

static void sample(struct search *search, size_t cell)
{
	size_t count = search->other_count < RES_NEAREST_SAMPLE ? search->other_count
								: RES_NEAREST_SAMPLE;

	for (size_t i = 0; i < count; i++) {
		size_t other = i * search->other_count / count;
		search->work++;
		offer(search, cell, other,
		      distance_of(search, &search->cells[cell], &search->others[other]));
	}
}

size_t *res_match_nearest(const json_t *const *cells, size_t count, const json_t *const *others,
			  size_t other_count, size_t *ret_work)
{
	auto_search search = { .count = count, .other_count = other_count, .slots = 2 };

	search.nearest = pl_alloc_array(count + 1, sizeof(*search.nearest));
	search.distance = pl_alloc_array(count + 1, sizeof(*search.distance));
	for (size_t i = 0; i < count; i++)
		search.nearest[i] = search.distance[i] = SIZE_MAX;
	if (count == 0 || other_count == 0)
		return search.nearest;
	while (search.slots < 2 * other_count)
		search.slots *= 2;
	search.table = pl_alloc_array(search.slots, sizeof(*search.table));
	search.cells = pl_alloc_array(count, sizeof(*search.cells));
	search.others = pl_alloc_array(other_count, sizeof(*search.others));
	read_rows(&search, cells, others);
	meet_all(&search);
	for (size_t i = 0; i < count; i++) {
		if (search.distance[i] == SIZE_MAX)
			sample(&search, i);
	}
	if (ret_work != NULL)
		*ret_work += search.work;
	return search.nearest;
}
