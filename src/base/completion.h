/*
 * Shell completion: a short script per shell, which calls the program for each word (`PROGRAM
 * complete WORDS…`), and the answers from the command and option rows.
 *
 * - Only the rows of the called program define what can be completed, for every shell.
 * - WORDS are the words after the program name, up to the cursor and without quotes. The program
 *   prints one line per candidate: the whole word, then a tab and a description if there is one.
 *   The shell drops candidates that do not start with the last word. If a file name is expected,
 *   the program prints the single line ":files", then a tab and the part of the word before the
 *   file name; the shell completes the file name.
 */
#pragma once

#include "base/command.h"

#define PL_SHELLS "bash|zsh|fish"
/* The same as PL_SHELLS, NULL-terminated, for `words` of a command. */
extern const char *const pl_shells[];

/* Returns the script for a shell; the caller frees *ret with free(). INVALID: unknown shell. */
int pl_completion_script(const char *program, const char *shell, char **ret,
			 struct pl_err *err) PL_MUST_CHECK;

/*
 * Prints the script as JSON, with the file from which the shell loads it (`completion` in src/tbl/answers.h). Returns the
 * exit status.
 */
int pl_completion_print_json(const char *program, const char *shell, const char *script);

struct pl_completion {
	const struct pl_commands *commands;
	struct pl_buf text; /* the output */
	/* the option whose value the word is, for example "--set"; NULL: none */
	char *name;
	const char *line; /* the word under the cursor */
	/* length of the start of the word that every candidate repeats: "--set=server.dtype=" */
	size_t after;
	/* offers values for a placeholder (`arg` of a row) that base does not know; NULL: none */
	void (*offer_values)(struct pl_completion *completion, const char *arg);
};

/* Starts from "complete WORDS…", with at least one word. */
void pl_completion_init(struct pl_completion *completion, const struct pl_commands *commands,
			int argc, char **argv);
/* Prints the candidates; returns the exit status. */
int pl_completion_done(struct pl_completion *completion);

/* Adds a candidate; `help` may be NULL. Drops a candidate that the shell would have to quote. */
void pl_completion_offer(struct pl_completion *completion, const char *word, const char *help);
/* Adds each text of a NULL-terminated array. */
void pl_completion_offer_texts(struct pl_completion *completion, const char *const *texts);
void pl_completion_offer_files(struct pl_completion *completion);
void pl_completion_offer_commands(struct pl_completion *completion);
/*
 * Offers everything that a command line accepts at the last of `words`, which start after the
 * command name. If `command` is NULL, the words are commands.
 */
void pl_completion_offer_options(struct pl_completion *completion,
				 const struct pl_opt_command *command, char **words, int count);
