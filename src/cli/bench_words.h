/*
 * Messages about an experiment file in the words of the command line: "benchmark.endpoint" and
 * "'vocab_size'" are --endpoint and --vocab-size to one who has typed `bench serve`.
 */
#ifndef CLI_BENCH_WORDS_H
#define CLI_BENCH_WORDS_H

#include "base/err.h"

/* The caller's (free()). What names no option stays as it is. */
char *cli_bench_in_flags(const char *text);
/* As cli_fail(), in these words. */
int cli_bench_fail(const struct pl_err *err);

#endif
