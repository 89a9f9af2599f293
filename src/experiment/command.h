/* Command lines that do what an experiment does, quoted for a shell; each ends with a newline. Secrets are "***". */
#pragma once

#include "base/buf.h"
#include "experiment/config.h"

/* Appends the command that starts the server, with its environment. */
int exp_command_server(const struct exp_config *experiment, bool oneline, struct pl_buf *text,
		       struct pl_err *err) PL_MUST_CHECK;
/* Appends the command of an offline benchmark (exp_is_in_process()): engine and load in one. */
int exp_command_offline(const struct exp_config *experiment, bool oneline, struct pl_buf *text,
			struct pl_err *err) PL_MUST_CHECK;
/*
 * Appends vLLM's command that sends the load. Options that vLLM's client lacks are omitted, and a sentence about each is
 * added to the array `omitted`. Returns -1 if no command line is equivalent to the experiment.
 */
int exp_command_load(const struct exp_config *experiment, bool oneline, struct pl_buf *text,
		     json_t *omitted, struct pl_err *err) PL_MUST_CHECK;
