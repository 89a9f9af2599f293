/*
 * What the files experiment*.c share: the sections' readers. Each notes its problems and goes on.
 * A map node without a line comes from a dotted name ("--set a.b=v") and is laid over what is
 * there; any other map takes its place.
 */
#ifndef EXPERIMENT_CONFIG_PRIV_H
#define EXPERIMENT_CONFIG_PRIV_H

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
#define EXP_NEST_EXPECTED "a key that is not nested as deep"

/* All rows of tbl/experiment_keys.h at their defaults. */
void exp_keys_init(struct exp_config *experiment);
void exp_keys_done(struct exp_config *experiment);
/* One value of the section ("launch"; "" for the top), by its name in the section. */
void exp_key_read(struct option_reader *reader, const char *section, const struct pl_yaml *name,
		  const struct pl_yaml *value, struct exp_config *experiment);
/* Does a row begin with "section."? */
bool exp_section_exists(const char *section);
/* The section's rows with their effective values; "" for the top. */
void exp_keys_to_json(const struct exp_config *experiment, const char *section, json_t *into);

/* Takes server.port and server.host for those of `launch`; two that differ are a problem. */
void exp_launch_join(struct exp_config *experiment, struct option_problems *problems);
/* Takes in the file that server.config names, as vLLM does: below what is set already. */
void exp_server_config_read(struct exp_config *experiment, bool fields_open,
			    struct option_problems *problems);
void exp_server_read(const struct vllm_catalog *catalog, struct option_reader *reader,
		     const struct pl_yaml *map, json_t *server);
void exp_benchmark_read(struct option_reader *reader, const struct pl_yaml *map,
			struct vllm_bench *bench, bool bench_set[VLLM_BENCH_COUNT]);

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

#endif
