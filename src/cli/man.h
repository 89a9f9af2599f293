/*
 * Manual pages (roff, man(7)) from the same rows as --help.
 */
#ifndef CLI_MAN_H
#define CLI_MAN_H

#include "base/buf.h"

struct pl_opt_command;

/* profllm(1): the list of commands. */
void cli_man_overview(struct pl_buf *buf);
/* profllm-run(1) and its like. */
void cli_man_command(const char *name, const struct pl_opt_command *command, struct pl_buf *buf);

#endif
