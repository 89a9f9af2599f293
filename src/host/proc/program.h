/* Finding the executable of a program. */
#pragma once

#include "base/err.h"

/*
 * Uses a name with '/' unchanged; otherwise searches PATH, then the directory of the running
 * program (profllm-sim is installed next to profllm). NOT_FOUND: no such program. Free *ret with
 * free().
 */
int host_program_find(const char *name, char **ret, struct pl_err *err) PL_MUST_CHECK;
/* The same, but searches the directory of the running program first: for our own programs. */
int host_program_find_sibling(const char *name, char **ret, struct pl_err *err) PL_MUST_CHECK;
/* Returns the directory of the running program; NULL: unknown. free() */
char *host_program_folder(void);
