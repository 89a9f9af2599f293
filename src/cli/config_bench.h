/* `config to-command --bench`: the vLLM command line that sends an experiment's load. */
#pragma once

#include "base/buf.h"
#include "base/err.h"

#include <stdbool.h>

struct exp_config;
/*
 * Appends the command line. Options that vLLM's client lacks are omitted and reported on standard error, one per line.
 * Returns -1 if no command line is equivalent to the experiment.
 */
int cli_config_bench(const struct exp_config *experiment, bool oneline, struct pl_buf *text,
		     struct pl_err *err) PL_MUST_CHECK;
