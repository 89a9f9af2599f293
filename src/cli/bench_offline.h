/*
 * `profllm bench latency`, `throughput`, `startup` and `mm-processor`: a line of vLLM's offline benchmarks
 * in place of an experiment file.
 */
#pragma once

#include "base/json.h"
#include "result/document.h"

struct exp_config;
struct vllm_bench_kind;

/* argv[0] is the kind. Returns the exit status. */
int cli_bench_offline(const struct vllm_bench_kind *kind, int argc, char **argv);

/* Is --upload an address, and is there an --output? */
int cli_bench_check_upload(const json_t *flags, struct pl_err *err) PL_MUST_CHECK;
/* Runs an experiment with the flags of `profllm bench` ("--output", "--json", …) that were given, by name,
 * and prints its result; returns the exit status. In cmd_bench.c. */
int cli_bench_run(struct exp_config *experiment, const json_t *flags, enum res_fail_on fail_on);
