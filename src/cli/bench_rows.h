/* The options of `profllm bench serve` as rows for help, manual page and completion. */
#ifndef CLI_BENCH_ROWS_H
#define CLI_BENCH_ROWS_H

#include "base/opt.h"
#include "vllm/bench/line.h"

/* Ours beside those of tbl/bench_args.h; ended by a row whose flag is NULL. */
extern const struct option_row cli_bench_flags[];

#endif
