#include "query/filter.h"

#include <stdlib.h>
#include <string.h>

#include "query/filter_priv.h"
#include "tbl/request_bounds.h"

#define ARENA_BLOCK_BYTES 16384

/* The terms of the top-level `and` (or the tree itself) that concern one column, or all that concern several. */
struct group {
	const struct mirror_column *only; /* NULL: several */
	const struct filter_node **terms;
	size_t count;
	size_t room;
	uint64_t *without; /* rows that match all other groups; NULL: not requested yet */
};

struct query_filter {
	struct pl_arena *arena;
	const struct mirror_view *view;
	struct group *groups; /* an empty row matches no group */
	size_t count;
	size_t room;
	uint64_t *rows;
};

void query_filter_fields(const json_t *tree, struct mirror_ids *ids)
{
	static const char *const lists[] = { "and", "or" };
	const char *field = pl_json_get_text(tree, "field");
	const json_t *not = json_object_get(tree, "not");

	if (field != NULL)
		*PL_PUSH(ids->items, ids->count, ids->room) = field;
	if (not != NULL)
		query_filter_fields(not, ids);
	for (size_t k = 0; k < PL_ARRAY_SIZE(lists); k++) {
		PL_JSON_EACH(child, json_object_get(tree, lists[k]))
			query_filter_fields(child, ids);
	}
}

/* ---- one segment ------------------------------------------------------------------------------ */

/* Bitmaps of one segment, one per level of the tree. */
struct scratch {
	uint64_t words[BOUND_FILTER_LEVELS_MAX + 1][MIRROR_SEGMENT_WORDS];
};

/* Uninitialized: few trees are deep, and untouched memory costs nothing. */
static struct scratch *scratch_new(void)
{
	return pl_realloc_array(NULL, 1, sizeof(struct scratch));
}

static bool is_empty(const uint64_t *rows)
{
	for (size_t i = 0; i < MIRROR_SEGMENT_WORDS; i++) {
		if (rows[i] != 0)
			return false;
	}
	return true;
}

static void evaluate(const struct query_filter *filter, const struct filter_node *node,
		     size_t segment, struct scratch *scratch, unsigned depth, uint64_t *ret_rows)
{
	const struct mirror_kernels *kernels = mirror_kernels();
	uint64_t *rows = scratch->words[depth];

	if (node->kind == FILTER_PREDICATE) {
		query_predicate_rows(&node->predicate, segment,
				     mirror_view_rows(filter->view, segment), ret_rows);
		return;
	}
	if (node->count == 0) { /* `and` of nothing is true, `or` of nothing is false */
		memset(ret_rows, node->kind == FILTER_AND ? 0xff : 0,
		       MIRROR_SEGMENT_WORDS * sizeof(*ret_rows));
		return;
	}
	evaluate(filter, &node->children[0], segment, scratch, depth + 1, ret_rows);
	if (node->kind == FILTER_NOT) {
		for (size_t i = 0; i < MIRROR_SEGMENT_WORDS; i++)
			ret_rows[i] = ~ret_rows[i];
		return;
	}
	for (size_t k = 1; k < node->count; k++) {
		if (node->kind == FILTER_AND && is_empty(ret_rows))
			return;
		evaluate(filter, &node->children[k], segment, scratch, depth + 1, rows);
		(node->kind == FILTER_AND ? kernels->and : kernels->or)(ret_rows, ret_rows, rows,
									MIRROR_SEGMENT_WORDS);
	}
}

/* Returns the rows that match all terms of the group. */
static void group_rows(const struct query_filter *filter, const struct group *group, size_t segment,
		       struct scratch *scratch, uint64_t *ret_rows)
{
	evaluate(filter, group->terms[0], segment, scratch, 1, ret_rows);
	for (size_t k = 1; k < group->count && !is_empty(ret_rows); k++) {
		evaluate(filter, group->terms[k], segment, scratch, 1, scratch->words[0]);
		mirror_kernels()->and (ret_rows, ret_rows, scratch->words[0], MIRROR_SEGMENT_WORDS);
	}
}

/* ---- groups ----------------------------------------------------------------------------------- */

static struct group *group_of(struct query_filter *filter, const struct mirror_column *only)
{
	for (size_t i = 0; i < filter->count; i++) {
		if (filter->groups[i].only == only)
			return &filter->groups[i];
	}
	struct group *group = PL_PUSH(filter->groups, filter->count, filter->room);
	*group = (struct group){ .only = only };
	return group;
}

static void add_term(struct query_filter *filter, const struct filter_node *node)
{
	struct group *group = group_of(filter, node->only);

	*PL_PUSH(group->terms, group->count, group->room) = node;
}

int query_filter_new(const struct mirror_view *view, const json_t *tree, const char *pointer,
		     struct query_filter **ret, struct schema_faults *faults)
{
	auto_filter struct query_filter *filter = pl_alloc(sizeof(*filter));
	auto_query_pointer cursor = { .pointer = PL_BUF(POINTER_BYTES_MAX), .faults = faults };

	filter->arena = pl_arena_new(ARENA_BLOCK_BYTES);
	filter->view = view;
	if (tree != NULL && !json_is_null(tree)) {
		struct filter_node *root = pl_arena_alloc(filter->arena, sizeof(*root));
		pl_buf_add_text(&cursor.pointer, pointer);
		if (!query_filter_parse(view, tree, &cursor, filter->arena, root))
			return -1;
		for (size_t i = 0; root->kind == FILTER_AND && i < root->count; i++)
			add_term(filter, &root->children[i]);
		if (root->kind != FILTER_AND)
			add_term(filter, root);
	}
	*ret = pl_take(filter);
	return 0;
}

void query_filter_free(struct query_filter *filter)
{
	if (filter == NULL)
		return;
	for (size_t i = 0; i < filter->count; i++) {
		free((void *)filter->groups[i].terms);
		free(filter->groups[i].without);
	}
	free(filter->groups);
	free(filter->rows);
	pl_arena_free(filter->arena);
	free(filter);
}

/* ---- rows -------------------------------------------------------------------------------------- */

const uint64_t *query_filter_rows(struct query_filter *filter)
{
	if (filter->rows != NULL)
		return filter->rows;
	auto_free struct scratch *scratch = scratch_new();
	uint64_t node_words[MIRROR_SEGMENT_WORDS];
	filter->rows = pl_alloc_array(mirror_view_words(filter->view), sizeof(*filter->rows));
	for (size_t segment = 0; segment < mirror_view_segments(filter->view); segment++) {
		/* stop without a result: the query ends */
		if (mirror_view_goes_on(filter->view, PL_ERR_IGNORED) < 0)
			break;
		uint64_t *rows = filter->rows + segment * MIRROR_SEGMENT_WORDS;
		mirror_view_live(filter->view, segment, rows);
		for (size_t i = 0; i < filter->count && !is_empty(rows); i++) {
			group_rows(filter, &filter->groups[i], segment, scratch, node_words);
			mirror_kernels()->and (rows, rows, node_words, MIRROR_SEGMENT_WORDS);
		}
	}
	return filter->rows;
}

/*
 * Computes the rows of all other groups for each group, in two passes: first the groups after it, then those before it.
 * own: bitmaps of one segment, one per group.
 */
static void leave_out(struct query_filter *filter, size_t segment, struct scratch *scratch,
		      uint64_t (*node_words)[MIRROR_SEGMENT_WORDS])
{
	const struct mirror_kernels *kernels = mirror_kernels();
	uint64_t rows[MIRROR_SEGMENT_WORDS];
	size_t at = segment * MIRROR_SEGMENT_WORDS;

	mirror_view_live(filter->view, segment, rows);
	for (size_t i = filter->count; i-- > 0;) {
		group_rows(filter, &filter->groups[i], segment, scratch, node_words[i]);
		if (filter->groups[i].only != NULL)
			memcpy(filter->groups[i].without + at, rows, sizeof(rows));
		kernels->and (rows, rows, node_words[i], MIRROR_SEGMENT_WORDS);
	}
	mirror_view_live(filter->view, segment, rows);
	for (size_t i = 0; i < filter->count; i++) {
		if (filter->groups[i].only != NULL)
			kernels->and (filter->groups[i].without + at,
				      filter->groups[i].without + at, rows, MIRROR_SEGMENT_WORDS);
		kernels->and (rows, rows, node_words[i], MIRROR_SEGMENT_WORDS);
	}
}

static void make_without(struct query_filter *filter)
{
	auto_free struct scratch *scratch = scratch_new();
	auto_free uint64_t(*node_words)[MIRROR_SEGMENT_WORDS] = pl_alloc_array(filter->count,
									       sizeof(*node_words));

	for (size_t i = 0; i < filter->count; i++) {
		if (filter->groups[i].only != NULL)
			filter->groups[i].without = pl_alloc_array(mirror_view_words(filter->view),
								   sizeof(uint64_t));
	}
	for (size_t segment = 0; segment < mirror_view_segments(filter->view); segment++)
		leave_out(filter, segment, scratch, node_words);
}

const uint64_t *query_filter_rows_without(struct query_filter *filter,
					  const struct mirror_column *column)
{
	for (size_t i = 0; i < filter->count; i++) {
		if (filter->groups[i].only != column)
			continue;
		if (filter->groups[i].without == NULL)
			make_without(filter);
		return filter->groups[i].without;
	}
	return query_filter_rows(filter);
}
