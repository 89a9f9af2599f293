/*
 * Manual pages (roff, man(7)), from the same rows as --help, so that neither can tell of an option
 * that the other leaves out.
 */
#pragma once

#include "base/opt.h"

/* A command's page: "profllm-run" of `program` profllm. Its parts are named, which have pages too. */
void pl_man_add_command(struct pl_buf *buf, const char *program, const char *name,
			const struct pl_opt_command *command);

/* What stands behind "profllm-" in the name of a part's page: "sweep-serve"; free(). */
char *pl_man_part(const char *program, const struct pl_opt_command *part);

/* A program's page: its head, the commands one by one, its end, which names the pages of those that
 * have any (NULL-ended). */
void pl_man_add_program(struct pl_buf *buf, const char *program, const char *summary);
void pl_man_add_summary(struct pl_buf *buf, const char *name, const char *summary);
void pl_man_add_end(struct pl_buf *buf, const char *program, const char *const *pages);
