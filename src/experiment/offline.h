/*
 * benchmark.kind latency, throughput, startup and mm-processor: metrics of vLLM's offline
 * benchmarks, which run their own engine (in_process), or the same metrics measured at a server.
 */
#pragma once

#include "experiment/config.h"
#include "vllm/bench/kinds.h"

/* Returns the kind; NULL: a load at a server. */
const struct vllm_bench_kind *exp_offline_kind(const struct exp_config *experiment);
/*
 * Returns whether it runs `vllm bench KIND`: benchmark.mode decides, otherwise whether vLLM is to
 * be started.
 */
bool exp_is_in_process(const struct exp_config *experiment);
/* Returns "in_process" or "server"; NULL: a load at a server. */
const char *exp_offline_mode(const struct exp_config *experiment);
/*
 * Returns the command for in_process: launch.command ("vllm serve", however vLLM is started) with
 * "bench KIND" instead of its last word. New reference.
 */
json_t *exp_offline_command(const struct exp_config *experiment);
/*
 * Appends the arguments of that command to argv: the engine's arguments from `values`, and the
 * benchmark's options that were set, except output_json, which the caller adds. *ret_env has the
 * engine's secrets, as in vllm_args_to_argv() (new reference).
 */
int exp_offline_words(const struct exp_config *experiment, const json_t *values, json_t *argv,
		      json_t **ret_env, struct pl_err *err) PL_MUST_CHECK;
/*
 * Call it after reading: sets options that were not set to the kind's defaults, and server
 * arguments to those of the kind's engine.
 */
void exp_offline_complete(struct exp_config *experiment);
