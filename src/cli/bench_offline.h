/*
 * `profllm bench latency`, `throughput`, `startup` and `mm-processor`: a command line of vLLM's offline benchmarks
 * instead of an experiment file.
 */
#pragma once

struct vllm_bench_kind;

/* argv[0] is the kind. Returns the exit status. */
int cli_bench_offline(const struct vllm_bench_kind *kind, int argc, char **argv);
