#include "result/fields/tree.h"

#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/text.h"
#include "result/fields/fields_priv.h"

const struct res_field_alias res_field_aliases[] = {
	{ "server.", "config.server" },
	{ "benchmark.", "config.benchmark" },
	{ "experiment.", "config.experiment" },
	{ NULL, NULL },
};

const char *res_field_below(const char *id, const char *beginning)
{
	/* called a dozen times for each of a thousand fields of a result: the first letter rules out most */
	return id[0] == beginning[0] && pl_text_starts(id, beginning) ? id + strlen(beginning)
								      : NULL;
}

struct res_tree {
	struct res_tree_node *nodes;
	size_t count;
	const char **paths;
	res_tree_at *slots; /* by node above and key; 0: free */
	size_t slot_count;  /* a power of two */
};

/* ---- looking ------------------------------------------------------------------------------- */

static size_t hash_of(res_tree_at above, const char *part, size_t len)
{
	uint64_t hash = pl_hash_bytes(PL_HASH_NONE ^ above, part, len);

	return (size_t)(hash ^ hash >> 29);
}

/* Returns its slot, or the free one for it. */
static res_tree_at *slot_of(const struct res_tree *tree, res_tree_at above, const char *part,
			    size_t len)
{
	size_t at = hash_of(above, part, len) & (tree->slot_count - 1);

	for (;; at = (at + 1) & (tree->slot_count - 1)) {
		const struct res_tree_node *node = &tree->nodes[tree->slots[at]];
		if (tree->slots[at] == 0 ||
		    (node->above == above && node->len == len && memcmp(node->key, part, len) == 0))
			return &tree->slots[at];
	}
}

const struct res_tree_node *res_tree_node(const struct res_tree *tree, res_tree_at at)
{
	return &tree->nodes[at];
}

res_tree_at res_tree_child(const struct res_tree *tree, res_tree_at at, const char *part,
			   size_t len)
{
	return *slot_of(tree, at, part, len);
}

res_tree_at res_tree_below(const struct res_tree *tree, res_tree_at at, const char *key)
{
	for (;;) {
		size_t len = strcspn(key, ".");
		at = res_tree_child(tree, at, key, len);
		if (at == 0 || key[len] == '\0')
			return at;
		key += len + 1;
	}
}

const char *res_tree_path(const struct res_tree *tree, size_t field)
{
	return tree->paths[field];
}

/* ---- making -------------------------------------------------------------------------------- */

static res_tree_at add_part(struct res_tree *tree, res_tree_at above, const char *part, size_t len)
{
	res_tree_at *slot = slot_of(tree, above, part, len);
	struct res_tree_node *node = &tree->nodes[tree->count];

	if (*slot != 0)
		return *slot;
	*node = (struct res_tree_node){ .key = part,
					.len = len,
					.above = above,
					.next = tree->nodes[above].first,
					.path_len = tree->nodes[above].path_len + (uint32_t)len +
						    1 };
	*slot = tree->nodes[above].first = (res_tree_at)tree->count++;
	return *slot;
}

static res_tree_at add_path(struct res_tree *tree, res_tree_at at, const char *path)
{
	for (;;) {
		size_t len = strcspn(path, ".");
		at = add_part(tree, at, path, len);
		if (path[len] == '\0')
			return at;
		path += len + 1;
	}
}

/*
 * Adds "client_cpu.value": a check's id, and a key in it. The path may also exist in the document.
 */
static void add_check(struct res_tree *tree, const char *path, uint32_t field)
{
	const char *dot = strrchr(path, '.');

	if (dot == NULL)
		return;
	res_tree_at check = add_part(tree, RES_TREE_CHECKS, path, (size_t)(dot - path));
	tree->nodes[add_part(tree, check, dot + 1, strlen(dot + 1))].field = field;
}

static enum res_tree_root root_of(const char *id, const char **ret_path)
{
	static const struct {
		const char *beginning;
		enum res_tree_root root;
	} roots[] = {
		{ RES_FIELD_RUN ".", RES_TREE_RUN },
		{ RES_FIELD_FAILURES ".", RES_TREE_FAILURES },
		{ RES_FIELD_DERIVED ".", RES_TREE_DERIVED },
	};

	for (size_t i = 0; i < PL_ARRAY_SIZE(roots); i++) {
		if ((*ret_path = res_field_below(id, roots[i].beginning)) != NULL)
			return roots[i].root;
	}
	for (size_t i = 0; res_field_aliases[i].beginning != NULL; i++) {
		if ((*ret_path = res_field_below(id, res_field_aliases[i].beginning)) != NULL)
			return RES_TREE_PATHS + (int)i;
	}
	*ret_path = id;
	return RES_TREE_DOCUMENT;
}

struct res_tree *res_tree_new(const struct res_field *fields, size_t count)
{
	struct res_tree *tree = pl_alloc(sizeof(*tree));
	size_t parts = 0;
	for (size_t i = 0; i < count; i++) {
		parts += 3;
		for (const char *at = fields[i].id; *at != '\0'; at++)
			parts += *at == '.';
	}
	size_t most = parts + RES_TREE_ROOTS;

	tree->nodes = pl_alloc_array(most, sizeof(*tree->nodes));
	tree->count = RES_TREE_ROOTS;
	tree->paths = pl_alloc_array(count, sizeof(*tree->paths));
	for (tree->slot_count = 1; tree->slot_count < most * 2;)
		tree->slot_count *= 2;
	tree->slots = pl_alloc_array(tree->slot_count, sizeof(*tree->slots));
	for (size_t i = 0; i < count; i++) {
		const char *id = fields[i].id;
		enum res_tree_root root = root_of(id, &tree->paths[i]);
		const char *check = res_field_below(id, RES_FIELD_QUALITY ".");
		if (check != NULL)
			add_check(tree, check, (uint32_t)i + 1);
		tree->nodes[add_path(tree, root, tree->paths[i])].field = (uint32_t)i + 1;
	}
	return tree;
}

void res_tree_free(struct res_tree *tree)
{
	if (tree == NULL)
		return;
	free(tree->nodes);
	free((void *)tree->paths);
	free(tree->slots);
	free(tree);
}
