/* Converts a pasted command line to the equivalent experiment, so that the same checks apply to both. */
#pragma once

#include "experiment/config.h"
#include "vllm/command/line.h"

/*
 * Reads a command of `len` bytes or, if `text` is NULL, the words of argv. `version` (or NULL) is the value of
 * --vllm-version; otherwise the tag of the image counts, then the installed release.
 */
struct run_command_input {
	const struct vllm_catalog *catalog;
	const char *source; /* its name in messages */
	const char *text;
	size_t len;
	const char *const *argv;
	size_t argc;
	const struct vllm_words *words; /* of a container; NULL: from text or argv */
	const struct vllm_inside *inside;
	const char *version;
	bool program_flags; /* accept flags of `profllm bench` in the command */
	bool allow_removed; /* pass on removed arguments, with a warning */
};
int run_command_read(const struct run_command_input *input, struct vllm_command **ret_command,
		     struct exp_config **ret_experiment, struct option_problems *problems,
		     struct pl_err *err) PL_MUST_CHECK;
