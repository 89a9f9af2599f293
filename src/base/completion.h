/*
 * Completion of a program's lines by a shell: a short script of the shell, which asks the program for every word
 * (`PROGRAM complete WORDS…`), and what rows of commands and options have to answer it.
 *
 * - What can be completed so is known in one place, the rows of the program that is asked, whatever shell it is.
 * - WORDS are those of a line behind the program, up to the cursor and without quotes. The answer is a line a
 *   candidate: the whole word and, behind a tab, what it is where that is known. The shell leaves out what does not
 *   begin as the last word does. Or it is the one line ":files" and, behind a tab, what stands before a file's name in
 *   the word: what the shell itself finds.
 */
#pragma once

#include "base/command.h"

#define PL_SHELLS "bash|zsh|fish"
/* NULL-ended, as `words` of a command. */
extern const char *const pl_shells[];

/* The script of a shell; *ret: free(). INVALID: there is no such shell. */
int pl_completion_script(const char *program, const char *shell, char **ret,
			 struct pl_err *err) PL_MUST_CHECK;

struct pl_completion {
	const struct pl_commands *commands;
	struct pl_buf text; /* the answer */
	char *name;         /* what the word is the value of, if that is an option: "--set" */
	const char *line;   /* the word under the cursor */
	size_t behind;      /* of it stand before every candidate: "--set=server.dtype=" */
	/* offers what a value is, by the name that its row gives it and that no program has; NULL: nothing more */
	void (*offer_values)(struct pl_completion *completion, const char *arg);
};

/* Of "complete WORDS…", which are one at least. */
void pl_completion_init(struct pl_completion *completion, const struct pl_commands *commands,
			int argc, char **argv);
/* Prints the answer; returns the exit status. */
int pl_completion_done(struct pl_completion *completion);

/* A candidate; `help` may be NULL. One that a shell would want quoted is left out. */
void pl_completion_offer(struct pl_completion *completion, const char *word, const char *help);
/* NULL-ended. */
void pl_completion_offer_texts(struct pl_completion *completion, const char *const *texts);
void pl_completion_offer_files(struct pl_completion *completion);
void pl_completion_offer_commands(struct pl_completion *completion);
/*
 * What can stand in a command's line, where the last of the words, those behind its name, is the one under the
 * cursor; `command` NULL: the words are commands.
 */
void pl_completion_offer_own(struct pl_completion *completion, const struct pl_opt_command *command,
			     char **words, int count);
