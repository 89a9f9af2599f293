/*
 * The file for PyTorch's benchmark pages, written next to vLLM's flat result if the variable
 * SAVE_TO_PYTORCH_BENCHMARK_FORMAT is not empty (docs/reference/plots.md).
 */
#pragma once

#include "result/flat/flat.h"

#define RES_PYTORCH_SUFFIX ".pytorch.json"

bool res_pytorch_wanted(void);
/*
 * Checks whether it can be written, if it and a flat result are requested. Called before the first
 * request.
 */
int res_pytorch_check(const struct vllm_bench *bench, struct pl_err *err) PL_MUST_CHECK;
/*
 * flat_path: path of the flat result; the file has its name with another suffix. *ret_path: owned
 * by the caller.
 */
int res_pytorch_write(const struct res_flat_input *input, const char *flat_path, char **ret_path,
		      struct pl_err *err) PL_MUST_CHECK;
