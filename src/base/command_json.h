/* `help --json`: the commands of a program and their options as data (`help` in src/tbl/answers.h). */
#pragma once

#include "base/command.h"

/*
 * Prints all commands, or one command with its parts, or one part ("serve" of "sweep"). name, part: NULL for all. Returns
 * the exit status.
 */
int pl_command_help_json(const struct pl_commands *commands, const char *name, const char *part);
