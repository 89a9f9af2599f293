/*
 * What the readers of all sections of an experiment file share: names in either spelling, ${VAR},
 * dotted names, and problems at the place of a key.
 */
#pragma once

#include "experiment/config.h"
#include "option/value.h"

#define EXP_SECTION_DEPTH_MAX 16

/* The nodes of "a.b.c", as mappings in one another. */
struct exp_nest {
	struct pl_yaml maps[EXP_SECTION_DEPTH_MAX];
	struct pl_yaml names[EXP_SECTION_DEPTH_MAX];
	struct pl_yaml *keys[EXP_SECTION_DEPTH_MAX];
	struct pl_yaml *items[EXP_SECTION_DEPTH_MAX];
};
/*
 * Fills *nest with the mappings that `path` (cut up) means, `value` in the innermost, and gives the
 * outermost; the mappings have no line, their names the place of `at`. NULL: it is nested too deep.
 * Borrows all.
 */
const struct pl_yaml *exp_nest(struct exp_nest *nest, char *path, const struct pl_yaml *at,
			       const struct pl_yaml *value);
#define EXP_NEST_EXPECTED "a key with fewer levels"

/* Notes a problem of a key at the place where it was set (NULL: nowhere). */
void exp_config_add(const struct exp_config *experiment, const struct option_place *place,
		    const struct option_problem *problem, struct option_problems *problems);
/* Notes a key that was in the map before, in either spelling; true when it was. */
bool exp_key_is_repeated(struct option_reader *reader, const struct pl_yaml *map, size_t i,
			 const char *key);
/* Equal but for '-' and '_'. */
bool exp_same_name(const char *a, const char *b);
/* The value of a snake_case key written in either spelling; NULL. */
const struct pl_yaml *exp_map_get(const struct pl_yaml *map, const char *name);
/* Replaces ${VAR}; NULL with a problem when a variable is not set. The caller's (free()). */
char *exp_expand(struct option_reader *reader, const struct pl_yaml *node, const char *key,
		 const char *text);
/* Sets or, for a map from a dotted name, merges. Steals `value`. */
void exp_object_put(json_t *object, const char *name, const struct pl_yaml *node, json_t *value);
/* Keeps what is to be expanded as it was written. Steals `value`. */
void exp_raw_put(struct option_reader *reader, const char *key, const struct pl_yaml *node,
		 json_t *value);
