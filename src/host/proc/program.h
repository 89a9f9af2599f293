/*
 * Where a program is.
 */
#pragma once

#include "base/err.h"

/*
 * A name with '/' is taken as it is; else PATH is searched, then the folder of the running program
 * (where profllm-sim lies beside profllm). NOT_FOUND when there is none. *ret: free().
 */
int host_program_find(const char *name, char **ret, struct pl_err *err) PL_MUST_CHECK;
/* As above, but the folder of the running program comes first: for our own programs. */
int host_program_find_sibling(const char *name, char **ret, struct pl_err *err) PL_MUST_CHECK;
