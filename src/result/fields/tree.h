/*
 * The places of all fields as a tree of keys, made once for a list: who walks through a document along
 * it looks at each of its keys once, and not at each of a thousand fields.
 *
 * There is a root for each place that fields are looked for in. A node is a part of a dotted path; a
 * key of a document may be several of them ("p99.9_ttft_ms").
 */
#pragma once

#include "result/fields/fields.h"

#include <stdint.h>

enum res_tree_root {
	RES_TREE_DOCUMENT, /* what has no other: ids are paths */
	RES_TREE_RUN,      /* the document, too */
	RES_TREE_CHECKS,   /* below it the id of a check is one key, dots and all */
	RES_TREE_FAILURES, /* these two stand nowhere, but are made of what does */
	RES_TREE_DERIVED,
	RES_TREE_PLACES, /* the first of res_field_places */
	RES_TREE_SERVER = RES_TREE_PLACES,
	RES_TREE_BENCHMARK,
	RES_TREE_EXPERIMENT,
	RES_TREE_ROOTS,
};

/* 0, the root of the document, is below none: as a child it says that there is none. */
typedef uint32_t res_tree_at;

struct res_tree_node {
	const char *key; /* of the field's id: not NUL-ended */
	size_t len;
	res_tree_at above;
	res_tree_at first, next; /* below it, and beside it */
	uint32_t field;          /* its place in the list, and 1; 0: no field is here */
	uint32_t path_len;       /* of a field below: its path up to the key behind this one */
};

struct res_tree;
/* Of rows that stay where they are. */
struct res_tree *res_tree_new(const struct res_field *fields, size_t count);
void res_tree_free(struct res_tree *tree);

const struct res_tree_node *res_tree_node(const struct res_tree *tree, res_tree_at at);
/* What stands below `at` by a key of a document, which may be several parts; 0: nothing. */
res_tree_at res_tree_below(const struct res_tree *tree, res_tree_at at, const char *key);
/* The same of one part, whatever is in it. */
res_tree_at res_tree_child(const struct res_tree *tree, res_tree_at at, const char *part,
			   size_t len);
/* What is behind the root of a field: "ready_s" of "run.ready_s". */
const char *res_tree_path(const struct res_tree *tree, size_t field);
