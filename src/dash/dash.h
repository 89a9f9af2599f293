/*
 * The commands of `profllm-dashboard`: one row of tbl/dash_commands.h and one file cmd_NAME.c each.
 */
#pragma once

#include "base/opt.h"
#include "base/program.h"

#define DASH_PROGRAM "profllm-dashboard"

/* argv[0] is the command's name; returns the exit status (docs/reference/exit-status.md). */
struct dash_cmd {
	const char *name;
	int (*run)(int argc, char **argv);
	const char *summary; /* one line, for the list of commands */
	const struct pl_opt_command *options;
};

/* Ended by a row with name NULL. */
extern const struct dash_cmd dash_cmds[];
/* NULL: no such command. */
const struct dash_cmd *dash_cmd_find(const char *name);
/* Says so, with the likely name; returns the exit status. */
int dash_unknown_command(const char *name);

#define COMMAND(name, options, summary)             \
	int dash_cmd_##name(int argc, char **argv); \
	extern const struct pl_opt_command dash_##name##_command;
#include "tbl/dash_commands.h"

/* What stands on a command's line beside its options. Borrowed from argv. */
struct dash_words {
	char **items;
	int count;
};
/*
 * Reads a command's line into its struct of options. False: the command is done, with *ret_status: a
 * fault was told (words where it takes none, too), or its help was asked for.
 */
bool dash_read(const struct pl_opt_command *command, int argc, char **argv, void *options,
	       struct dash_words *ret, int *ret_status);
