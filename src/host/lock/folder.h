/*
 * The folder of the locks: found or made, and looked at before it is trusted.
 */
#pragma once

#include "base/err.h"

/* *ret_fd: a descriptor of the folder; *ret_path and *ret_warning (NULL: none): free(). */
int host_lock_folder_open(int *ret_fd, char **ret_path, char **ret_warning,
			  struct pl_err *err) PL_MUST_CHECK;
