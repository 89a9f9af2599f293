/* `config to-command --bench`: the line of vLLM's that sends an experiment's load. */
#pragma once

#include "base/buf.h"
#include "base/err.h"

#include <stdbool.h>

struct exp_config;
/*
 * Appends the line. Options of our own, which vLLM's client does not have, are left out and told on
 * standard error, one line each. -1: no such line can say what the experiment says.
 */
int cli_config_bench(const struct exp_config *experiment, bool oneline, struct pl_buf *text,
		     struct pl_err *err) PL_MUST_CHECK;
