/*
 * Error handling and output of all commands. Results go to standard output and messages to standard
 * error, so that --json can be piped.
 */
#pragma once

#include "base/err.h"
#include "base/json.h"
#include "base/opt.h"

/*
 * Call it first in main(). Takes the numbers of closed standard streams, makes exceeding the file size limit an error
 * instead of a signal, and disables core files, which would contain the secrets of the process.
 */
void pl_program_begin(void);
/* Restores the core file limit that this process started with. Call it in a child before exec(). */
void pl_program_restore_limits(void);

/* Prints the error as one line on standard error; returns its exit status. */
int pl_program_fail(const struct pl_err *err);
/* The same for a usage error. */
int pl_program_refuse(const char *format, ...) PL_PRINTF(1, 2);
/*
 * Prints the whole text on standard output. Returns 0, or the exit status if it cannot be written.
 */
int pl_program_print(const char *text);
/* The same for a JSON document, indented and with a final newline, for --json. */
int pl_program_print_json(const json_t *json);
int pl_program_print_help(const struct pl_opt_command *command);
/*
 * Prints help or a manual page. If the program is installed with its examples, their paths are the installed ones
 * instead of those in the source tree; $PROFLLM_EXAMPLES names another directory of examples.
 */
int pl_program_print_page(const char *text);
