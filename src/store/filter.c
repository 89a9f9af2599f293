#include "store/filter.h"

#include <stdlib.h>
#include <string.h>

#include "store/columns_priv.h"
#include "store/filter_priv.h"

#define ARENA_BLOCK_BYTES 16384

/* A term of the and at the top of the tree, or the tree. */
struct term {
	const struct store_column *only;
	uint64_t *rows;
};

struct store_filter {
	struct pl_arena *arena;
	struct term *terms; /* a row of all is meant: also by none */
	size_t term_count;
	size_t rows;
	size_t words; /* of a bitmap of them */
};

/* Trees beyond the bounds are refused: what they name there does not count. */
static void collect_fields(const json_t *tree, unsigned depth, size_t max, struct store_ids *ids)
{
	static const char *const lists[] = { "and", "or" };
	const char *field = json_string_value(json_object_get(tree, "field"));
	const json_t *not = json_object_get(tree, "not");

	if (depth == 0 || ids->count >= max)
		return;
	if (field != NULL)
		*PL_PUSH(ids->items, ids->count, ids->room) = field;
	if (not != NULL)
		collect_fields(not, depth - 1, max, ids);
	for (size_t k = 0; k < PL_ARRAY_SIZE(lists); k++) {
		const json_t *list = json_object_get(tree, lists[k]);
		for (size_t i = 0; i < json_array_size(list) && ids->count < max; i++)
			collect_fields(json_array_get(list, i), depth - 1, max, ids);
	}
}

void store_filter_fields(const json_t *tree, struct store_ids *ids)
{
	collect_fields(tree, STORE_FILTER_DEPTH_MAX, ids->count + STORE_FILTER_NODES_MAX, ids);
}

static void evaluate(const struct store_filter *filter, const struct store_view *view,
		     const struct filter_node *node, uint64_t *ret_rows)
{
	auto_free uint64_t *rows = NULL;

	if (node->kind == FILTER_PREDICATE) {
		predicate_rows(&node->predicate, filter->words, store_view_rows(view), ret_rows);
		return;
	}
	evaluate(filter, view, &node->children[0], ret_rows);
	if (node->kind == FILTER_NOT) {
		for (size_t i = 0; i < filter->words; i++)
			ret_rows[i] = ~ret_rows[i];
		return;
	}
	rows = pl_alloc_array(filter->words, sizeof(*rows));
	for (size_t k = 1; k < node->count; k++) {
		evaluate(filter, view, &node->children[k], rows);
		for (size_t i = 0; i < filter->words; i++)
			ret_rows[i] = node->kind == FILTER_AND ? ret_rows[i] & rows[i]
							       : ret_rows[i] | rows[i];
	}
}

static void add_term(struct store_filter *filter, const struct store_view *view,
		     const struct filter_node *node)
{
	struct term *term = &filter->terms[filter->term_count++];

	term->only = node->only;
	term->rows = pl_alloc_array(filter->words, sizeof(*term->rows));
	evaluate(filter, view, node, term->rows);
}

int store_filter_new(const struct store_view *view, const json_t *tree, const char *pointer,
		     struct store_filter **ret, struct res_schema_faults *faults)
{
	auto_filter struct store_filter *filter = pl_alloc(sizeof(*filter));
	auto_place place = { .pointer = PL_BUF(PLACE_BYTES_MAX), .faults = faults };
	struct filter_node root = { .kind = FILTER_PREDICATE };

	filter->arena = pl_arena_new(ARENA_BLOCK_BYTES);
	filter->words = store_view_words(view);
	filter->rows = store_view_rows(view);
	if (tree != NULL && !json_is_null(tree)) {
		bool is_and;
		pl_buf_add_text(&place.pointer, pointer);
		if (!filter_parse(view, tree, &place, filter->arena, &root))
			return -1;
		is_and = root.kind == FILTER_AND;
		filter->terms = pl_alloc_array(is_and ? root.count : 1, sizeof(*filter->terms));
		for (size_t i = 0; is_and && i < root.count; i++)
			add_term(filter, view, &root.children[i]);
		if (!is_and)
			add_term(filter, view, &root);
	}
	*ret = pl_take(filter);
	return 0;
}

void store_filter_free(struct store_filter *filter)
{
	if (filter == NULL)
		return;
	for (size_t i = 0; i < filter->term_count; i++)
		free(filter->terms[i].rows);
	free(filter->terms);
	pl_arena_free(filter->arena);
	free(filter);
}

static void meet_terms(const struct store_filter *filter, const struct store_column *without,
		       uint64_t *ret_rows)
{
	for (size_t i = 0; i < filter->words; i++)
		ret_rows[i] = ~0ull;
	if (filter->rows % 64 != 0)
		ret_rows[filter->words - 1] = (1ull << filter->rows % 64) - 1;
	for (size_t k = 0; k < filter->term_count; k++) {
		const struct term *term = &filter->terms[k];
		if (without != NULL && term->only == without)
			continue;
		for (size_t i = 0; i < filter->words; i++)
			ret_rows[i] &= term->rows[i];
	}
}

void store_filter_rows(const struct store_filter *filter, uint64_t *ret_rows)
{
	meet_terms(filter, NULL, ret_rows);
}

bool store_filter_rows_without(const struct store_filter *filter, const struct store_column *column,
			       uint64_t *ret_rows)
{
	for (size_t k = 0; k < filter->term_count; k++) {
		if (filter->terms[k].only == column) {
			meet_terms(filter, column, ret_rows);
			return true;
		}
	}
	return false;
}
