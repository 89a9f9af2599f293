/*
 * vLLM's flat result of `bench serve`: its keys in its order, followed by one additional key,
 * `profllm`, which holds the whole result of this program.
 */
#pragma once

#include "base/err.h"
#include "result/record.h"
#include "vllm/bench_options.h"

struct res_flat_input {
	const struct vllm_bench *bench;
	const json_t *results; /* of the result document */
	const struct res_record *records;
	size_t count;
	const char *model_id;
	int64_t start_ns;        /* start of sending, on the records' clock */
	int64_t started_real_ns; /* the same, CLOCK_REALTIME */
	int64_t ended_real_ns;
	const json_t *document; /* value of `profllm`; NULL: omit the key */
};

/* Returns a new reference. Lists of single requests only with save_detailed, as in vLLM. */
json_t *res_flat_build(const struct res_flat_input *input);
