/*
 * Builds the tree of a YAML document from libyaml's events. base/yaml.c provides access to it and
 * interprets its scalars.
 */
#pragma once

#include "base/yaml.h"

struct pl_yaml_doc {
	struct pl_arena *arena; /* owns every node and text */
	char *source;
	const struct pl_yaml *root; /* set by pl_yaml_build() */
};

/*
 * Reads all of `text`. On -1, err names the cause and the location; nodes built so far remain
 * unused in the arena.
 */
int pl_yaml_build(struct pl_yaml_doc *doc, const char *text, size_t len,
		  struct pl_err *err) PL_MUST_CHECK;
