/*
 * Columns of a Parquet or Arrow file:
 *
 *	codes of the mirror -> typed values, by the type of the field; all other values -> the column NAME:other
 *
 * A field of type TIME is a timestamp, COUNT an integer, JSON a JSON text. NAME:other holds as JSON what the type cannot
 * hold: null, a word of a number, a number that is not whole. A file has it only if it is needed.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "query/export/export_column_priv.h"

#define WHOLE_MAX 9007199254740992.0 /* 2^53: above it, doubles skip integers */
/* Decodes whole segments if at least one in so many of their rows is exported. */
#define DECODE_SHARE 16

/* ---- types ----------------------------------------------------------------------------------- */

static enum columnar_type type_of(enum res_field_type type)
{
	switch (type) {
	case RES_FIELD_NUMBER:
		return COLUMNAR_F64;
	case RES_FIELD_COUNT:
		return COLUMNAR_I64;
	case RES_FIELD_YES:
		return COLUMNAR_YES;
	case RES_FIELD_TIME:
		return COLUMNAR_TIME;
	default:
		return COLUMNAR_TEXT;
	}
}

static bool is_whole(double number)
{
	return fabs(number) <= WHOLE_MAX && number == floor(number);
}

/* Returns whether the type of the field can hold this value. */
static bool fits(enum res_field_type type, const struct mirror_value *value)
{
	switch (type) {
	case RES_FIELD_NUMBER:
		return value->class == MIRROR_NUMBER;
	case RES_FIELD_COUNT:
		return value->class == MIRROR_NUMBER && is_whole(value->number);
	case RES_FIELD_YES:
		return value->class == MIRROR_NO || value->class == MIRROR_YES;
	case RES_FIELD_TIME:
		return value->class == MIRROR_TEXT && value->is_time;
	case RES_FIELD_JSON:
		return value->class >= MIRROR_NUMBER;
	default:
		return value->class == MIRROR_TEXT;
	}
}

/* Returns whether a recorded value of the rows may not fit: false is certain. */
static bool has_others(const struct export_rows *rows, const struct mirror_column *from,
		       const size_t classes[MIRROR_CLASS_COUNT])
{
	enum res_field_type type = from->field->type;

	for (uint32_t code = 0; code < from->distinct; code++) {
		const struct mirror_value *value = mirror_column_value(from, code);
		if (value->class >= MIRROR_NUMBER && classes[value->class] > 0 &&
		    !value->is_elsewhere && !fits(type, value))
			return true;
		if (!value->is_elsewhere || type == RES_FIELD_NUMBER || type == RES_FIELD_JSON)
			continue;
		for (size_t at = 0; at < query_export_rows_count(rows); at++) {
			struct mirror_value one = mirror_column_at(
				from, query_export_rows_place(rows, at));
			if (one.is_elsewhere && !fits(type, &one))
				return true;
		}
	}
	return false;
}

enum export_empty query_export_column_empty(const struct export_rows *rows,
					    const struct mirror_column *from,
					    const size_t classes[MIRROR_CLASS_COUNT])
{
	if (has_others(rows, from, classes) ||
	    (classes[MIRROR_MISSING] > 0 && classes[MIRROR_NULL] > 0))
		return EXPORT_EMPTY_OTHER;
	if (classes[MIRROR_NULL] > 0)
		return EXPORT_EMPTY_NULL;
	return classes[MIRROR_MISSING] > 0 ? EXPORT_EMPTY_MISSING : EXPORT_EMPTY_NONE;
}

/* ---- codes ----------------------------------------------------------------------------------- */

static void *room_for(void **items, size_t *room, size_t need)
{
	if (need > *room || *items == NULL) {
		free(*items);
		*items = pl_alloc(need);
		*room = need;
	}
	return *items;
}

void query_export_part_start(struct export_part *part, const struct export_rows *rows, size_t from,
			     size_t count)
{
	size_t low = SIZE_MAX, high = 0;

	part->rows = rows;
	part->count = count;
	part->places = room_for((void **)&part->places, &part->place_room,
				count * sizeof(*part->places));
	part->codes = room_for((void **)&part->codes, &part->code_room,
			       count * sizeof(*part->codes));
	for (size_t i = 0; i < count; i++) {
		size_t segment;
		part->places[i] = query_export_rows_place(rows, from + i);
		segment = part->places[i] / MIRROR_SEGMENT_ROWS;
		low = segment < low ? segment : low;
		high = segment > high ? segment : high;
	}
	part->first_segment = low;
	part->segments = count > 0 ? high - low + 1 : 0;
	/* the rows of one sweep are adjacent: then only a part of a segment is needed */
	part->decodes = count * DECODE_SHARE >= part->segments * MIRROR_SEGMENT_ROWS;
	for (size_t i = 0; i < part->segments && !part->decodes && part->segments == 1; i++)
		part->decodes = count * DECODE_SHARE >= query_export_rows_segment_rows(rows, low);
}

void query_export_part_done(struct export_part *part)
{
	free(part->places);
	free(part->codes);
	free(part->decoded);
	free(part->items);
	free(part->nulls);
	pl_arena_free(part->arena);
	pl_buf_done(&part->text);
}

static void read_decoded(struct export_part *part, const struct mirror_column *from)
{
	uint32_t *decoded = room_for((void **)&part->decoded, &part->decoded_room,
				     part->segments * MIRROR_SEGMENT_ROWS * sizeof(*decoded));
	size_t first = part->first_segment * MIRROR_SEGMENT_ROWS;

	for (size_t i = 0; i < part->segments; i++) {
		size_t segment = part->first_segment + i;
		mirror_chunk_decode(mirror_column_chunk(from, segment),
				    query_export_rows_segment_rows(part->rows, segment),
				    decoded + i * MIRROR_SEGMENT_ROWS);
	}
	for (size_t i = 0; i < part->count; i++)
		part->codes[i] = decoded[part->places[i] - first];
}

static void read_gathered(struct export_part *part, const struct mirror_column *from)
{
	uint32_t within[EXPORT_BLOCK_ROWS];

	for (size_t at = 0; at < part->count;) {
		size_t segment = part->places[at] / MIRROR_SEGMENT_ROWS, count = 0;
		while (count < EXPORT_BLOCK_ROWS && at + count < part->count &&
		       part->places[at + count] / MIRROR_SEGMENT_ROWS == segment) {
			within[count] = (uint32_t)(part->places[at + count] % MIRROR_SEGMENT_ROWS);
			count++;
		}
		mirror_chunk_gather(mirror_column_chunk(from, segment), within, count,
				    part->codes + at);
		at += count;
	}
}

static void read_codes(struct export_part *part, const struct mirror_column *from)
{
	if (part->decodes)
		read_decoded(part, from);
	else
		read_gathered(part, from);
}

/* ---- values ---------------------------------------------------------------------------------- */

/* Returns the JSON of a value, in the arena of the part. */
static struct columnar_text json_of(struct export_part *part, const struct mirror_value *value)
{
	if (value->class == MIRROR_JSON)
		return (struct columnar_text){ value->text, strlen(value->text) };
	struct mirror_cell cell = mirror_dictionary_cell(value);
	pl_buf_clear(&part->text);
	query_export_json_cell(&part->text, &cell);
	return (struct columnar_text){ pl_arena_strndup(part->arena, pl_buf_text(&part->text),
							part->text.len),
				       part->text.len };
}

/* Sets item i. Returns false if the value is not in this column. */
static bool set_item(struct export_part *part, const struct export_column *column, size_t i,
		     const struct mirror_value *value)
{
	enum res_field_type type = column->from->field->type;

	if (column->is_other) {
		bool is_here = value->class != MIRROR_MISSING && !fits(type, value);
		if (is_here)
			((struct columnar_text *)part->items)[i] = json_of(part, value);
		return is_here;
	}
	if (!fits(type, value))
		return false;
	switch (type) {
	case RES_FIELD_NUMBER:
		((double *)part->items)[i] = value->number;
		break;
	case RES_FIELD_COUNT:
		((int64_t *)part->items)[i] = (int64_t)value->number;
		break;
	case RES_FIELD_YES:
		((uint8_t *)part->items)[i] = value->class == MIRROR_YES;
		break;
	case RES_FIELD_TIME:
		((int64_t *)part->items)[i] = value->time_us;
		break;
	case RES_FIELD_JSON:
		((struct columnar_text *)part->items)[i] = json_of(part, value);
		break;
	default:
		((struct columnar_text *)part->items)[i] =
			(struct columnar_text){ value->text, strlen(value->text) };
		break;
	}
	return true;
}

/* Numbers that have no codes differ from row to row. */
static void make_direct(struct export_part *part, const struct export_column *column)
{
	for (size_t i = 0; i < part->count; i++) {
		struct mirror_value value = *mirror_column_value(column->from, part->codes[i]);
		size_t place = part->places[i];
		if (value.is_elsewhere)
			value.number = mirror_column_chunk(column->from,
							   place / MIRROR_SEGMENT_ROWS)
					       ->numbers[place % MIRROR_SEGMENT_ROWS];
		part->nulls[i] = !set_item(part, column, i, &value);
	}
}

/* The distinct values become the dictionary; the codes of the rows stay, except that equal values share one. */
static void make_coded(struct export_part *part, const struct export_column *column)
{
	uint32_t *to = (uint32_t *)(void *)part->nulls;

	for (uint32_t code = 0; code < column->from->distinct; code++)
		to[code] = UINT32_MAX - 1;
	for (size_t i = 0; i < part->count; i++) {
		uint32_t code = part->codes[i];
		if (to[code] == UINT32_MAX - 1) {
			const struct mirror_value *value = mirror_column_value(column->from, code);
			to[code] = set_item(part, column, code, value) ? code : COLUMNAR_NULL;
			if (to[code] == code && value->same < code &&
			    to[value->same] == value->same)
				to[code] = value->same;
		}
		part->codes[i] = to[code];
	}
}

/* The writer may add the shared codes meanwhile, so only the values of the snapshot count. */
static bool has_elsewhere(const struct mirror_column *from)
{
	for (uint32_t code = 0; code < from->distinct; code++) {
		if (mirror_column_value(from, code)->is_elsewhere)
			return true;
	}
	return false;
}

void query_export_part_read(struct export_part *part, const struct export_column *column,
			    struct columnar_values *ret)
{
	bool is_direct = has_elsewhere(column->from);
	size_t items = is_direct ? part->count : column->from->distinct;
	enum columnar_type type = query_export_column_type(column);

	pl_arena_free(part->arena);
	part->arena = pl_arena_new(1 << 12);
	read_codes(part, column->from);
	part->items = room_for(&part->items, &part->item_room, (items + 1) * COLUMN_ITEM_BYTES);
	part->nulls = room_for((void **)&part->nulls, &part->null_room,
			       (items + 1) * sizeof(uint32_t));
	if (is_direct)
		make_direct(part, column);
	else
		make_coded(part, column);
	*ret = (struct columnar_values){ .count = part->count,
					 .codes = is_direct ? NULL : part->codes,
					 .nulls = is_direct ? part->nulls : NULL,
					 .distinct = items };
	ret->yes = type == COLUMNAR_YES ? part->items : NULL;
	ret->f64 = type == COLUMNAR_F64 ? part->items : NULL;
	ret->texts = type == COLUMNAR_TEXT ? part->items : NULL;
	ret->i64 = type == COLUMNAR_I64 || type == COLUMNAR_TIME ? part->items : NULL;
}

enum columnar_type query_export_column_type(const struct export_column *column)
{
	return column->is_other ? COLUMNAR_TEXT : type_of(column->from->field->type);
}
