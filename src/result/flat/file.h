/* Writing vLLM's flat result and its additional files under vLLM's names. */
#pragma once

#include "result/flat/flat.h"

/* Returns the path from result_dir and vLLM's file name; the caller frees it with free(). */
char *res_flat_path(const struct res_flat_input *input);
/*
 * save_result: writes a new file, complete or not at all. append_result: appends one line to a JSON
 * lines file; existing lines are preserved in any case. Makes result_dir. *ret_path: the path,
 * owned by the caller.
 */
int res_flat_write(const struct res_flat_input *input, char **ret_path,
		   struct pl_err *err) PL_MUST_CHECK;
/*
 * Returns the path of a file that vLLM writes next to `path`: `suffix` replaces the last ".ext" of
 * its name, or is appended to a name without one. The directory must exist. The caller frees it
 * with free().
 */
char *res_flat_artifact_path(const char *path, const char *suffix);
/* Makes result_dir, if it is set. */
int res_flat_folder(const struct vllm_bench *bench, struct pl_err *err) PL_MUST_CHECK;
/* Checks whether such a file can be written. Called before the first request; makes nothing. */
int res_flat_check_artifact(const struct vllm_bench *bench, const char *suffix,
			    struct pl_err *err) PL_MUST_CHECK;
/* Checks whether the requested file, if any, can be written. Called before the first request. */
int res_flat_check(const struct vllm_bench *bench, struct pl_err *err) PL_MUST_CHECK;
