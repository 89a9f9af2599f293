/*
 * The file that PyTorch's benchmark pages read, beside vLLM's flat result: written where the
 * variable SAVE_TO_PYTORCH_BENCHMARK_FORMAT says anything (docs/reference/plots.md).
 */
#ifndef BENCH_FLAT_PYTORCH_H
#define BENCH_FLAT_PYTORCH_H

#include "bench/flat.h"

#define BENCH_PYTORCH_SUFFIX ".pytorch.json"

bool bench_pytorch_wanted(void);
/* An array with a record for each statistic that there is. New reference. */
json_t *bench_pytorch_build(const struct bench_flat_input *input);
/* flat_path: of the flat result, whose name it gets with another ending; *ret_path: the
 * caller's. */
int bench_pytorch_write(const struct bench_flat_input *input, const char *flat_path,
			char **ret_path, struct pl_err *err) PL_MUST_CHECK;

#endif
