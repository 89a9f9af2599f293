/*
 * The commands of `profllm-dashboard`: one row of tbl/dash_commands.h and one file cmd_NAME.c each.
 */
#pragma once

#include "base/command.h"
#include "base/opt.h"
#include "base/program.h"

#define DASH_PROGRAM "profllm-dashboard"

extern const struct pl_commands dash_commands;

#define COMMAND(name, options, summary)             \
	int dash_cmd_##name(int argc, char **argv); \
	extern const struct pl_opt_command dash_##name##_command;
#include "tbl/dash_commands.h"
/* What the scripts of dash_cmd_completion() ask; listed nowhere. */
int dash_cmd_complete(int argc, char **argv);

/* How many of the words are options in front of the command, --db FILE and --db=FILE; the one behind them is left. */
int dash_front_words(char **words, int count);
