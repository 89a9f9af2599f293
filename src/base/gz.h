/* gzip: bytes in memory, packed and unpacked. */
#pragma once

#include "base/err.h"

#include <stdbool.h>

/* Do the bytes begin as such a file does? */
bool pl_gz_is(const void *data, size_t len);
/* Packs into one member; level 1 (fast) to 9 (small). The bytes are the caller's (free()). */
void *pl_gz_pack(const void *data, size_t len, int level, size_t *ret_len);
/* One member or more, at most max_bytes unpacked; `name` stands for them in messages, which end as those of
 * pl_zst_unpack(). *ret_text is NUL-ended and the caller's (free()). */
int pl_gz_unpack(const void *packed, size_t len, size_t max_bytes, const char *name,
		 char **ret_text, size_t *ret_len, struct pl_err *err) PL_MUST_CHECK;
