/* gzip compression of bytes in memory. */
#pragma once

#include "base/err.h"

#include <stdbool.h>

/* Returns whether the bytes start like a gzip file. */
bool pl_gz_is(const void *data, size_t len);
/*
 * Compresses into one member; level 1 (fast) to 9 (small). The caller frees the bytes with free().
 */
void *pl_gz_pack(const void *data, size_t len, int level, size_t *ret_len);
/*
 * Decompresses one or more members to at most max_bytes. `name` stands for the input in errors,
 * whose text matches that of pl_zst_unpack(). *ret_text is NUL-terminated; the caller frees it with
 * free().
 */
int pl_gz_unpack(const void *packed, size_t len, size_t max_bytes, const char *name,
		 char **ret_text, size_t *ret_len, struct pl_err *err) PL_MUST_CHECK;
