/*
 * YAML documents as a tree that remembers where each node stands (libyaml underneath; JSON is
 * read too, being YAML). Anchors, aliases and merge keys ("<<") are resolved; a second document,
 * duplicate keys and keys that are no scalars are errors. Bounded: 8 MiB, depth 64, 1,000 anchors,
 * 100,000 nodes after aliases are resolved. An alias is the anchor's own node, with its position.
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
/* `source` is the file name for messages ("file:line:col: …"). An empty file is an empty map. */
int pl_yaml_parse(const char *text, size_t len, const char *source, struct pl_yaml_doc **ret,
		  struct pl_err *err) PL_MUST_CHECK;
int pl_yaml_read_file(const char *path, struct pl_yaml_doc **ret, struct pl_err *err) PL_MUST_CHECK;
void pl_yaml_free(struct pl_yaml_doc *doc);
PL_AUTO_DEFINE(struct pl_yaml_doc, pl_yaml_free);
#define auto_yaml PL_AUTO(pl_yaml_free)

const struct pl_yaml *pl_yaml_root(const struct pl_yaml_doc *doc);
/* The value of a map's key, or NULL. */
const struct pl_yaml *pl_yaml_get(const struct pl_yaml *map, const char *key);

/* What a plain scalar means by YAML 1.2's core schema (quoted ones are always text). */
bool pl_yaml_is_null(const struct pl_yaml *node);
bool pl_yaml_to_bool(const struct pl_yaml *node,
		     bool *ret); /* true false, yes no, on off, any case */
bool pl_yaml_to_i64(const struct pl_yaml *node, int64_t *ret);
bool pl_yaml_to_f64(const struct pl_yaml *node, double *ret); /* also .inf -.inf .nan, inf */
/*
 * JSON of the core schema's types; a new reference. Of the words only true and false are booleans
 * ("country: no" is a text); what JSON has no number for becomes "inf", "-inf" or "nan".
 */
json_t *pl_yaml_to_json(const struct pl_yaml *node);
/* For messages: "text 'abc'", "number 3", "a list", "a mapping", "null". */
void pl_yaml_describe(const struct pl_yaml *node, char *text, size_t room);
