/*
 * Where vLLM's flat result and what goes with it are written, by vLLM's names.
 */
#pragma once

#include "result/flat/flat.h"

/* result_dir and the name that vLLM would give; the caller's (free()). */
char *res_flat_path(const struct res_flat_input *input);
/*
 * save_result: a new file, complete or not there. append_result: one more line of a file of JSON
 * lines; what it held stays whatever happens. result_dir is made. *ret_path: where it went, the
 * caller's.
 */
int res_flat_write(const struct res_flat_input *input, char **ret_path,
		   struct pl_err *err) PL_MUST_CHECK;
/*
 * What vLLM writes beside the file at `path`: the last ".ext" of its name replaced by `suffix`, or
 * the suffix put behind a name that has none; the caller's (free()). Its folder has to be there.
 */
char *res_flat_beside(const char *path, const char *suffix);
/* Makes result_dir, where there is one. */
int res_flat_folder(const struct vllm_bench *bench, struct pl_err *err) PL_MUST_CHECK;
/* Could such a file be written? Called before the first request; makes nothing. */
int res_flat_check_beside(const struct vllm_bench *bench, const char *suffix,
			  struct pl_err *err) PL_MUST_CHECK;
/* Can the file be written, where one is asked for? Called before the first request. */
int res_flat_check(const struct vllm_bench *bench, struct pl_err *err) PL_MUST_CHECK;
