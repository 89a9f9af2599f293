/* The directory of the lock files: found or made, and checked before use. */
#pragma once

#include "base/err.h"

/*
 * *ret_fd: a descriptor of the directory; free *ret_path and *ret_warning (NULL: no warning) with
 * free().
 */
int host_lock_folder_open(int *ret_fd, char **ret_path, char **ret_warning,
			  struct pl_err *err) PL_MUST_CHECK;
