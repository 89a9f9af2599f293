/*
 * The bytes of a file or of a text, one block after the other: decompressed if the file is zstd or gzip, else as they
 * are. Memory is bounded whatever the size of the file. A file that is read must not change. Belongs to one thread.
 */
#pragma once

#include "base/err.h"

#include <stdbool.h>
#include <stdint.h>

struct pl_unpack;
/* Takes the descriptor. `name` stands for the file in errors. */
int pl_unpack_new(int fd, const char *name, struct pl_unpack **ret,
		  struct pl_err *err) PL_MUST_CHECK;
/* Bytes in memory, never decompressed; borrows them. */
struct pl_unpack *pl_unpack_new_text(const char *text, size_t len);
void pl_unpack_free(struct pl_unpack *unpack);
PL_AUTO_DEFINE(struct pl_unpack, pl_unpack_free);
#define auto_unpack PL_AUTO(pl_unpack_free)

bool pl_unpack_is_packed(const struct pl_unpack *unpack);
/* *ret_len: at most room bytes; 0 only at the end. INVALID: the compressed data are malformed or truncated. */
int pl_unpack_read(struct pl_unpack *unpack, char *bytes, size_t room, size_t *ret_len,
		   struct pl_err *err) PL_MUST_CHECK;
/* Continues at this byte; compressed data only at their start, 0. */
void pl_unpack_seek(struct pl_unpack *unpack, int64_t at);
