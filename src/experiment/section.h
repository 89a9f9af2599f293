/*
 * Shared by the readers of all sections of an experiment file: names in either spelling, ${VAR},
 * dotted names, and problems at the location of a key.
 */
#pragma once

#include "experiment/config.h"
#include "option/value.h"

#define EXP_SECTION_DEPTH_MAX 16

/* The nodes of "a.b.c", as nested mappings. */
struct exp_nest {
	struct pl_yaml maps[EXP_SECTION_DEPTH_MAX];
	struct pl_yaml names[EXP_SECTION_DEPTH_MAX];
	struct pl_yaml *keys[EXP_SECTION_DEPTH_MAX];
	struct pl_yaml *items[EXP_SECTION_DEPTH_MAX];
};
/*
 * Fills *nest with the mappings for `path` (which it modifies), with `value` in the innermost, and
 * returns the outermost. The mappings have no line, their names the location of `at`. NULL: nested
 * too deeply. Borrows everything.
 */
const struct pl_yaml *exp_nest(struct exp_nest *nest, char *path, const struct pl_yaml *at,
			       const struct pl_yaml *value);
#define EXP_NEST_EXPECTED "a key with fewer levels"

/* Records a problem of a key at the location where it was set (NULL: none). */
void exp_config_add(const struct exp_config *experiment, const struct option_location *location,
		    const struct option_problem *problem, struct option_problems *problems);
/* Records a problem and returns true if the map already contains the key, in either spelling. */
bool exp_key_is_repeated(struct option_reader *reader, const struct pl_yaml *map, size_t i,
			 const char *key);
/* Compares names with '-' equal to '_'. */
bool exp_same_name(const char *a, const char *b);
/* Returns the value of a snake_case key in either spelling, or NULL. */
const struct pl_yaml *exp_map_get(const struct pl_yaml *map, const char *name);
/* Expands ${VAR}; NULL with a problem if a variable is not set. The caller frees it with free(). */
char *exp_expand(struct option_reader *reader, const struct pl_yaml *node, const char *key,
		 const char *text);
/* Sets the value, or merges it if it is a map from a dotted name. Steals `value`. */
void exp_object_put(json_t *object, const char *name, const struct pl_yaml *node, json_t *value);
/* Stores a value before its expansion. Steals `value`. */
void exp_raw_put(struct option_reader *reader, const char *key, const struct pl_yaml *node,
		 json_t *value);
