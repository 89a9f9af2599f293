/*
 * Gives back the memory of dead rows, so that it does not grow with the number of changes.
 * - A sealed segment with few live rows appends these again. Then, like any segment whose rows are all dead, it becomes a
 *   segment of as many rows without values, ids and run ids: places never change.
 * - A live row that moves is like one that was replaced, so it may move only with a new version (lazy.c).
 * With changes at random, a mirror has about four places per live row.
 */
#include <stdlib.h>
#include <string.h>

#include "mirror/mirror_priv.h"

#define MOVED_PART 16 /* a segment with at most this part of its rows alive */

static bool has_rows(const struct mirror *mirror, size_t i)
{
	return mirror->segments[i]->names->ids != NULL;
}

static size_t live_rows(const struct mirror *mirror, size_t i)
{
	return mirror->segments[i]->rows - (mirror->dead[i] != NULL ? mirror->dead[i]->count : 0);
}

static struct mirror_cell cell_at(const struct mirror *mirror, size_t column,
				  const struct chunk *chunk, size_t at)
{
	const struct mirror_value *value = dictionary_value(&mirror->values[column]->dictionary,
							    mirror_chunk_code(chunk, at));
	struct mirror_cell cell = mirror_dictionary_cell(value);

	if (value->is_elsewhere)
		cell.number = chunk->numbers[at];
	return cell;
}

static void move_row(struct mirror *mirror, const struct segment *segment, size_t at,
		     struct mirror_cell *cells)
{
	const struct mirror_row row = { .id = segment->names->ids[at],
					.run_id = segment->names->run_ids[at],
					.cells = cells };

	for (size_t i = 0; i < mirror->column_count; i++)
		cells[i] = cell_at(mirror, i, &segment->chunks[i], at);
	(void)mirror_replace(mirror, &row);
}

static void move_rows(struct mirror *mirror, size_t i)
{
	const struct segment *segment = mirror->segments[i];
	auto_free struct mirror_cell *cells = pl_alloc_array(mirror->column_count, sizeof(*cells));
	uint64_t dead[MIRROR_SEGMENT_WORDS];

	memcpy(dead, mirror->dead[i]->words, sizeof(dead));
	for (size_t at = 0; at < segment->rows; at++) {
		if ((dead[at / 64] >> at % 64 & 1) == 0)
			move_row(mirror, segment, at, cells);
	}
}

static void empty(struct mirror *mirror, size_t i)
{
	const struct chunk missing = { .form = CHUNK_CONSTANT, .base = DICTIONARY_MISSING };
	struct names *none = pl_alloc(sizeof(*none));
	struct segment *made = mirror_segment_new(mirror->column_count, none);

	atomic_init(&none->users, 1);
	made->rows = mirror->segments[i]->rows;
	for (size_t column = 0; column < mirror->column_count; column++)
		mirror_chunk_seal(&missing, made->rows, 1, &made->chunks[column]);
	mirror_segment_put(mirror->segments[i]);
	mirror->segments[i] = made;
}

void mirror_reclaim(struct mirror *mirror)
{
	int64_t version = mirror->version;
	size_t sealed = mirror->segment_count - mirror->is_open;

	for (size_t i = 0; i < sealed; i++) {
		size_t live = live_rows(mirror, i);
		if (!has_rows(mirror, i) || live > mirror->segments[i]->rows / MOVED_PART)
			continue;
		if (live > 0)
			move_rows(mirror, i);
		empty(mirror, i);
	}
	mirror->version = version;
}
