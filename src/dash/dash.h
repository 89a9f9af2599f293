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
