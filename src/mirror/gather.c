#include "mirror/gather.h"

#include <stdlib.h>

static size_t live_rows(const struct mirror_snapshot *snapshot, size_t segment)
{
	const struct dead *dead = snapshot->dead[segment];

	return snapshot->rows[segment] - (dead != NULL ? dead->count : 0);
}

void mirror_gather_group_init(struct gather_group *ret, const struct mirror_snapshot *snapshot,
			      size_t first)
{
	*ret = (struct gather_group){ .first = first,
				      .rows = live_rows(snapshot, first),
				      .count = 1 };
	for (size_t i = first + 1; i < snapshot->segment_count; i++) {
		size_t rows = live_rows(snapshot, i);
		if (ret->rows + rows > MIRROR_SEGMENT_ROWS)
			break;
		ret->rows += rows;
		ret->count++;
	}
	ret->is_whole = ret->count == 1 && ret->rows > 0 && ret->rows == snapshot->rows[first] &&
			snapshot->chunks[first][0].is_sealed;
	ret->lives = pl_alloc_array(ret->count * MIRROR_SEGMENT_WORDS, sizeof(*ret->lives));
	for (size_t i = 0; i < ret->count; i++)
		mirror_snapshot_live(snapshot, first + i, ret->lives + i * MIRROR_SEGMENT_WORDS);
}

void mirror_gather_group_done(struct gather_group *group)
{
	free(group->lives);
	group->lives = NULL;
}

void mirror_gather_room_init(struct gather_room *room)
{
	room->codes = pl_alloc_array(MIRROR_SEGMENT_ROWS, sizeof(*room->codes));
	room->all = pl_alloc_array(MIRROR_SEGMENT_ROWS, sizeof(*room->all));
}

void mirror_gather_room_done(struct gather_room *room)
{
	free(room->codes);
	free(room->all);
}

static const struct chunk *chunk_of(const struct gather_group *group,
				    const struct gather_column *column, size_t i)
{
	return &column->snapshot->chunks[group->first + i][column->at];
}

/* Returns whether all rows have the same code, dead rows too: most columns have no value in most segments. */
static bool is_constant(const struct gather_group *group, const struct gather_column *column)
{
	const struct chunk *first = chunk_of(group, column, 0);

	for (size_t i = 0; i < group->count; i++) {
		const struct chunk *chunk = chunk_of(group, column, i);
		if (chunk->form != CHUNK_CONSTANT || chunk->base != first->base)
			return false;
	}
	return true;
}

/* Fills room->all with the present codes of the live rows. */
static void gather_codes(const struct gather_group *group, const struct gather_column *column,
			 const struct gather_room *room)
{
	size_t count = 0;

	for (size_t i = 0; i < group->count; i++) {
		size_t rows = column->snapshot->rows[group->first + i];
		mirror_chunk_decode(chunk_of(group, column, i), rows, room->codes);
		for (size_t row = 0; row < rows; row++) {
			if (gather_is_live(group, i, row))
				room->all[count++] = room->codes[row];
		}
	}
}

/* Returns NULL if no segment has numbers; free(). */
static double *gather_numbers(const struct gather_group *group, const struct gather_column *column)
{
	double *numbers = NULL;
	size_t count = 0;

	for (size_t i = 0; i < group->count; i++) {
		const struct chunk *chunk = chunk_of(group, column, i);
		size_t room = chunk->numbers != NULL ? chunk->number_room : 0;
		if (room > 0 && numbers == NULL)
			numbers = pl_alloc_array(group->rows, sizeof(*numbers));
		for (size_t row = 0; row < column->snapshot->rows[group->first + i]; row++) {
			if (!gather_is_live(group, i, row))
				continue;
			if (row < room)
				numbers[count] = chunk->numbers[row];
			count++;
		}
	}
	return numbers;
}

/* Stores the codes in the least width; free(). */
static void *narrow(const uint32_t *codes, size_t count, unsigned width)
{
	void *made = pl_alloc_array(count, width);

	for (size_t i = 0; i < count; i++) {
		if (width == 1)
			((uint8_t *)made)[i] = (uint8_t)codes[i];
		else if (width == 2)
			((uint16_t *)made)[i] = (uint16_t)codes[i];
		else
			((uint32_t *)made)[i] = codes[i];
	}
	return made;
}

static uint32_t new_code(const struct gather_column *column, uint32_t code)
{
	return column->new_codes != NULL ? column->new_codes[code] : code;
}

void mirror_gather_mark(const struct gather_group *group, const struct gather_column *column,
			const struct gather_room *room, uint8_t *used)
{
	if (group->rows == 0)
		return;
	if (is_constant(group, column)) {
		used[chunk_of(group, column, 0)->base] = 1;
		return;
	}
	gather_codes(group, column, room);
	for (size_t row = 0; row < group->rows; row++)
		used[room->all[row]] = 1;
}

/* Gives the open chunk the codes of the live rows. */
static void set_codes(const struct gather_group *group, const struct gather_column *column,
		      const struct gather_room *room, struct chunk *open)
{
	uint32_t most = 0, differing = 0;

	gather_codes(group, column, room);
	for (size_t row = 0; row < group->rows; row++) {
		uint32_t code = room->all[row] = new_code(column, room->all[row]);
		most = code > most ? code : most;
		differing |= code ^ room->all[0];
	}
	open->base = room->all[0];
	if (differing == 0)
		return;
	open->form = CHUNK_CODES;
	open->width = most <= UINT8_MAX ? 1 : most <= UINT16_MAX ? 2 : 4;
	open->room = (uint32_t)group->rows;
	open->codes = narrow(room->all, group->rows, open->width);
}

void mirror_gather_chunk(const struct gather_group *group, const struct gather_column *column,
			 const struct gather_room *room, struct chunk *ret)
{
	struct chunk open = { 0 };

	if (is_constant(group, column))
		open.base = new_code(column, chunk_of(group, column, 0)->base);
	else
		set_codes(group, column, room, &open);
	if (column->has_numbers)
		open.numbers = gather_numbers(group, column);
	open.number_room = open.numbers != NULL ? (uint32_t)group->rows : 0;
	mirror_chunk_seal(&open, group->rows, column->distinct, ret);
	mirror_chunk_done(&open);
}
