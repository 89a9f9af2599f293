/*
 * Manual pages (roff, man(7)) from the rows that also produce --help, so both document the same
 * options.
 */
#pragma once

#include "base/opt.h"

/*
 * Appends a command's page: "profllm-run" of `program` profllm. It names the command's parts, which
 * have their own pages.
 */
void pl_man_add_command(struct pl_buf *buf, const char *program, const char *name,
			const struct pl_opt_command *command);

/*
 * Returns the page name of a part without "profllm-", for example "sweep-serve". The caller frees
 * it with free().
 */
char *pl_man_part(const char *program, const struct pl_opt_command *part);

/*
 * Append a program's page: its head, one entry per command, and its end, which refers to the pages
 * in `pages` (NULL-terminated).
 */
void pl_man_add_program(struct pl_buf *buf, const char *program, const char *summary);
void pl_man_add_summary(struct pl_buf *buf, const char *name, const char *summary);
void pl_man_add_end(struct pl_buf *buf, const char *program, const char *const *pages);
