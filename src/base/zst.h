/*
 * Zstandard: files that are written line by line, atomically (temporary file, fsync, rename), and
 * read back; compression of bytes in memory.
 */
#pragma once

#include "base/err.h"

#include <stdbool.h>

struct pl_zst;
int pl_zst_open(const char *path, struct pl_zst **ret, struct pl_err *err) PL_MUST_CHECK;
int pl_zst_write(struct pl_zst *zst, const void *data, size_t len,
		 struct pl_err *err) PL_MUST_CHECK;
/* Ends the frame and moves the file to its final path. Afterwards the handle can only be freed. */
int pl_zst_commit(struct pl_zst *zst, struct pl_err *err) PL_MUST_CHECK;
void pl_zst_free(struct pl_zst *zst); /* without a commit, removes the temporary file */
PL_AUTO_DEFINE(struct pl_zst, pl_zst_free);
#define auto_zst PL_AUTO(pl_zst_free)

/* Decompresses a whole file to at most max_bytes. */
int pl_zst_read_file(const char *path, size_t max_bytes, char **ret_text, size_t *ret_len,
		     struct pl_err *err) PL_MUST_CHECK;

/* Returns whether the bytes start like a Zstandard file. */
bool pl_zst_is(const void *data, size_t len);
/* Compresses into one frame with a checksum; the caller frees it with free(). */
void *pl_zst_pack(const void *data, size_t len, size_t *ret_len);
/* The same for short-lived data: less CPU time, somewhat larger output. */
void *pl_zst_pack_brief(const void *data, size_t len, size_t *ret_len);
/* The same for data that is sent many times: ten times the CPU time, smaller output. */
void *pl_zst_pack_small(const void *data, size_t len, size_t *ret_len);

/*
 * A text to compress other texts against: what they share with it takes almost no space. Immutable;
 * any thread may use it.
 */
struct pl_zst_dictionary;
struct pl_zst_dictionary *pl_zst_dictionary_new(const void *bytes, size_t len);
void pl_zst_dictionary_free(struct pl_zst_dictionary *dictionary);
/*
 * Like pl_zst_pack(), with `room` bytes for the caller at the start, which *ret_len includes.
 * dictionary NULL: none.
 */
void *pl_zst_pack_with(const struct pl_zst_dictionary *dictionary, const void *data, size_t len,
		       size_t room, size_t *ret_len);
/* Like pl_zst_unpack(), for the output of pl_zst_pack_with(). */
int pl_zst_unpack_with(const struct pl_zst_dictionary *dictionary, const void *packed, size_t len,
		       size_t max_bytes, const char *name, char **ret_text, size_t *ret_len,
		       struct pl_err *err) PL_MUST_CHECK;

/*
 * Decompresses one or more frames to at most max_bytes. `name` stands for the input in errors.
 * *ret_text is NUL-terminated; the caller frees it with free().
 */
int pl_zst_unpack(const void *packed, size_t len, size_t max_bytes, const char *name,
		  char **ret_text, size_t *ret_len, struct pl_err *err) PL_MUST_CHECK;

/*
 * Decompresses one frame of pl_zst_pack() to exactly `room` bytes, and checks its checksum. Without an allocation of
 * the output, for many blocks of known sizes.
 */
int pl_zst_unpack_exactly(const void *packed, size_t len, void *to, size_t room,
			  struct pl_err *err) PL_MUST_CHECK;
