/*
 * What every `profllm bench` does once its line is an experiment: runs it and prints its result.
 */
#pragma once

#include "base/json.h"
#include "result/document.h"

struct exp_config;

/* Is --upload an address, and is there an --output? */
int cli_bench_check_flags(const json_t *flags, struct pl_err *err) PL_MUST_CHECK;
/*
 * With the flags of `profllm bench` ("--output", "--json", …) that were given, by name. Returns the
 * exit status.
 */
int cli_bench_run(struct exp_config *experiment, const json_t *flags, enum res_fail_on fail_on);
