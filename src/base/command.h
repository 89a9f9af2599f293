/*
 * A program of several commands: how one is found, what is said of a name that is none, the program's help
 * and its manual pages. The table has a row a command and is made from a list of src/tbl.
 */
#pragma once

#include "base/opt.h"

/* argv[0] is the command's name; returns the exit status (docs/reference/exit-status.md). */
struct pl_command {
	const char *name;
	int (*run)(int argc, char **argv);
	const char *summary; /* one line, for the list of commands */
	/* what its page and completion show; NULL: none, the program's help is the command's */
	const struct pl_opt_command *options;
};

struct pl_commands {
	const char *program;            /* "profllm" */
	const char *summary;            /* one line, for the manual */
	const struct pl_command *items; /* ended by a row with name NULL */
	/* says of a name that it is none; returns the exit status */
	int (*unknown)(const char *name);
	/* prints the program's help; returns the exit status */
	int (*print_help)(void);
};

/* NULL: no such command. */
const struct pl_command *pl_command_find(const struct pl_commands *commands, const char *name);
/* On standard error, with the likely name; returns the exit status. */
int pl_command_refuse(const struct pl_commands *commands, const char *name);
/* A line a command; `also` stands behind the one by the name `standing`, which may be NULL. */
void pl_command_add_list(const struct pl_commands *commands, const char *standing, const char *also,
			 struct pl_buf *buf);
/*
 * The command `help`: help, help COMMAND [PART], help --man [COMMAND[-PART]] (what `make install` puts into
 * share/man), help --man --list (the commands and parts of commands that have a page of their own).
 */
int pl_command_help(const struct pl_commands *commands, int argc, char **argv);

/* What stands on a command's line beside its options. Borrowed from argv. */
struct pl_words {
	char **items;
	int count;
	char **command; /* behind "--", where the command takes another's line there */
	int command_count;
};
/*
 * Reads a command's line into its struct of options. False: the command is done, with *ret_status: a
 * fault was told (words where it takes none, too), or its help was asked for.
 */
bool pl_command_read(const struct pl_opt_command *command, int argc, char **argv, void *options,
		     struct pl_words *ret, int *ret_status);
