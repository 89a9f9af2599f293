/*
 * vLLM's flat result of `bench serve`: its keys in its order, and the name of its file. One key of
 * ours stands last, `profllm`, and holds the whole result of this program.
 */
#ifndef RESULT_FLAT_FLAT_H
#define RESULT_FLAT_FLAT_H

#include "base/err.h"
#include "vllm/bench_options.h"
#include "result/record.h"

struct res_flat_input {
	const struct vllm_bench *bench;
	const json_t *results; /* of the result document */
	const struct res_record *records;
	size_t count;
	const char *model_id;
	int64_t start_ns;        /* start of sending, on the records' clock */
	int64_t started_real_ns; /* the same, CLOCK_REALTIME */
	int64_t ended_real_ns;
	const json_t *document; /* goes under `profllm`; NULL: no such key */
};

/* New reference. Lists of single requests only with save_detailed, as vLLM keeps them. */
json_t *res_flat_build(const struct res_flat_input *input);
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
/* Can the file be written, and what goes with it? Called before the first request. */
int res_flat_check(const struct vllm_bench *bench, struct pl_err *err) PL_MUST_CHECK;

#endif
