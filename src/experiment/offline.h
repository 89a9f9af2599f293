/*
 * benchmark.kind latency, throughput, startup and mm-processor: figures of vLLM's offline benchmarks,
 * which run an engine of their own (in_process), or the same figures taken at a server.
 */
#pragma once

#include "experiment/config.h"
#include "vllm/bench/kinds.h"

/* The kind's; NULL: it is a load at a server. */
const struct vllm_bench_kind *exp_offline_kind(const struct exp_config *experiment);
/* Is it to run `vllm bench KIND`? benchmark.mode says, else whether vLLM is to be started. */
bool exp_is_in_process(const struct exp_config *experiment);
/* "in_process", "server"; NULL: of a load at a server. */
const char *exp_offline_mode(const struct exp_config *experiment);
/* All is read: options that were not set get the kind's own defaults, and the server what the kind's
 * engine has otherwise. */
void exp_offline_complete(struct exp_config *experiment);
