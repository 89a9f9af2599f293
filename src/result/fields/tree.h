/*
 * The paths of all fields as a tree of keys, made once per list: a walk through a document with it
 * looks up each key once, instead of each of a thousand fields.
 *
 * Each prefix with its own path has a root. A node is a part of a dotted path; a key of a document
 * may span several ("p99.9_ttft_ms").
 */
#pragma once

#include "result/fields/fields.h"

#include <stdint.h>

enum res_tree_root {
	RES_TREE_DOCUMENT, /* all other fields: ids are paths */
	RES_TREE_RUN,      /* also the document */
	RES_TREE_CHECKS,   /* below it, a check's id is one key, including its dots */
	RES_TREE_FAILURES, /* these two have no path: they are computed */
	RES_TREE_DERIVED,
	RES_TREE_PATHS, /* the first of res_field_aliases */
	RES_TREE_SERVER = RES_TREE_PATHS,
	RES_TREE_BENCHMARK,
	RES_TREE_EXPERIMENT,
	RES_TREE_ROOTS,
};

/* 0, the root of the document, is never a child: as a child it means "none". */
typedef uint32_t res_tree_at;

struct res_tree_node {
	const char *key; /* part of the field's id: not NUL-terminated */
	size_t len;
	res_tree_at above;
	res_tree_at first, next; /* first child, next sibling */
	uint32_t field;          /* its index in the list plus 1; 0: no field */
	/* for a field below: length of its path through the following key */
	uint32_t path_len;
};

struct res_tree;
/* The rows must not move. */
struct res_tree *res_tree_new(const struct res_field *fields, size_t count);
void res_tree_free(struct res_tree *tree);

const struct res_tree_node *res_tree_node(const struct res_tree *tree, res_tree_at at);
/* Returns the child of `at` for a key of a document, which may span several parts; 0: none. */
res_tree_at res_tree_below(const struct res_tree *tree, res_tree_at at, const char *key);
/* The same for a single part with any characters. */
res_tree_at res_tree_child(const struct res_tree *tree, res_tree_at at, const char *part,
			   size_t len);
/* Returns the path after the root of a field: "ready_s" for "run.ready_s". */
const char *res_tree_path(const struct res_tree *tree, size_t field);
