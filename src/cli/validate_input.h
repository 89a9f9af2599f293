/*
 * What `validate` and `config` are given: experiment files, command lines, standard input.
 */
#pragma once

#include "run/check.h"
#include "vllm/command/line.h"

struct vllm_container;
struct vllm_manifest;

#define CLI_STDIN "-"

/* Reads a file of at most 8 MiB, or standard input; *ret_text is the caller's (free()). */
int cli_text_read(const char *path, char **ret_text, size_t *ret_len,
		  struct pl_err *err) PL_MUST_CHECK;
/* The name of a file in messages: "standard input" for "-". */
const char *cli_input_name(const char *path);
/* Is the text a script rather than an experiment: by its first line, or the file's name? */
bool cli_is_script(const char *path, const char *text);

/* All of it; *ret_text is the caller's (free()). */
int cli_stdin_read(size_t max_bytes, char **ret_text, size_t *ret_len,
		   struct pl_err *err) PL_MUST_CHECK;

/* One of them, read and checked. */
struct cli_input {
	const struct vllm_catalog *catalog; /* set before it is read */
	char *name;                         /* for messages */
	char *container;                    /* of the file that this is; NULL: it has none */
	int line;                           /* of the container */
	struct exp_config *experiment;      /* NULL: it could not be read at all */
	struct vllm_command *command;       /* NULL: a file */
	struct option_problems problems;
	struct run_check check;
	bool is_checked;
	/* of standard input, which can be read once only: set before, it is taken as it is */
	char *text;
	size_t len;
};

void cli_input_done(struct cli_input *input);
#define auto_input __attribute__((cleanup(cli_input_done), unused)) struct cli_input

/*
 * Each reads into `input`, which starts as { 0 }. What cannot be read is a problem as all others.
 * Of the options the release and what it no longer has count here.
 */
void cli_input_file(struct cli_input *input, const char *path, const char *const *sets,
		    size_t set_count);
void cli_input_command_file(struct cli_input *input, const char *path,
			    const struct exp_check_options *options);
void cli_input_command(struct cli_input *input, char **argv, int argc,
		       const struct exp_check_options *options);
/* One container of a file. */
void cli_input_container(struct cli_input *input, const char *path,
			 const struct vllm_container *container,
			 const struct exp_check_options *options);
/* An experiment, if it is a mapping; else a command. */
void cli_input_stdin(struct cli_input *input, const char *const *sets, size_t set_count,
		     const struct exp_check_options *options);
/* The checks behind the reading; nothing where it was not read. */
void cli_input_check(struct cli_input *input, const struct exp_check_options *options);
