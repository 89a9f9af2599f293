/*
 * What the commands of our programs share: how they fail and print. Results go to standard output and
 * everything that is said about them to standard error, so that --json can be piped.
 */
#pragma once

#include "base/err.h"
#include "base/json.h"
#include "base/opt.h"

/*
 * For main(): makes a file that reaches the process's size limit an error and no signal, and keeps a crash
 * from leaving a core file with the secrets of the process in it.
 */
void pl_program_begin(void);
/* In a child before exec(): the limit on core files is again what this process was started with. */
void pl_program_restore_limits(void);

/* One line on standard error; returns the exit status that belongs to it. */
int pl_program_fail(const struct pl_err *err);
/* The same of bad usage. */
int pl_program_refuse(const char *format, ...) PL_PRINTF(1, 2);
/* All of it on standard output; 0, or the exit status where it cannot be written. */
int pl_program_print(const char *text);
/* The same of a document, indented and with a line end: what --json prints. */
int pl_program_print_json(const json_t *json);
int pl_program_print_help(const struct pl_opt_command *command);
