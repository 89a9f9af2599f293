/*
 * Parameter files of vLLM's sweeps: which combinations there are, what each is called, and where its
 * files lie.
 */
#pragma once

#include "base/json.h"

/* The key that names a combination; no command gets it. */
#define SWEEP_VLLM_NAME "_benchmark_name"

/*
 * A list of objects, or an object of them by name, each of which is then the combination's
 * SWEEP_VLLM_NAME. *ret: an array of objects, at least one; path NULL: of one empty object. New
 * reference. Names are told to be unique; errors name the file and the place.
 */
int sweep_vllm_params_read(const char *path, json_t **ret, struct pl_err *err) PL_MUST_CHECK;
/* The same of a text that `source` has. */
int sweep_vllm_params_parse(const char *text, size_t len, const char *source, json_t **ret,
			    struct pl_err *err) PL_MUST_CHECK;

/* Its SWEEP_VLLM_NAME, else "a=1-b=True" in the order of the file; "" of an empty one. free(). */
char *sweep_vllm_name(const json_t *combination);

/*
 * "serve_key=bench_key,…": which pairs of combinations belong together. *ret: an array of pairs, each
 * an array of two keys; empty for NULL and "". New reference.
 */
int sweep_vllm_links_parse(const char *text, json_t **ret, struct pl_err *err) PL_MUST_CHECK;
/* Are all linked keys in both, and equal as Python has it? */
bool sweep_vllm_linked(const json_t *links, const json_t *serve, const json_t *bench);

/* Do both keys mean one flag, however they are spelt? */
bool sweep_vllm_same_key(const char *a, const char *b);

/* One part of a folder's name: "SERVE-" and the combination's; name "": it is left out. */
struct sweep_vllm_part {
	const char *head;
	const char *name;
};
/*
 * `root` and the parts joined by '-', as vLLM spells them: "r/SERVE--a=1-BENCH--b=2"; '/' is '_', '..'
 * is '__', quotes at the ends go. `root` itself where no part has a name. The caller's (free()).
 */
char *sweep_vllm_folder(const char *root, const struct sweep_vllm_part *parts, size_t count);
/* A file's name in the same spelling. The caller's (free()). */
char *sweep_vllm_file_name(const char *name);
