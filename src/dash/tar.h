/*
 * Headers of a tar archive: ustar, preceded by pax records if a name is longer than 100 bytes or not ASCII, or a file
 * has at least 8 GiB.
 */
#pragma once

#include "base/buf.h"

#include <stdint.h>

#define DASH_TAR_BLOCK ((size_t)512)

/* Adds the header of a file; its bytes follow. `name` is not changed; mtime_s: seconds since 1970. */
void dash_tar_add_head(struct pl_buf *tar, const char *name, int64_t bytes, int64_t mtime_s);
/* Returns the number of zeros after a file of this size. */
size_t dash_tar_padding(int64_t bytes);
/* Ends the archive after the last file. */
void dash_tar_add_end(struct pl_buf *tar);
