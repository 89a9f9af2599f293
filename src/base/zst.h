/*
 * Zstandard: files written line by line, atomically (temporary file, fsync, rename), and read back; and
 * bytes in memory.
 */
#pragma once

#include "base/err.h"

#include <stdbool.h>

struct pl_zst;
int pl_zst_open(const char *path, struct pl_zst **ret, struct pl_err *err) PL_MUST_CHECK;
int pl_zst_write(struct pl_zst *zst, const void *data, size_t len,
		 struct pl_err *err) PL_MUST_CHECK;
/* Ends the frame and puts the file in its place; the handle is then only to be freed. */
int pl_zst_commit(struct pl_zst *zst, struct pl_err *err) PL_MUST_CHECK;
void pl_zst_free(struct pl_zst *zst); /* without a commit nothing is left behind */
PL_AUTO_DEFINE(struct pl_zst, pl_zst_free);
#define auto_zst PL_AUTO(pl_zst_free)

/* A whole file unpacked, at most max_bytes. */
int pl_zst_read_file(const char *path, size_t max_bytes, char **ret_text, size_t *ret_len,
		     struct pl_err *err) PL_MUST_CHECK;

/* Do the bytes begin as such a file does? */
bool pl_zst_is(const void *data, size_t len);
/* One frame with a checksum; the caller's (free()). */
void *pl_zst_pack(const void *data, size_t len, size_t *ret_len);
/* The same of what does not stay for long: less work, and somewhat more bytes. */
void *pl_zst_pack_brief(const void *data, size_t len, size_t *ret_len);
/* The same of what is sent many times: ten times the work, and fewer bytes. */
void *pl_zst_pack_small(const void *data, size_t len, size_t *ret_len);

/*
 * A text that others are packed against: what they have in common with it costs next to nothing. It never changes,
 * and any thread may use it.
 */
struct pl_zst_dictionary;
struct pl_zst_dictionary *pl_zst_dictionary_new(const void *bytes, size_t len);
void pl_zst_dictionary_free(struct pl_zst_dictionary *dictionary);
/* As pl_zst_pack(), behind `room` bytes for the caller, which *ret_len counts. NULL: against none. */
void *pl_zst_pack_with(const struct pl_zst_dictionary *dictionary, const void *data, size_t len,
		       size_t room, size_t *ret_len);
/* As pl_zst_unpack(), of what was packed so. */
int pl_zst_unpack_with(const struct pl_zst_dictionary *dictionary, const void *packed, size_t len,
		       size_t max_bytes, const char *name, char **ret_text, size_t *ret_len,
		       struct pl_err *err) PL_MUST_CHECK;

/* One frame or more, at most max_bytes unpacked; `name` stands for them in messages. *ret_text is
 * NUL-ended and the caller's (free()). */
int pl_zst_unpack(const void *packed, size_t len, size_t max_bytes, const char *name,
		  char **ret_text, size_t *ret_len, struct pl_err *err) PL_MUST_CHECK;
