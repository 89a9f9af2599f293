/* Parameter files of vLLM's sweeps: the combinations, their names, and the paths of their files. */
#pragma once

#include "base/json.h"

/* The key that names a combination; it is not passed to commands. */
#define SWEEP_VLLM_NAME "_benchmark_name"

/*
 * Reads a list of objects, or an object of them by name, which becomes the combination's SWEEP_VLLM_NAME. *ret: an
 * array of at least one object; path NULL: one empty object. New reference. Checks that names are unique; errors name
 * the file and the location.
 */
int sweep_vllm_params_read(const char *path, json_t **ret, struct pl_err *err) PL_MUST_CHECK;
/* The same for a text; `source` is its name. */
int sweep_vllm_params_parse(const char *text, size_t len, const char *source, json_t **ret,
			    struct pl_err *err) PL_MUST_CHECK;

/* Returns its SWEEP_VLLM_NAME, else "a=1-b=True" in the order of the file; "" for an empty one. free() */
char *sweep_vllm_name(const json_t *combination);

/*
 * Parses "serve_key=bench_key,…": which pairs of combinations belong together. *ret: an array of pairs, each an array
 * of two keys; empty for NULL and "". New reference.
 */
int sweep_vllm_links_parse(const char *text, json_t **ret, struct pl_err *err) PL_MUST_CHECK;
/* Returns whether both have all linked keys with equal values, as in Python. */
bool sweep_vllm_linked(const json_t *links, const json_t *serve, const json_t *bench);

/* Returns whether both keys are spellings of one flag. */
bool sweep_vllm_same_key(const char *a, const char *b);

/* One part of a directory name: "SERVE-" and the combination's name; name "": omitted. */
struct sweep_vllm_part {
	const char *head;
	const char *name;
};
/*
 * Joins `root` and the parts with '-', like vLLM: "r/SERVE--a=1-BENCH--b=2"; '/' becomes '_', '..' becomes '__', quotes
 * at the ends are removed. Returns `root` if no part has a name. free()
 */
char *sweep_vllm_folder(const char *root, const struct sweep_vllm_part *parts, size_t count);
/* Returns a file name in the same spelling. free() */
char *sweep_vllm_file_name(const char *name);
