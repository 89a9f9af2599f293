/*
 * One field of all results. A cell costs a byte where there is nothing, and what its value needs where
 * there is one: most fields of a thousand are in a few results or alike in all of them, so an array is
 * made when the first cell has need of it.
 */
#include <stdlib.h>
#include <string.h>

#include "store/columns_priv.h"
#include "store/instant.h"

#define ARENA_BLOCK_BYTES 4096
#define SLOTS_MIN         16

void column_init(struct store_column *column, const struct res_field *field, const char *id)
{
	*column = (struct store_column){ .field = *field };
	if (id == NULL)
		return;
	column->arena = pl_arena_new(ARENA_BLOCK_BYTES);
	column->field.id = pl_arena_strndup(column->arena, id, strlen(id));
	if (field->label == id)
		column->field.label = column->field.id;
}

void column_done(struct store_column *column)
{
	free(column->classes);
	free(column->numbers);
	free(column->codes);
	free(column->texts);
	free(column->slots);
	pl_arena_free(column->arena);
}

static void *lengthen(void *items, size_t from, size_t to, size_t size)
{
	char *longer = pl_realloc_array(items, to, size);

	memset(longer + from * size, 0, (to - from) * size);
	return longer;
}

void column_reserve(struct store_column *column, size_t rows)
{
	size_t room = column->room;

	if (rows <= room)
		return;
	while (room < rows)
		room = room < BITS ? BITS : room * 2;
	if (column->classes != NULL)
		column->classes = lengthen(column->classes, column->room, room,
					   sizeof(*column->classes));
	if (column->numbers != NULL)
		column->numbers = lengthen(column->numbers, column->room, room,
					   sizeof(*column->numbers));
	if (column->codes != NULL)
		column->codes = lengthen(column->codes, column->room, room, sizeof(*column->codes));
	column->room = room;
}

/* ---- texts ---------------------------------------------------------------------------------- */

/* FNV-1a. The keys are texts of results, not of strangers who would seek collisions. */
static uint64_t hash_of(const char *text, enum store_class class)
{
	uint64_t hash = 0xcbf29ce484222325u + class;

	for (; *text != '\0'; text++)
		hash = (hash ^ (unsigned char)*text) * 0x100000001b3u;
	return hash ^ hash >> 32;
}

/* Where the text is, or the free slot that it would take. */
static uint32_t *slot_of(const struct store_column *column, const char *text,
			 enum store_class class)
{
	size_t mask = column->slot_count - 1;

	for (size_t at = hash_of(text, class) & mask;; at = (at + 1) & mask) {
		uint32_t *slot = &column->slots[at];
		if (*slot == 0)
			return slot;
		const struct store_text *there = &column->texts[*slot - 1];
		if (there->class == class && strcmp(there->text, text) == 0)
			return slot;
	}
}

/* Half of the slots stay free. */
static void widen(struct store_column *column)
{
	if (column->text_count * 2 < column->slot_count)
		return;
	free(column->slots);
	column->slot_count = column->slot_count == 0 ? SLOTS_MIN : column->slot_count * 2;
	column->slots = pl_alloc_array(column->slot_count, sizeof(*column->slots));
	for (size_t i = 0; i < column->text_count; i++)
		*slot_of(column, column->texts[i].text, column->texts[i].class) = (uint32_t)i + 1;
}

static uint32_t code_of(struct store_column *column, const char *text, enum store_class class)
{
	widen(column);
	uint32_t *slot = slot_of(column, text, class);
	if (*slot != 0)
		return *slot - 1;
	if (column->arena == NULL)
		column->arena = pl_arena_new(ARENA_BLOCK_BYTES);
	struct store_text added = {
		.text = pl_arena_strndup(column->arena, text, strlen(text)),
		.class = class,
	};
	added.is_time = column->field.type == RES_FIELD_TIME && class == STORE_TEXT &&
			store_instant_parse(text, &added.time_us);
	column->odd_times += column->field.type == RES_FIELD_TIME && class == STORE_TEXT &&
			     !added.is_time;
	*PL_PUSH(column->texts, column->text_count, column->text_room) = added;
	*slot = (uint32_t)column->text_count;
	return *slot - 1;
}

/* ---- cells ---------------------------------------------------------------------------------- */

static enum store_class class_of(const struct store_cell *cell)
{
	if (cell->state != RES_VALUE_THERE)
		return cell->state == RES_VALUE_NULL ? STORE_NULL : STORE_MISSING;
	switch ((enum res_value_kind)cell->kind) {
	case RES_VALUE_NUMBER:
		return STORE_NUMBER;
	case RES_VALUE_YES:
		return cell->number > 0 ? STORE_YES : STORE_NO;
	case RES_VALUE_TEXT:
		return STORE_TEXT;
	default:
		return STORE_JSON;
	}
}

void column_set(struct store_column *column, size_t row, const struct store_cell *cell)
{
	enum store_class class = class_of(cell);

	if (class == STORE_MISSING && column->classes == NULL)
		return;
	if (column->classes == NULL)
		column->classes = pl_alloc_array(column->room, sizeof(*column->classes));
	column->classes[row] = (unsigned char)class;
	/* what is not recorded has nothing that was set */
	if (class != STORE_MISSING && cell->is_explicit)
		column->classes[row] |= STORE_EXPLICIT;
	column->class_counts[class]++;
	if (class == STORE_NUMBER) {
		if (column->numbers == NULL)
			column->numbers = pl_alloc_array(column->room, sizeof(*column->numbers));
		column->numbers[row] = cell->number;
	} else if (class >= STORE_TEXT) {
		if (column->codes == NULL)
			column->codes = pl_alloc_array(column->room, sizeof(*column->codes));
		column->codes[row] = code_of(column, cell->text, class);
	}
}
