#include "query/groups/matching_priv.h"

#include <stdlib.h>
#include <string.h>

#include "mirror/kernels/kernels.h"
#include "query/facets/tally_priv.h"
#include "query/groups/cells_priv.h"
#include "query/groups/keys_priv.h"

static void keys_done(struct keys *keys, size_t count)
{
	for (size_t i = 0; i < count; i++)
		free(keys[i].items);
	free(keys);
}

static uint64_t key_of(const struct cell *cell)
{
	uint64_t bits = cell->code;

	if (cell->class == MIRROR_NUMBER)
		memcpy(&bits, &cell->number, sizeof(bits));
	else if (cell->class == MIRROR_NULL || cell->class == MIRROR_MISSING)
		bits = 0;
	/* mixed separately: otherwise a class and a number of few bits could equal another class */
	return query_keys_mix(query_keys_mix(0, cell->class), bits);
}

static struct keys *keys_new(const struct matching_side *sides, size_t count)
{
	struct keys *keys = pl_alloc_array(count, sizeof(*keys));

	for (size_t i = 0; i < count; i++)
		keys[i] = (struct keys){ pl_alloc_array(sides[i].count + 1, sizeof(uint64_t)),
					 sides[i].count };
	return keys;
}

/* ---- one input ----------------------------------------------------------------------------------- */

struct work {
	const struct mirror_view *view;
	const struct matching_side *sides;
	size_t count;
	struct keys *cells; /* of the inputs handled so far */
	struct keys *keys;  /* of one input */
	struct cell *room;  /* for the rows of the largest side */
};

static void add_input(struct work *work, const struct mirror_column *column, const char *id,
		      struct matching *ret)
{
	for (size_t side = 0; side < work->count; side++) {
		query_cells_read(work->view, column, work->sides[side].rows, work->room);
		for (size_t i = 0; i < work->sides[side].count; i++)
			work->keys[side].items[i] = key_of(&work->room[i]);
	}
	struct keys shared = query_keys_common(work->keys, work->count);
	free(shared.items);
	if (shared.count == 0) {
		json_array_append_new(ret->apart, json_string(id));
		return;
	}
	json_array_append_new(ret->by, json_string(id));
	for (size_t side = 0; side < work->count; side++) {
		struct keys *cells = &work->cells[side];
		for (size_t i = 0; i < cells->count; i++)
			cells->items[i] = query_keys_mix(cells->items[i],
							 work->keys[side].items[i]);
	}
}

static int add_inputs(struct work *work, const uint64_t *all, struct matching *ret,
		      struct pl_err *err)
{
	auto_facet_rows struct facet_rows *rows = query_facet_rows_new(work->view, all);
	auto_tally tally = { 0 };
	size_t count;
	const struct res_field *const *columns = res_fields_columns(mirror_view_fields(work->view),
								    &count);

	for (size_t i = 0; i < count; i++) {
		const struct mirror_column *column = mirror_view_column(work->view, columns[i]->id);
		if (columns[i]->role != RES_FIELD_INPUT || column == NULL)
			continue;
		if (mirror_view_goes_on(work->view, err) < 0)
			return -1;
		query_tally_column(&tally, column, rows);
		if (query_tally_varies(&tally, column, rows))
			add_input(work, column, columns[i]->id, ret);
	}
	return 0;
}

/* ---- rows ---------------------------------------------------------------------------------------- */

static void keep_rows(struct matching_side *side, const struct keys *cells,
		      const struct keys *shared, size_t words)
{
	size_t at = 0;

	for (size_t word = 0; word < words; word++) {
		for (uint64_t bits = side->rows[word]; bits != 0; bits &= bits - 1) {
			if (query_keys_has(shared, cells->items[at++]))
				continue;
			side->rows[word] &= ~(bits & -bits);
			side->fell_out++;
		}
	}
}

int query_matching_keep(const struct mirror_view *view, struct matching_side *sides, size_t count,
			struct matching *ret, struct pl_err *err)
{
	size_t words = mirror_view_words(view), most = 0;
	auto_free uint64_t *all = pl_alloc_array(words, sizeof(*all));
	int result;

	*ret = (struct matching){ json_array(), json_array(), 0, 0 };
	for (size_t i = 0; i < count; i++) {
		mirror_kernels()->or (all, all, sides[i].rows, words);
		most = sides[i].count > most ? sides[i].count : most;
		sides[i].fell_out = 0;
	}
	auto_free struct cell *room = pl_alloc_array(most + 1, sizeof(*room));
	struct work work = { view, sides, count, keys_new(sides, count), keys_new(sides, count),
			     room };
	result = add_inputs(&work, all, ret, err);
	if (result == 0) {
		struct keys shared = query_keys_common(work.cells, count);
		for (size_t i = 0; i < count; i++)
			keep_rows(&sides[i], &work.cells[i], &shared, words);
		ret->cells = shared.count;
		free(shared.items);
	}
	keys_done(work.cells, count);
	keys_done(work.keys, count);
	return result;
}

/* ---- groups -------------------------------------------------------------------------------------- */

static void add_row(struct matching_side *side, size_t row)
{
	side->rows[row / MIRROR_WORD_ROWS] |= UINT64_C(1) << row % MIRROR_WORD_ROWS;
	side->count++;
}

static void part_rows(const uint64_t *rows, size_t words, const uint32_t *group_of, size_t count,
		      struct matching_side *sides)
{
	size_t at = 0;

	for (size_t word = 0; word < words; word++) {
		for (uint64_t bits = rows[word]; bits != 0; bits &= bits - 1) {
			uint32_t group = group_of[at++];
			if (group < count)
				add_row(&sides[group],
					word * MIRROR_WORD_ROWS + (size_t)__builtin_ctzll(bits));
		}
	}
}

int query_matching_keep_groups(const struct mirror_view *view, uint64_t *rows,
			       const uint32_t *group_of, size_t count, struct matching *ret,
			       struct pl_err *err)
{
	struct matching_side sides[QUERY_MATCH_GROUPS_MAX] = { 0 };
	size_t words = mirror_view_words(view);
	int result;

	*ret = (struct matching){ 0 };
	if (count < 2 || count > QUERY_MATCH_GROUPS_MAX)
		return 0;
	for (size_t i = 0; i < count; i++)
		sides[i].rows = pl_alloc_array(words, sizeof(*sides[i].rows));
	part_rows(rows, words, group_of, count, sides);
	result = query_matching_keep(view, sides, count, ret, err);
	ret->groups = count;
	memset(rows, 0, words * sizeof(*rows));
	for (size_t i = 0; i < count; i++) {
		mirror_kernels()->or (rows, rows, sides[i].rows, words);
		free(sides[i].rows);
	}
	return result;
}

json_t *query_matching_json(const struct matching *matching)
{
	if (matching->by == NULL)
		return NULL;
	return json_pack("{s:I, s:o, s:o, s:I}", "group_count", (json_int_t)matching->groups,
			 "inputs", matching->by, "unmatched_inputs", matching->apart, "cell_count",
			 (json_int_t)matching->cells);
}
