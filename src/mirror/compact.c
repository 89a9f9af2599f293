/*
 * Replaces everything in a mirror by its live rows and their values, so that its memory depends on the number of rows,
 * not on the number of changes.
 * - Dead rows, and values that only they had, stay until there are as many of them as live rows, and ROWS_MIN more. So a
 *   mirror has at most twice the memory of its live rows, and each change pays for few rows. While it is compacted, it
 *   has the new rows, too.
 * - Rows get new places and values new codes. Readers see them with the next snapshot, whose caches are new, too
 *   (struct caches). Snapshots taken before own what they refer to.
 */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/thread.h"
#include "mirror/gather.h"

#define ROWS_MIN          32768
#define ROWS_PER_THREAD   16384
#define THREADS_MAX       4
#define ARENA_BLOCK_BYTES 65536

struct compaction {
	const struct mirror_snapshot *snapshot;
	struct gather_group *groups; /* one per segment made */
	size_t group_count;
	struct values **values; /* of each column */
	struct segment **segments;
	atomic_size_t next; /* column */
};

/* ---- values ---------------------------------------------------------------------------------- */

/* Adds the codes in use to an empty dictionary. ret_new_codes: of each code. */
static void fill_dictionary(const struct mirror_column *column, const uint8_t *used,
			    struct dictionary *dictionary, uint32_t *ret_new_codes)
{
	bool has_elsewhere = false;

	for (uint32_t code = 0; code < column->distinct; code++) {
		struct mirror_value value = *mirror_column_value(column, code);
		if (!used[code] && code > DICTIONARY_NULL)
			continue;
		ret_new_codes[code] = dictionary->count;
		/* without the first entry with this value, the other one is the first */
		bool has_first = value.same < code &&
				 (used[value.same] || value.same == DICTIONARY_NULL);
		value.same = has_first ? ret_new_codes[value.same] : dictionary->count;
		if (used[code]) {
			dictionary->classes |= 1u << value.class;
			dictionary->has_odd_times = dictionary->has_odd_times ||
						    (dictionary->has_times &&
						     value.class == MIRROR_TEXT && !value.is_time);
			has_elsewhere = has_elsewhere || value.is_elsewhere;
		}
		mirror_dictionary_restore(dictionary, &value);
	}
	if (has_elsewhere && column->values->refuses_numbers)
		mirror_dictionary_refuse_numbers(dictionary);
	/* the values differ, so this cannot fail */
	if (!mirror_dictionary_restored(dictionary))
		abort();
}

/* Returns whether some code is not in use. */
static bool have_unused(const uint8_t *used, uint32_t distinct)
{
	return memchr(used + DICTIONARY_NULL + 1, 0, distinct - DICTIONARY_NULL - 1) != NULL;
}

static void compact_column(const struct compaction *compaction, size_t at,
			   const struct gather_room *room)
{
	const struct mirror_snapshot *snapshot = compaction->snapshot;
	const struct mirror_column *column = &snapshot->columns[at];
	struct gather_column source = { .snapshot = snapshot, .at = at };
	auto_free uint8_t *used = pl_alloc(column->distinct);
	auto_free uint32_t *new_codes = NULL;
	struct values *values = snapshot->values[at];

	for (size_t i = 0; i < compaction->group_count; i++)
		mirror_gather_mark(&compaction->groups[i], &source, room, used);
	for (uint32_t code = 0; code < column->distinct; code++)
		source.has_numbers = source.has_numbers ||
				     (used[code] &&
				      mirror_column_value(column, code)->is_elsewhere);
	if (have_unused(used, column->distinct)) {
		new_codes = pl_alloc_array(column->distinct, sizeof(*new_codes));
		values = pl_alloc(sizeof(*values));
		atomic_init(&values->users, 1);
		mirror_dictionary_init_empty(&values->dictionary, column->field->type);
		fill_dictionary(column, used, &values->dictionary, new_codes);
	} else {
		atomic_fetch_add(&values->users, 1);
	}
	compaction->values[at] = values;
	source.new_codes = new_codes;
	source.distinct = values->dictionary.count;
	for (size_t i = 0; i < compaction->group_count; i++)
		mirror_gather_chunk(&compaction->groups[i], &source, room,
				    &compaction->segments[i]->chunks[at]);
}

static void *compact_columns(void *data)
{
	struct compaction *compaction = data;
	struct gather_room room;

	mirror_gather_room_init(&room);
	for (;;) {
		size_t at = atomic_fetch_add(&compaction->next, 1);
		if (at >= compaction->snapshot->mirror->column_count)
			break;
		compact_column(compaction, at, &room);
	}
	mirror_gather_room_done(&room);
	return NULL;
}

/* ---- segments -------------------------------------------------------------------------------- */

static struct names *gather_names(const struct mirror_snapshot *snapshot,
				  const struct gather_group *group)
{
	struct names *made = pl_alloc(sizeof(*made));
	size_t count = 0;

	atomic_init(&made->users, 1);
	made->ids = pl_alloc_array(group->rows, sizeof(*made->ids));
	made->run_ids = pl_alloc_array(group->rows, sizeof(*made->run_ids));
	made->arena = pl_arena_new(ARENA_BLOCK_BYTES);
	made->bytes = group->rows * (sizeof(*made->ids) + sizeof(*made->run_ids));
	for (size_t i = 0; i < group->count; i++) {
		const struct names *names = snapshot->segments[group->first + i]->names;
		for (size_t row = 0; row < snapshot->rows[group->first + i]; row++) {
			const char *run_id = names->run_ids[row];
			if (!gather_is_live(group, i, row))
				continue;
			made->ids[count] = names->ids[row];
			if (run_id != NULL) {
				size_t len = strlen(run_id);
				made->run_ids[count] = pl_arena_strndup(made->arena, run_id, len);
				made->bytes += len + 1;
			}
			count++;
		}
	}
	return made;
}

/* Makes segments that lack their chunks. */
static void make_segments(struct compaction *compaction)
{
	const struct mirror_snapshot *snapshot = compaction->snapshot;
	size_t count = 0;

	compaction->groups = pl_alloc_array(snapshot->segment_count, sizeof(*compaction->groups));
	compaction->segments = pl_alloc_array(snapshot->segment_count, sizeof(struct segment *));
	for (size_t first = 0; first < snapshot->segment_count;) {
		struct gather_group *group = &compaction->groups[count];
		mirror_gather_group_init(group, snapshot, first);
		first += group->count;
		if (group->rows == 0) {
			mirror_gather_group_done(group);
			continue;
		}
		compaction->segments[count] = mirror_segment_new(snapshot->mirror->column_count,
								 gather_names(snapshot, group));
		compaction->segments[count++]->rows = group->rows;
	}
	compaction->group_count = count;
}

static unsigned threads_for(size_t rows)
{
	long online = sysconf(_SC_NPROCESSORS_ONLN);
	size_t wanted = 1 + rows / ROWS_PER_THREAD;

	wanted = wanted < THREADS_MAX ? wanted : THREADS_MAX;
	return online > 0 && (size_t)online < wanted ? (unsigned)online : (unsigned)wanted;
}

static void make_columns(struct compaction *compaction)
{
	pthread_t others[THREADS_MAX];
	unsigned count = 0, threads = threads_for(compaction->snapshot->live);

	while (count + 1 < threads &&
	       pl_thread_start(&others[count], compact_columns, compaction, PL_ERR_IGNORED) == 0)
		count++;
	(void)compact_columns(compaction);
	while (count > 0)
		pthread_join(others[--count], NULL);
}

/* ---- interface ------------------------------------------------------------------------------- */

void mirror_compact(struct mirror *mirror)
{
	struct mirror_snapshot *snapshot = mirror_snapshot_new(mirror);
	struct compaction compaction = { .snapshot = snapshot };

	compaction.values = pl_alloc_array(mirror->column_count, sizeof(*compaction.values));
	make_segments(&compaction);
	make_columns(&compaction);
	mirror_replace_all(mirror, compaction.values, compaction.segments, compaction.group_count);
	for (size_t i = 0; i < compaction.group_count; i++)
		mirror_gather_group_done(&compaction.groups[i]);
	free(compaction.groups);
	free(compaction.segments);
	free(compaction.values);
	mirror_snapshot_put(snapshot);
}

void mirror_compact_if_needed(struct mirror *mirror)
{
	size_t rows = 0;

	for (size_t i = 0; i < mirror->segment_count; i++)
		rows += mirror->segments[i]->rows;
	if (rows - mirror->live > mirror->live + ROWS_MIN)
		mirror_compact(mirror);
}
