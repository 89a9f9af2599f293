#include "mirror/mirror.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "mirror/mirror_priv.h"

#define ARENA_BLOCK_BYTES 65536
#define SLOTS_MIN         64
#define HASH_MULTIPLIER   0x9e3779b97f4a7c15u
#define GONE              UINT32_MAX /* in a slot: the row was removed */
#define SEAL_ROWS         16384 /* maximum rows of an open segment, which is slower for queries */

static struct values *values_new(const struct res_field *field)
{
	struct values *values = pl_alloc(sizeof(*values));

	atomic_init(&values->users, 1);
	mirror_dictionary_init(&values->dictionary, field->type);
	return values;
}

struct mirror *mirror_new(const struct res_fields *fields, mirror_read_fn *read, void *context)
{
	struct mirror *mirror = pl_alloc(sizeof(*mirror));

	mirror->fields = fields;
	mirror->read = read;
	mirror->context = context;
	mirror->column_fields = mirror_column_fields(fields, &mirror->column_count);
	mirror->values = pl_alloc_array(mirror->column_count, sizeof(*mirror->values));
	for (size_t i = 0; i < mirror->column_count; i++)
		mirror->values[i] = values_new(mirror->column_fields[i]);
	mirror->caches = mirror_caches_new(mirror->column_count);
	mirror->pricing = mirror_pricing_new(res_prices_new(NULL));
	pthread_mutex_init(&mirror->lock, NULL);
	mirror->published = mirror_snapshot_new(mirror);
	return mirror;
}

void mirror_ask_first(struct mirror *mirror, mirror_may_have_fn *may_have)
{
	mirror->may_have = may_have;
}

void mirror_use_index(struct mirror *mirror, mirror_index_fn *index)
{
	mirror->index = index;
}

void mirror_end_questions(struct mirror *mirror)
{
	atomic_store(&mirror->is_over, true);
}

static void put_segments(struct mirror *mirror)
{
	for (size_t i = 0; i < mirror->segment_count; i++) {
		mirror_segment_put(mirror->segments[i]);
		mirror_dead_put(pl_take(mirror->dead[i]));
	}
	mirror->segment_count = 0;
}

void mirror_free(struct mirror *mirror)
{
	if (mirror == NULL)
		return;
	assert(atomic_load(&mirror->published->users) == 1);
	mirror_snapshot_put(mirror->published);
	put_segments(mirror);
	for (size_t i = 0; i < mirror->column_count; i++)
		mirror_values_put(mirror->values[i]);
	mirror_pricing_put(mirror->pricing);
	mirror_caches_put(mirror->caches);
	pthread_mutex_destroy(&mirror->lock);
	free(mirror->values);
	free(mirror->segments);
	free(mirror->dead);
	free(mirror->slots);
	free(mirror);
}

/* ---- rows by their ids ----------------------------------------------------------------------- */

static int64_t id_of(const struct mirror *mirror, uint32_t row)
{
	return mirror->segments[row / MIRROR_SEGMENT_ROWS]->names->ids[row % MIRROR_SEGMENT_ROWS];
}

/* Returns the slot of the id, or the free slot for it. */
static uint32_t *slot_of(const struct mirror *mirror, int64_t id)
{
	size_t mask = mirror->slot_count - 1;
	uint64_t hash = (uint64_t)id * HASH_MULTIPLIER;

	for (size_t at = (hash ^ hash >> 32) & mask;; at = (at + 1) & mask) {
		uint32_t *slot = &mirror->slots[at];
		if (*slot == 0 || (*slot != GONE && id_of(mirror, *slot - 1) == id))
			return slot;
	}
}

/* Half of the slots stay free. */
static void widen(struct mirror *mirror)
{
	uint32_t *old = mirror->slots;
	size_t old_count = mirror->slot_count;

	if (mirror->slots_used * 2 < mirror->slot_count)
		return;
	mirror->slot_count = SLOTS_MIN;
	while (mirror->slot_count <= mirror->live * 3)
		mirror->slot_count *= 2;
	mirror->slots = pl_alloc_array(mirror->slot_count, sizeof(*mirror->slots));
	mirror->slots_used = 0;
	for (size_t i = 0; i < old_count; i++) {
		if (old[i] == 0 || old[i] == GONE)
			continue;
		*slot_of(mirror, id_of(mirror, old[i] - 1)) = old[i];
		mirror->slots_used++;
	}
	free(old);
}

/* ---- segments -------------------------------------------------------------------------------- */

struct segment *mirror_segment_new(size_t column_count, struct names *names)
{
	struct segment *segment = pl_alloc(sizeof(*segment));

	atomic_init(&segment->users, 1);
	segment->names = names;
	segment->column_count = column_count;
	segment->chunks = pl_alloc_array(column_count, sizeof(*segment->chunks));
	return segment;
}

static void add_segment(struct mirror *mirror)
{
	struct names *names = pl_alloc(sizeof(*names));

	atomic_init(&names->users, 1);
	names->ids = pl_alloc_array(MIRROR_SEGMENT_ROWS, sizeof(*names->ids));
	names->run_ids = pl_alloc_array(MIRROR_SEGMENT_ROWS, sizeof(*names->run_ids));
	names->arena = pl_arena_new(ARENA_BLOCK_BYTES);
	names->bytes = MIRROR_SEGMENT_ROWS * (sizeof(*names->ids) + sizeof(*names->run_ids));
	pl_grow((void **)&mirror->dead, &mirror->dead_room, mirror->segment_count + 1,
		sizeof(*mirror->dead));
	*PL_PUSH(mirror->segments, mirror->segment_count,
		 mirror->segment_room) = mirror_segment_new(mirror->column_count, names);
	mirror->is_open = true;
}

/* Snapshots of the open segment keep the open form. */
void mirror_seal(struct mirror *mirror)
{
	if (!mirror->is_open)
		return;
	struct segment **last = &mirror->segments[mirror->segment_count - 1];
	struct segment *open = *last,
		       *sealed = mirror_segment_new(mirror->column_count, open->names);

	atomic_fetch_add(&open->names->users, 1);
	sealed->rows = open->rows;
	for (size_t i = 0; i < mirror->column_count; i++)
		mirror_chunk_seal(&open->chunks[i], open->rows, mirror->values[i]->dictionary.count,
				  &sealed->chunks[i]);
	*last = sealed;
	mirror->is_open = false;
	mirror_segment_put(open);
}

static void kill_row(struct mirror *mirror, uint32_t row)
{
	struct dead **dead = &mirror->dead[row / MIRROR_SEGMENT_ROWS];
	size_t at = row % MIRROR_SEGMENT_ROWS;

	if (*dead == NULL || atomic_load(&(*dead)->users) > 1) {
		struct dead *made = pl_alloc(sizeof(*made));
		if (*dead != NULL) {
			made->count = (*dead)->count;
			memcpy(made->words, (*dead)->words, sizeof(made->words));
		}
		atomic_init(&made->users, 1);
		mirror_dead_put(*dead);
		*dead = made;
	}
	(*dead)->words[at / 64] |= 1ull << at % 64;
	(*dead)->count++;
	mirror->live--;
}

/* ---- rows ------------------------------------------------------------------------------------ */

static void set_cell(struct dictionary *values, struct segment *segment, size_t column, size_t at,
		     const struct mirror_cell *cell)
{
	struct chunk *chunk = &segment->chunks[column];
	/* rows of one sweep are similar */
	uint32_t nearest = at > 0 ? mirror_chunk_code(chunk, at - 1) : DICTIONARY_MISSING;
	uint32_t code = mirror_dictionary_code_by_hint(values, cell, nearest);

	mirror_chunk_set(chunk, at, code, &segment->garbage);
	if (code != DICTIONARY_MISSING &&
	    (code == values->elsewhere[0] || code == values->elsewhere[1]))
		mirror_chunk_set_number(chunk, at, cell->number, &segment->garbage);
}

/*
 * A column of the first segment has too many distinct numbers for codes: rebuilds it without. (In a later segment,
 * numbers that have a code keep it.)
 */
static void give_up_codes(struct mirror *mirror, struct segment *segment, size_t column)
{
	struct values *old_values = mirror->values[column];
	struct values *values = values_new(mirror->column_fields[column]);
	struct chunk old = segment->chunks[column];

	mirror_dictionary_refuse_numbers(&values->dictionary);
	segment->chunks[column] = (struct chunk){ 0 };
	for (size_t at = 0; at < segment->rows; at++) {
		const struct mirror_cell cell = mirror_dictionary_cell(
			dictionary_value(&old_values->dictionary, mirror_chunk_code(&old, at)));
		set_cell(&values->dictionary, segment, column, at, &cell);
	}
	*PL_PUSH(segment->garbage.items, segment->garbage.count, segment->garbage.room) = old.codes;
	mirror->values[column] = values;
	/* snapshots may still use it */
	mirror_values_put(old_values);
}

/* Most columns have no value in most results: another such row changes none of them. */
static bool stays_missing(const struct chunk *chunk, size_t at, const struct mirror_cell *cell)
{
	return at > 0 && cell->state == RES_VALUE_NOT_RECORDED && chunk->form == CHUNK_CONSTANT &&
	       chunk->base == DICTIONARY_MISSING;
}

/* Returns its new place; the caller updates the slot of its id. */
static uint32_t add_row(struct mirror *mirror, const struct mirror_row *row)
{
	if (!mirror->is_open)
		add_segment(mirror);
	struct segment *segment = mirror->segments[mirror->segment_count - 1];
	struct names *names = segment->names;
	size_t at = segment->rows,
	       position = (mirror->segment_count - 1) * MIRROR_SEGMENT_ROWS + at;

	assert(position < GONE - 1);
	for (size_t i = 0; i < mirror->column_count; i++) {
		struct dictionary *values = &mirror->values[i]->dictionary;
		const struct mirror_cell *cell = &row->cells[i];
		if (stays_missing(&segment->chunks[i], at, cell))
			continue;
		if (mirror->segment_count == 1 && values->numbers == DICTIONARY_NUMBERS_MAX &&
		    !values->refuses_numbers) {
			give_up_codes(mirror, segment, i);
			values = &mirror->values[i]->dictionary;
		}
		set_cell(values, segment, i, at, cell);
	}
	names->ids[at] = row->id;
	if (row->run_id != NULL) {
		size_t len = strlen(row->run_id);
		names->run_ids[at] = pl_arena_strndup(names->arena, row->run_id, len);
		names->bytes += len + 1;
	}
	segment->rows++;
	mirror->live++;
	mirror->version++;
	if (segment->rows == MIRROR_SEGMENT_ROWS)
		mirror_seal(mirror);
	return (uint32_t)position;
}

void mirror_append(struct mirror *mirror, const struct mirror_row *row)
{
	uint32_t at = add_row(mirror, row);

	widen(mirror);
	*slot_of(mirror, row->id) = at + 1;
	mirror->slots_used++;
}

bool mirror_replace(struct mirror *mirror, const struct mirror_row *row)
{
	uint32_t *slot = mirror->slots != NULL ? slot_of(mirror, row->id) : NULL;

	if (slot == NULL || *slot == 0)
		return false;
	kill_row(mirror, *slot - 1);
	*slot = add_row(mirror, row) + 1;
	return true;
}

bool mirror_remove(struct mirror *mirror, int64_t id)
{
	uint32_t *slot = mirror->slots != NULL ? slot_of(mirror, id) : NULL;

	if (slot == NULL || *slot == 0)
		return false;
	kill_row(mirror, *slot - 1);
	*slot = GONE;
	mirror->version++;
	return true;
}

static int compare_ids(const void *a, const void *b)
{
	const int64_t *one = a, *other = b;

	return *one < *other ? -1 : *one > *other;
}

void mirror_keep(struct mirror *mirror, const int64_t *ids, size_t count)
{
	for (size_t i = 0; i < mirror->slot_count; i++) {
		if (mirror->slots[i] == 0 || mirror->slots[i] == GONE)
			continue;
		int64_t id = id_of(mirror, mirror->slots[i] - 1);
		if (count == 0 || bsearch(&id, ids, count, sizeof(*ids), compare_ids) == NULL)
			(void)mirror_remove(mirror, id);
	}
}

/* ---- restoring ------------------------------------------------------------------------------- */

/* Fills the slots; the segments are those of the mirror. */
static bool restore_slots(struct mirror *mirror)
{
	mirror->slot_count = SLOTS_MIN;
	while (mirror->slot_count <= mirror->live * 3)
		mirror->slot_count *= 2;
	mirror->slots = pl_alloc_array(mirror->slot_count, sizeof(*mirror->slots));
	for (size_t i = 0; i < mirror->segment_count; i++) {
		for (size_t at = 0; at < mirror->segments[i]->rows; at++) {
			int64_t id = mirror->segments[i]->names->ids[at];
			uint32_t *slot = id > 0 ? slot_of(mirror, id) : NULL;
			if (slot == NULL || *slot != 0)
				return false;
			*slot = (uint32_t)(i * MIRROR_SEGMENT_ROWS + at) + 1;
		}
	}
	mirror->slots_used = mirror->live;
	return true;
}

bool mirror_restore(struct mirror *mirror, struct values *const *values,
		    struct segment *const *segments, size_t count)
{
	assert(mirror->segment_count == 0);
	pl_grow((void **)&mirror->dead, &mirror->dead_room, count, sizeof(*mirror->dead));
	for (size_t i = 0; i < count; i++) {
		*PL_PUSH(mirror->segments, mirror->segment_count,
			 mirror->segment_room) = segments[i];
		mirror->live += segments[i]->rows;
	}
	if (!restore_slots(mirror)) {
		free(pl_take(mirror->slots));
		mirror->slot_count = 0;
		mirror->segment_count = 0;
		mirror->live = 0;
		return false;
	}
	for (size_t i = 0; i < mirror->column_count; i++) {
		mirror_values_put(mirror->values[i]);
		mirror->values[i] = values[i];
	}
	return true;
}

void mirror_replace_all(struct mirror *mirror, struct values *const *values,
			struct segment *const *segments, size_t count)
{
	put_segments(mirror);
	mirror->is_open = false;
	mirror->live = 0;
	free(pl_take(mirror->slots));
	/* the ids differ, so this cannot fail */
	if (!mirror_restore(mirror, values, segments, count))
		abort();
	mirror_caches_put(mirror->caches);
	mirror->caches = mirror_caches_new(mirror->column_count);
	struct pricing *pricing = mirror_pricing_again(mirror->pricing);
	mirror_pricing_put(mirror->pricing);
	mirror->pricing = pricing;
}

/* ---- versions -------------------------------------------------------------------------------- */

int64_t mirror_count(const struct mirror *mirror)
{
	return (int64_t)mirror->live;
}

void mirror_set_version(struct mirror *mirror, int64_t version)
{
	mirror->version = version;
}

void mirror_set_origin(struct mirror *mirror, int64_t mark, int64_t epoch)
{
	mirror->mark = mark;
	mirror->epoch = epoch;
}

void mirror_publish(struct mirror *mirror)
{
	struct mirror_snapshot *made, *old;

	mirror_compact_if_needed(mirror);
	if (mirror->is_open && mirror->segments[mirror->segment_count - 1]->rows >= SEAL_ROWS)
		mirror_seal(mirror);
	made = mirror_snapshot_new(mirror);
	pthread_mutex_lock(&mirror->lock);
	old = mirror->published;
	mirror->published = made;
	pthread_mutex_unlock(&mirror->lock);
	mirror_snapshot_put(old);
}
