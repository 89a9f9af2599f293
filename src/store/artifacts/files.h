/*
 * Files of any size in a directory, each stored once under the SHA-256 of its bytes:
 *
 *	DIR/incoming/PROCESS.N            being written, and locked (flock) by the writer
 *	DIR/incoming/SHA256.PROCESS.N     complete; not yet committed
 *	DIR/ab/ab12...                    complete, linked there
 *	DIR/prepared/                     see prepared.h
 *	DIR/lock                          shared: a file is added; exclusive: an unnamed file is removed
 *	DIR/hold                          shared: no file may be removed; exclusive: a file is removed
 *
 * So the remains of a kill are in one small directory: store_files_tidy() removes those that no row of the database
 * names. Any number of processes may use the directory, also from several hosts if its file system supports locks (as
 * NFS does). Names from clients are never part of a path.
 *
 * Threads: any number; a store_file_in belongs to one at a time.
 */
#pragma once

#include "base/err.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define STORE_SHA256_LEN 64

/* Returns whether the text is 64 hexadecimal digits in lower case. */
bool store_sha256_is(const char *text);

struct store_files;
/* The directory is created with the first file; its parent must exist then. */
struct store_files *store_files_new(const char *folder);
/*
 * For the default directory, next to the database, which another user may have created first: from here on it must
 * belong to this user or root, and other users must not be able to write it. -1: it exists and does not meet this.
 */
int store_files_distrust(struct store_files *files, struct pl_err *err) PL_MUST_CHECK;
void store_files_free(struct store_files *files);
const char *store_files_folder(const struct store_files *files);

/* A file that is being written. */
struct store_file_in;
int store_file_in_new(struct store_files *files, struct store_file_in **ret,
		      struct pl_err *err) PL_MUST_CHECK;
int store_file_in_write(struct store_file_in *in, const char *bytes, size_t len,
			struct pl_err *err) PL_MUST_CHECK;
/*
 * Ends the file: it is on disk under its name, replacing an existing one, if its hash is the expected one (NULL: any).
 * Returns -1 with INVALID if the hash differs. No file of this directory is removed from here to store_file_in_free().
 */
int store_file_in_end(struct store_file_in *in, const char *expected,
		      struct pl_err *err) PL_MUST_CHECK;
/* After the end. */
const char *store_file_in_sha256(const struct store_file_in *in);
int64_t store_file_in_bytes(const struct store_file_in *in);
/* is_kept: a row that names it is on disk. Else it is removed, unless another row names it. Accepts NULL. */
void store_file_in_free(struct store_file_in *in, bool is_kept);

/* *ret_fd is the caller's. NOT_FOUND: there is no such file. */
int store_files_open(const struct store_files *files, const char *sha256, int *ret_fd,
		     struct pl_err *err) PL_MUST_CHECK;
/* Returns the size of a file, or -1 if there is none. */
int64_t store_files_bytes(const struct store_files *files, const char *sha256);
/* Returns the hash of its bytes, which is its name unless the file is corrupt. NOT_FOUND, IO as store_files_open(). */
int store_files_hash(const struct store_files *files, const char *sha256,
		     char ret[STORE_SHA256_LEN + 1], struct pl_err *err) PL_MUST_CHECK;
/* Returns its path, for messages to users on this host; free(). */
char *store_files_path(const struct store_files *files, const char *sha256);

/*
 * From here to the close of *ret, no process removes a file: a sweep waits, and a tidy leaves files for a later one.
 * Files may be added. *ret -1: the directory does not exist.
 */
int store_files_hold(const struct store_files *files, int *ret, struct pl_err *err) PL_MUST_CHECK;

/* Returns whether a row names it. */
typedef int store_files_named_fn(void *context, const char *sha256, bool *ret, struct pl_err *err);
/* Removes the remains of killed processes. */
int store_files_tidy(struct store_files *files, store_files_named_fn *named, void *context,
		     struct pl_err *err) PL_MUST_CHECK;
/* Removes one file if no row names it. */
int store_files_drop(struct store_files *files, const char *sha256, store_files_named_fn *named,
		     void *context, bool *ret_gone, struct pl_err *err) PL_MUST_CHECK;
/* Removes all files that no row names. *ret_count: how many. */
int store_files_sweep(struct store_files *files, store_files_named_fn *named, void *context,
		      size_t *ret_count, struct pl_err *err) PL_MUST_CHECK;
/* Counts the files that a sweep would remove, without the remains of killed processes. */
int store_files_count_unnamed(struct store_files *files, store_files_named_fn *named, void *context,
			      size_t *ret_count, struct pl_err *err) PL_MUST_CHECK;
