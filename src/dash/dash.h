/* The commands of `profllm-dashboard`: each has a row in tbl/dash_commands.h and a file cmd_NAME.c. */
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
/* Completes a command line for the scripts of dash_cmd_completion(). Not listed in the help. */
int dash_cmd_complete(int argc, char **argv);

/* Counts the leading words that are options before the command: --db FILE and --db=FILE. */
int dash_front_words(char **words, int count);
