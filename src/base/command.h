/*
 * A program with several commands: command lookup, the error for an unknown command, the program's
 * help and its manual pages. The table has one row per command and is generated from a list in
 * src/tbl.
 */
#pragma once

#include "base/opt.h"

/* argv[0] is the command's name; returns the exit status (docs/reference/exit-status.md). */
struct pl_command {
	const char *name;
	int (*run)(int argc, char **argv);
	const char *summary; /* one line, for the list of commands */
	/* for the manual page and completion; NULL: the command shows the program's help */
	const struct pl_opt_command *options;
};

struct pl_commands {
	const char *program;            /* "profllm" */
	const char *summary;            /* one line, for the manual */
	const struct pl_command *items; /* ended by a row with name NULL */
	/* reports an unknown command; returns the exit status */
	int (*unknown)(const char *name);
	/* prints the program's help; returns the exit status */
	int (*print_help)(void);
};

/* Returns NULL if no command has this name. */
const struct pl_command *pl_command_find(const struct pl_commands *commands, const char *name);
/*
 * Reports an unknown command and the most similar one on standard error. Returns the exit status.
 */
int pl_command_refuse(const struct pl_commands *commands, const char *name);
/*
 * Appends one line per command. Inserts `also` after the command named `standing`, which may be
 * NULL.
 */
void pl_command_add_list(const struct pl_commands *commands, const char *progress, const char *also,
			 struct pl_buf *buf);
/*
 * Runs the command `help`: help, help COMMAND [PART], each with --json (base/command_json.h), and
 * help --man [COMMAND[-PART]] (`make install`
 * stores its output in share/man), help --man --list (lists the commands and parts that have a
 * manual page).
 */
int pl_command_help(const struct pl_commands *commands, int argc, char **argv);

/* The operands of a command line: everything except options. Borrowed from argv. */
struct pl_words {
	char **items;
	int count;
	/* the arguments after "--", if the command accepts another program's command line there */
	char **command;
	int command_count;
};
/*
 * Parses a command line into the command's options struct. Returns false if the command is
 * finished: the user asked for help, or an error was reported, including unexpected operands.
 * *ret_status is then the exit status.
 */
bool pl_command_read(const struct pl_opt_command *command, int argc, char **argv, void *options,
		     struct pl_words *ret, int *ret_status);
