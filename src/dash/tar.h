/*
 * The heads of a tar archive: ustar, with records of pax in front where a name is longer than 100 bytes or no
 * ASCII, or a file has 8 GiB and more.
 */
#pragma once

#include "base/buf.h"

#include <stdint.h>

#define DASH_TAR_BLOCK ((size_t)512)

/* In front of a file's bytes. `name` is taken as it is; mtime_s: seconds since 1970. */
void dash_tar_add_head(struct pl_buf *tar, const char *name, int64_t bytes, int64_t mtime_s);
/* How many zeros stand behind so many bytes. */
size_t dash_tar_padding(int64_t bytes);
/* Behind the last file. */
void dash_tar_add_end(struct pl_buf *tar);
