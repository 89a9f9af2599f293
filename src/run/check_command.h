/*
 * A pasted command line as the experiment that means the same, so that the checks of one serve
 * both.
 */
#pragma once

#include "vllm/command/line.h"
#include "experiment/config.h"

/* Places are the command's: the number of a word and its column. Never NULL; of a load's options those
 * that are refused are not in it. */
struct exp_config *run_command_experiment(const struct vllm_command *command,
					  struct option_problems *problems);

/*
 * Reads a command of `len` bytes, or, where text is NULL, of the words of argv. `version` (or NULL)
 * is what --vllm-version says; without it an image's tag counts, then what is installed.
 */
struct run_command_input {
	const struct vllm_catalog *catalog;
	const char *source; /* its name in messages */
	const char *text;
	size_t len;
	const char *const *argv;
	size_t argc;
	const struct vllm_words *words; /* of a container; NULL: a text, or argv */
	const struct vllm_inside *inside;
	const char *version;
	bool own_flags;  /* flags of `profllm bench` itself are kept among the command's */
	bool allow_gone; /* what that release no longer has is passed on, with a warning */
};
int run_command_read(const struct run_command_input *input, struct vllm_command **ret_command,
		     struct exp_config **ret_experiment, struct option_problems *problems,
		     struct pl_err *err) PL_MUST_CHECK;
