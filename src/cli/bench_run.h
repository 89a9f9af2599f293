/* Shared by all `profllm bench` commands: runs the experiment of a command line and prints its result. */
#pragma once

#include "base/json.h"
#include "result/document.h"

struct exp_config;

/* Checks that --upload is an address and --output is set. */
int cli_bench_check_flags(const json_t *flags, struct pl_err *err) PL_MUST_CHECK;
/*
 * `flags` are the flags of `profllm bench` that were given ("--output", "--json", …), by name. Returns the exit status.
 */
int cli_bench_run(struct exp_config *experiment, const json_t *flags, enum res_fail_on fail_on);
