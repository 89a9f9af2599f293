/*
 * The file that PyTorch's benchmark pages read, beside vLLM's flat result: written where the
 * variable SAVE_TO_PYTORCH_BENCHMARK_FORMAT says anything (docs/reference/plots.md).
 */
#pragma once

#include "result/flat/flat.h"

#define RES_PYTORCH_SUFFIX ".pytorch.json"

bool res_pytorch_wanted(void);
/* Can it be written, where it is wanted and a flat result is asked for? Called before the first
 * request. */
int res_pytorch_check(const struct vllm_bench *bench, struct pl_err *err) PL_MUST_CHECK;
/* flat_path: of the flat result, whose name it gets with another ending; *ret_path: the
 * caller's. */
int res_pytorch_write(const struct res_flat_input *input, const char *flat_path, char **ret_path,
		      struct pl_err *err) PL_MUST_CHECK;
