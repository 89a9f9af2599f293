/* The inputs of `validate` and `config`: experiment files, command lines, standard input. */
#pragma once

#include "run/check.h"
#include "vllm/command/line.h"

struct vllm_container;

#define CLI_STDIN "-"

/* Reads a file of at most 8 MiB, or standard input; *ret_text is the caller's (free()). */
int cli_text_read(const char *path, char **ret_text, size_t *ret_len,
		  struct pl_err *err) PL_MUST_CHECK;
/* Returns the name of a file for messages: "standard input" for "-". */
const char *cli_input_name(const char *path);
/* Returns whether the text is a script instead of an experiment, by its first line or the file's name. */
bool cli_is_script(const char *path, const char *text);

/* Reads standard input to its end; the caller frees *ret_text. */
int cli_stdin_read(size_t max_bytes, char **ret_text, size_t *ret_len,
		   struct pl_err *err) PL_MUST_CHECK;

/* One input, read and checked. */
struct cli_input {
	const struct vllm_catalog *catalog; /* set before reading */
	char *name;                         /* for messages */
	char *container;                    /* name of the container in the file; NULL: none */
	int line;                           /* of the container */
	struct exp_config *experiment;      /* NULL: unreadable */
	struct vllm_command *command;       /* NULL: an experiment file */
	struct option_problems problems;
	struct run_check check;
	bool is_checked;
	/* of standard input, which can only be read once: if set, it is not read again */
	char *text;
	size_t len;
};

void cli_input_done(struct cli_input *input);
#define auto_input __attribute__((cleanup(cli_input_done), unused)) struct cli_input

/*
 * Each reads into `input`, which starts as { 0 }. A read error is a problem like any other. Only the release and the
 * handling of removed arguments in the options are used.
 */
void cli_input_file(struct cli_input *input, const char *path, const char *const *sets,
		    size_t set_count);
void cli_input_command_file(struct cli_input *input, const char *path,
			    const struct exp_check_options *options);
void cli_input_command(struct cli_input *input, char **argv, int argc,
		       const struct exp_check_options *options);
/* Reads one container of a file. */
void cli_input_container(struct cli_input *input, const char *path,
			 const struct vllm_container *container,
			 const struct exp_check_options *options);
/* Reads an experiment if the text is a mapping, else a command. */
void cli_input_stdin(struct cli_input *input, const char *const *sets, size_t set_count,
		     const struct exp_check_options *options);
/* Runs the checks after reading; does nothing if the input was not read. */
void cli_input_check(struct cli_input *input, const struct exp_check_options *options);
