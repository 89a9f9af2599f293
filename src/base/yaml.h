/*
 * YAML documents as a tree with the location of each node (based on libyaml; also reads JSON, a
 * subset of YAML). Anchors, aliases and merge keys ("<<") are resolved. Errors: a second document,
 * duplicate keys, keys that are not scalars. Limits: 8 MiB, depth 64, 1,000 anchors, 100,000 nodes
 * after aliases are resolved. An alias is the node of its anchor, with the anchor's location.
 */
#pragma once

#include "base/err.h"
#include "base/json.h"

#include <stdbool.h>

enum pl_yaml_kind { PL_YAML_SCALAR, PL_YAML_LIST, PL_YAML_MAP };

struct pl_yaml {
	enum pl_yaml_kind kind;
	bool plain;       /* scalar without quotes: may be a number, bool or null */
	const char *text; /* scalar; "" otherwise */
	int line;         /* both from 1 */
	int column;
	size_t count;           /* list items or map pairs */
	struct pl_yaml **items; /* list items, or map values */
	struct pl_yaml **keys;  /* map keys (scalars), NULL for a list */
};

struct pl_yaml_doc;
/* `source` is the file name for errors ("file:line:col: …"). An empty file is an empty map. */
int pl_yaml_parse(const char *text, size_t len, const char *source, struct pl_yaml_doc **ret,
		  struct pl_err *err) PL_MUST_CHECK;
int pl_yaml_read_file(const char *path, struct pl_yaml_doc **ret, struct pl_err *err) PL_MUST_CHECK;
void pl_yaml_free(struct pl_yaml_doc *doc);
PL_AUTO_DEFINE(struct pl_yaml_doc, pl_yaml_free);
#define auto_yaml PL_AUTO(pl_yaml_free)

const struct pl_yaml *pl_yaml_root(const struct pl_yaml_doc *doc);
/* Returns the value of a map's key, or NULL. */
const struct pl_yaml *pl_yaml_get(const struct pl_yaml *map, const char *key);

/* Interpret a plain scalar by YAML 1.2's core schema (quoted scalars are always text). */
bool pl_yaml_is_null(const struct pl_yaml *node);
bool pl_yaml_to_bool(const struct pl_yaml *node,
		     bool *ret); /* true false, yes no, on off, any case */
bool pl_yaml_to_i64(const struct pl_yaml *node, int64_t *ret);
/* also accepts .inf -.inf .nan, inf */
bool pl_yaml_to_f64(const struct pl_yaml *node, double *ret);
/*
 * Converts to JSON by the core schema's types; returns a new reference. Only true and false become
 * booleans ("country: no" is a text). Numbers that JSON cannot represent become "inf", "-inf" or
 * "nan".
 */
json_t *pl_yaml_to_json(const struct pl_yaml *node);
/* Describes a node for errors: "text 'abc'", "number 3", "a list", "a mapping", "null". */
void pl_yaml_describe(const struct pl_yaml *node, char *text, size_t room);
