/*
 * Files of any size in a folder, each once, named by the SHA-256 of its bytes:
 *
 *	DIR/incoming/PROCESS.N          being written, and locked (flock) by who does
 *	DIR/incoming/SHA256.PROCESS.N   whole; nobody has said yet that it is kept
 *	DIR/ab/ab12...                  whole, linked there
 *	DIR/lock                        shared: a file comes; alone: one that nobody names goes
 *
 * So what a kill leaves is found in one small folder: store_files_tidy() takes away what no row of the
 * database names. Any number of processes may use the folder, also from several hosts where its file system
 * has locks (NFS has). Names of clients are never a part of a path here.
 *
 * Threads: any number; a store_file_in belongs to one at a time.
 */
#pragma once

#include "base/err.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define STORE_SHA256_LEN 64

/* 64 digits in lower case? */
bool store_sha256_is(const char *text);

struct store_files;
/* The folder is made when the first file comes; its own folder has to be there then. */
struct store_files *store_files_new(const char *folder);
/*
 * For the default directory, next to the database, which another user may have made first: from here on it
 * must belong to this user or root, and other users must not be able to write it. -1: it exists and does not.
 */
int store_files_distrust(struct store_files *files, struct pl_err *err) PL_MUST_CHECK;
void store_files_free(struct store_files *files);

/* A file on its way in. */
struct store_file_in;
int store_file_in_new(struct store_files *files, struct store_file_in **ret,
		      struct pl_err *err) PL_MUST_CHECK;
int store_file_in_write(struct store_file_in *in, const char *bytes, size_t len,
			struct pl_err *err) PL_MUST_CHECK;
/*
 * That was all of it: on the disk and under its name, in place of any that is there, if its hash is the one that is
 * expected (NULL: none is).
 * -1, INVALID: it is another. From here to store_file_in_free() no file of this folder goes.
 */
int store_file_in_end(struct store_file_in *in, const char *expected,
		      struct pl_err *err) PL_MUST_CHECK;
/* Behind the end. */
const char *store_file_in_sha256(const struct store_file_in *in);
int64_t store_file_in_bytes(const struct store_file_in *in);
/* is_kept: a row that names it is on the disk. Else nothing of it is left, if nothing else names it. NULL is nothing. */
void store_file_in_free(struct store_file_in *in, bool is_kept);

/* *ret_fd is the caller's. NOT_FOUND: there is no such file. */
int store_files_open(const struct store_files *files, const char *sha256, int *ret_fd,
		     struct pl_err *err) PL_MUST_CHECK;
/* How many bytes a file has; -1: there is no such file. */
int64_t store_files_bytes(const struct store_files *files, const char *sha256);
/* What its bytes hash to, which is its name unless its disk has failed it. NOT_FOUND, IO as store_files_open(). */
int store_files_hash(const struct store_files *files, const char *sha256,
		     char ret[STORE_SHA256_LEN + 1], struct pl_err *err) PL_MUST_CHECK;
/* Where it lies, for people on this host; free(). */
char *store_files_path(const struct store_files *files, const char *sha256);

/* Does a row name it? */
typedef int store_files_named_fn(void *context, const char *sha256, bool *ret, struct pl_err *err);
/* What others left who were killed. */
int store_files_tidy(struct store_files *files, store_files_named_fn *named, void *context,
		     struct pl_err *err) PL_MUST_CHECK;
/* All that nobody names. *ret_count: how many went. */
int store_files_sweep(struct store_files *files, store_files_named_fn *named, void *context,
		      size_t *ret_count, struct pl_err *err) PL_MUST_CHECK;
/* How many a sweep would take, but for what others left who were killed. */
int store_files_count_unnamed(struct store_files *files, store_files_named_fn *named, void *context,
			      size_t *ret_count, struct pl_err *err) PL_MUST_CHECK;
/* One, if nobody names it any more. */
int store_files_drop(struct store_files *files, const char *sha256, store_files_named_fn *named,
		     void *context, bool *ret_gone, struct pl_err *err) PL_MUST_CHECK;
