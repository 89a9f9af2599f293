/*
 * How the tree of a YAML document is built from libyaml's events; base/yaml.c gives it out and says
 * what its scalars mean.
 */
#pragma once

#include "base/yaml.h"

struct pl_yaml_doc {
	struct pl_arena *arena; /* of every node and text */
	char *source;
	const struct pl_yaml *root; /* set by pl_yaml_build() */
};

/* Reads all of `text`. -1: what is wrong, and where; what was built lies in the arena unused. */
int pl_yaml_build(struct pl_yaml_doc *doc, const char *text, size_t len,
		  struct pl_err *err) PL_MUST_CHECK;
