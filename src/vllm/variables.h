/*
 * The environment variables of vLLM: the rows of tbl/variables.h.
 */
#pragma once

#include <stdbool.h>

struct vllm_version;

enum vllm_variable_state {
	VLLM_VARIABLE_PRESENT,
	VLLM_VARIABLE_NOT_YET, /* only a newer release has it */
	VLLM_VARIABLE_GONE,    /* only an older release has it */
	VLLM_VARIABLE_UNKNOWN, /* no release has it */
};

struct vllm_variable {
	const char *name;
	const char *since; /* NULL: no limit known */
	const char *until; /* NULL: the last release that was read has it */
	const char *by;    /* arguments or keys of `server`, separated by ", "; NULL: none known */
};

/* Returns whether every variable of the release is known. */
bool vllm_variables_are_known(const struct vllm_version *release);
/* Returns whether the release has a variable. *ret_row is its row, or NULL. */
enum vllm_variable_state vllm_variable_find(const char *name, const struct vllm_version *release,
					    const struct vllm_variable **ret_row);
/* Returns the most similar name that the release has, or NULL if none is similar. */
const char *vllm_variable_nearest(const char *name, const struct vllm_version *release);
