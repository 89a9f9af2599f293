/* Files with secrets that a running server reads again after a change. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

struct dash_file_stamp {
	unsigned long device, inode;
	unsigned mode, user;
	int64_t size, modified_ns, changed_ns;
};

/* Zero if the file is missing, so that it differs from every status. */
struct dash_file_stamp dash_file_stamp_of(const char *path);
bool dash_file_stamp_equal(const struct dash_file_stamp *a, const struct dash_file_stamp *b);

#define DASH_PRIVATE_FILE_BYTES_MAX ((size_t)1 << 20)

struct pl_buf;

/*
 * Appends the content of a regular file that only its owner can read, with mode 0600 or less. The owner must be the user
 * of the process or root. If another user than root runs the process, the group may read a file of root (mode 0640 or less).
 */
int dash_private_file_read(const char *path, struct pl_buf *ret, struct pl_err *err) PL_MUST_CHECK;
