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
/* What runs it in_process: launch.command ("vllm serve", however vLLM is called) with "bench KIND" for
 * its last word. New reference. */
json_t *exp_offline_command(const struct exp_config *experiment);
/*
 * The words behind that, appended to argv: the engine's arguments of `values`, and the benchmark's own
 * options that were set, but for output_json, which is the caller's to say. *ret_env has the engine's
 * secrets, as of vllm_args_to_argv() (new reference).
 */
int exp_offline_words(const struct exp_config *experiment, const json_t *values, json_t *argv,
		      json_t **ret_env, struct pl_err *err) PL_MUST_CHECK;
/* All is read: options that were not set get the kind's own defaults, and the server what the kind's
 * engine has otherwise. */
void exp_offline_complete(struct exp_config *experiment);
