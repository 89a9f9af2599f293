/*
 * What the files experiment*.c share: the sections' readers. Each notes its problems and goes on.
 * A map node without a line comes from a dotted name ("--set a.b=v") and is laid over what is
 * there; any other map takes its place.
 */
#ifndef MODEL_EXPERIMENT_PRIV_H
#define MODEL_EXPERIMENT_PRIV_H

#include "model/experiment.h"
#include "model/validate.h"

#define MD_SECTION_DEPTH_MAX 16

/* The nodes of "a.b.c", as mappings in one another. */
struct md_nest {
	struct pl_yaml maps[MD_SECTION_DEPTH_MAX];
	struct pl_yaml names[MD_SECTION_DEPTH_MAX];
	struct pl_yaml *keys[MD_SECTION_DEPTH_MAX];
	struct pl_yaml *items[MD_SECTION_DEPTH_MAX];
};
/*
 * Fills *nest with the mappings that `path` (cut up) means, `value` in the innermost, and gives the
 * outermost; the mappings have no line, their names the place of `at`. NULL: it is nested too deep.
 * Borrows all.
 */
const struct pl_yaml *md_nest(struct md_nest *nest, char *path, const struct pl_yaml *at,
			      const struct pl_yaml *value);
#define MD_NEST_EXPECTED "a key that is not nested as deep"

/* All rows of tbl/experiment_keys.h at their defaults. */
void md_keys_init(struct md_experiment *experiment);
void md_keys_done(struct md_experiment *experiment);
/* One value of the section ("launch"; "" for the top), by its name in the section. */
void md_key_read(struct md_reader *reader, const char *section, const struct pl_yaml *name,
		 const struct pl_yaml *value, struct md_experiment *experiment);
/* Does a row begin with "section."? */
bool md_section_exists(const char *section);
/* The section's rows with their effective values; "" for the top. */
void md_keys_to_json(const struct md_experiment *experiment, const char *section, json_t *into);
/* -1: a LATER row is set. */
int md_keys_check_supported(const struct md_experiment *experiment,
			    struct pl_err *err) PL_MUST_CHECK;

/* vLLM's arguments among the words of launch.command and launch.extra_args: what the run itself
 * must know is refused there, the others are warned of. */
void md_words_check(const struct md_experiment *experiment, struct option_problems *problems);
/* Takes server.port and server.host for those of `launch`, and checks its keys against each
 * other. */
void md_launch_check(struct md_experiment *experiment, struct option_problems *problems);
/* Takes in the file that server.config names, as vLLM does: below what is set already. */
void md_config_read(struct md_experiment *experiment, bool fields_open,
		    struct option_problems *problems);
void md_server_read(struct md_reader *reader, const struct pl_yaml *map, json_t *server);
void md_bench_read(struct md_reader *reader, const struct pl_yaml *map, struct md_bench *bench,
		   bool bench_set[MD_BENCH_COUNT]);
/* Options against each other; `map` (or NULL) gives the places. */
void md_bench_check(struct md_reader *reader, const struct pl_yaml *map,
		    const struct md_bench *bench);

/* Notes a problem of a key at the place where it was set (NULL: nowhere). */
void md_experiment_add(const struct md_experiment *experiment, const struct option_place *place,
		       const struct option_problem *problem, struct option_problems *problems);
/* Notes a key that was in the map before, in either spelling; true when it was. */
bool md_key_is_repeated(struct md_reader *reader, const struct pl_yaml *map, size_t i,
			const char *key);
/* Equal but for '-' and '_'. */
bool md_same_name(const char *a, const char *b);
/* The value of a snake_case key written in either spelling; NULL. */
const struct pl_yaml *md_map_get(const struct pl_yaml *map, const char *name);
/* Replaces ${VAR}; NULL with a problem when a variable is not set. The caller's (free()). */
char *md_expand(struct md_reader *reader, const struct pl_yaml *node, const char *key,
		const char *text);
/* Sets or, for a map from a dotted name, merges. Steals `value`. */
void md_object_put(json_t *object, const char *name, const struct pl_yaml *node, json_t *value);
/* "['a','b']" of "a|b", NULL for "". The caller's (free()). */
char *md_choices_of_bars(const char *bars);

#endif
