#include "mirror/dictionary.h"

#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "mirror/instant.h"
#include "mirror/unify.h"

#define ARENA_BLOCK_BYTES 4096
#define SLOTS_MIN         16
#define HASH_MULTIPLIER   0x9e3779b97f4a7c15u

static struct mirror_value *push(struct dictionary *values)
{
	uint32_t code = values->count++;
	unsigned block = code < DICTIONARY_BLOCK ? 0 : 28 - (unsigned)__builtin_clz(code);
	uint32_t first = block == 0 ? 0 : 8u << block;
	size_t room = block == 0 ? DICTIONARY_BLOCK : first;

	if (values->blocks[block] == NULL) {
		values->blocks[block] = pl_alloc_array(room, sizeof(struct mirror_value));
		values->bytes += room * sizeof(struct mirror_value);
	}
	return &values->blocks[block][code - first];
}

void mirror_dictionary_init_empty(struct dictionary *values, enum res_field_type type)
{
	*values = (struct dictionary){ .has_times = type == RES_FIELD_TIME,
				       .ranks = mirror_rank_keeper_new() };
}

void mirror_dictionary_init(struct dictionary *values, enum res_field_type type)
{
	mirror_dictionary_init_empty(values, type);
	*push(values) = (struct mirror_value){ .class = MIRROR_MISSING };
	*push(values) = (struct mirror_value){ .class = MIRROR_NULL, .same = DICTIONARY_NULL };
}

void mirror_dictionary_refuse_numbers(struct dictionary *values)
{
	values->refuses_numbers = true;
	values->numbers = DICTIONARY_NUMBERS_MAX;
}

void mirror_dictionary_done(struct dictionary *values)
{
	for (size_t i = 0; i < DICTIONARY_BLOCKS; i++)
		free(values->blocks[i]);
	free(values->slots);
	pl_arena_free(values->arena);
	mirror_rank_keeper_free(values->ranks);
}

/* ---- lookup ---------------------------------------------------------------------------------- */

static enum mirror_class class_of(const struct mirror_cell *cell)
{
	if (cell->state != RES_VALUE_PRESENT)
		return cell->state == RES_VALUE_NULL ? MIRROR_NULL : MIRROR_MISSING;
	switch ((enum res_value_kind)cell->kind) {
	case RES_VALUE_NUMBER:
		return MIRROR_NUMBER;
	case RES_VALUE_YES:
		return cell->number > 0 ? MIRROR_YES : MIRROR_NO;
	case RES_VALUE_TEXT:
		return MIRROR_TEXT;
	default:
		return MIRROR_JSON;
	}
}

static uint64_t bits_of(double number)
{
	uint64_t bits;

	memcpy(&bits, &number, sizeof(bits));
	return bits;
}

/* Texts come from results, not from attackers who search for collisions. */
static uint32_t hash_of(const struct mirror_value *value)
{
	uint64_t hash = PL_HASH_NONE + value->class;

	if (value->class == MIRROR_NUMBER)
		hash = (hash ^ bits_of(value->number)) * HASH_MULTIPLIER;
	if (value->text != NULL)
		hash = pl_hash_words(hash, value->text, strlen(value->text));
	return (uint32_t)(hash ^ hash >> 32);
}

/* Compares values, explicit or not. */
static bool is_same(const struct mirror_value *one, const struct mirror_value *other)
{
	if (one->class != other->class || one->is_elsewhere)
		return false;
	if (one->class == MIRROR_NUMBER)
		return bits_of(one->number) == bits_of(other->number);
	return one->text == NULL || strcmp(one->text, other->text) == 0;
}

/* Returns the slot of the value, or the free slot for it; *ret_twin: the same value with the other is_explicit. */
static struct dictionary_slot *slot_of(const struct dictionary *values, uint32_t hash,
				       const struct mirror_value *wanted,
				       const struct mirror_value **ret_twin)
{
	size_t mask = values->slot_count - 1;

	*ret_twin = NULL;
	for (size_t at = hash & mask;; at = (at + 1) & mask) {
		struct dictionary_slot *slot = &values->slots[at];
		if (slot->next == 0)
			return slot;
		if (slot->hash != hash)
			continue;
		const struct mirror_value *there = dictionary_value(values, slot->next - 1);
		if (!is_same(there, wanted))
			continue;
		if (there->is_explicit == wanted->is_explicit)
			return slot;
		*ret_twin = there;
	}
}

/* Half of the slots stay free. */
static void widen(struct dictionary *values)
{
	struct dictionary_slot *before = values->slots;
	size_t count = values->slot_count;

	if (values->count * 2 < count)
		return;
	values->slot_count = count == 0 ? SLOTS_MIN : count * 2;
	values->bytes += (values->slot_count - count) * sizeof(*values->slots);
	values->slots = pl_alloc_array(values->slot_count, sizeof(*values->slots));
	if (count == 0) {
		const struct mirror_value *null = dictionary_value(values, DICTIONARY_NULL);
		uint32_t hash = hash_of(null);
		values->slots[hash % SLOTS_MIN] = (struct dictionary_slot){ DICTIONARY_NULL + 1,
									    hash };
	}
	for (size_t i = 0; i < count; i++) {
		size_t at = before[i].hash & (values->slot_count - 1);
		if (before[i].next == 0)
			continue;
		while (values->slots[at].next != 0)
			at = (at + 1) & (values->slot_count - 1);
		values->slots[at] = before[i];
	}
	free(before);
}

/* ---- insertion ------------------------------------------------------------------------------- */

static uint32_t code_elsewhere(struct dictionary *values, bool is_explicit)
{
	uint32_t *code = &values->elsewhere[is_explicit];

	if (*code == 0) {
		*code = values->count;
		*push(values) = (struct mirror_value){ .class = MIRROR_NUMBER,
						       .is_explicit = is_explicit,
						       .is_elsewhere = true,
						       .same = *code };
	}
	return *code;
}

static void keep_text(struct dictionary *values, struct mirror_value *value)
{
	size_t len = strlen(value->text);

	if (values->arena == NULL)
		values->arena = pl_arena_new(ARENA_BLOCK_BYTES);
	value->text = pl_arena_strndup(values->arena, value->text, len);
	values->bytes += len + 1;
	if (!values->has_times || value->class != MIRROR_TEXT)
		return;
	value->is_time = mirror_instant_parse(value->text, &value->time_us);
	values->has_odd_times = values->has_odd_times || !value->is_time;
}

uint32_t mirror_dictionary_code(struct dictionary *values, const struct mirror_cell *cell)
{
	const struct mirror_value *twin;
	struct mirror_value value = { .class = class_of(cell), .is_explicit = cell->is_explicit };
	auto_free char *unified = NULL;

	values->classes |= 1u << value.class;
	/* a value that is not recorded cannot be explicit */
	if (value.class == MIRROR_MISSING)
		return DICTIONARY_MISSING;
	if (value.class == MIRROR_NUMBER && values->refuses_numbers)
		return code_elsewhere(values, value.is_explicit);
	if (value.class == MIRROR_NUMBER)
		value.number = cell->number + 0.0; /* -0 is 0 */
	if (value.class >= MIRROR_TEXT)
		value.text = cell->text;
	if (value.class == MIRROR_JSON && !cell->is_unified &&
	    (unified = mirror_json_unify(cell->text)) != NULL)
		value.text = unified;
	widen(values);
	uint32_t hash = hash_of(&value);
	struct dictionary_slot *slot = slot_of(values, hash, &value, &twin);
	if (slot->next != 0)
		return slot->next - 1;
	if (twin != NULL) {
		value = *twin;
		value.is_explicit = cell->is_explicit;
	} else if (value.class == MIRROR_NUMBER && values->numbers == DICTIONARY_NUMBERS_MAX) {
		return code_elsewhere(values, value.is_explicit);
	} else {
		value.same = values->count;
		values->numbers += value.class == MIRROR_NUMBER;
		if (value.text != NULL)
			keep_text(values, &value);
	}
	*push(values) = value;
	*slot = (struct dictionary_slot){ values->count, hash };
	return values->count - 1;
}

uint32_t mirror_dictionary_code_by_hint(struct dictionary *values, const struct mirror_cell *cell,
					uint32_t nearest)
{
	const struct mirror_value *value = dictionary_value(values, nearest);
	enum mirror_class class = class_of(cell);

	if (value->class != class || value->is_explicit != cell->is_explicit ||
	    value->is_elsewhere || class == MIRROR_MISSING ||
	    (class == MIRROR_NUMBER && bits_of(cell->number + 0.0) != bits_of(value->number)) ||
	    (class >= MIRROR_TEXT && strcmp(cell->text, value->text) != 0))
		return mirror_dictionary_code(values, cell);
	return nearest;
}

/* ---- restoring ------------------------------------------------------------------------------- */

void mirror_dictionary_restore(struct dictionary *values, const struct mirror_value *value)
{
	struct mirror_value made = *value;

	if (made.text != NULL) {
		size_t len = strlen(made.text);
		if (values->arena == NULL)
			values->arena = pl_arena_new(ARENA_BLOCK_BYTES);
		made.text = pl_arena_strndup(values->arena, made.text, len);
		values->bytes += len + 1;
	}
	if (made.is_elsewhere)
		values->elsewhere[made.is_explicit] = values->count;
	else if (made.class == MIRROR_NUMBER && made.same == values->count)
		values->numbers++;
	*push(values) = made;
}

bool mirror_dictionary_restored(struct dictionary *values)
{
	const struct mirror_value *twin;

	/* a number is never in both: one without a code may come again, also if some codes were dropped */
	if (values->elsewhere[false] != 0 || values->elsewhere[true] != 0)
		values->numbers = DICTIONARY_NUMBERS_MAX;
	values->slot_count = SLOTS_MIN;
	while (values->slot_count <= values->count * (size_t)2)
		values->slot_count *= 2;
	values->bytes += values->slot_count * sizeof(*values->slots);
	values->slots = pl_alloc_array(values->slot_count, sizeof(*values->slots));
	for (uint32_t code = DICTIONARY_NULL; code < values->count; code++) {
		const struct mirror_value *value = dictionary_value(values, code);
		if (value->is_elsewhere)
			continue;
		uint32_t hash = hash_of(value);
		struct dictionary_slot *slot = slot_of(values, hash, value, &twin);
		if (slot->next != 0)
			return false;
		*slot = (struct dictionary_slot){ code + 1, hash };
	}
	return true;
}

struct mirror_cell mirror_dictionary_cell(const struct mirror_value *value)
{
	static const unsigned char kinds[MIRROR_CLASS_COUNT] = {
		[MIRROR_NUMBER] = RES_VALUE_NUMBER, [MIRROR_NO] = RES_VALUE_YES,
		[MIRROR_YES] = RES_VALUE_YES,       [MIRROR_TEXT] = RES_VALUE_TEXT,
		[MIRROR_JSON] = RES_VALUE_JSON,
	};

	return (struct mirror_cell){
		.state = value->class == MIRROR_MISSING ? RES_VALUE_NOT_RECORDED
			 : value->class == MIRROR_NULL  ? RES_VALUE_NULL
							: RES_VALUE_PRESENT,
		.kind = kinds[value->class],
		.is_explicit = value->is_explicit,
		.number = value->class == MIRROR_NUMBER ? value->number
							: value->class == MIRROR_YES,
		.text = value->text,
	};
}
