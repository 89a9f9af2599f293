/*
 * Files: reading with a size limit, and atomic replacement that leaves either the old or the new
 * file.
 */
#pragma once

#include "base/digest.h"
#include "base/err.h"

#include <dirent.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

/*
 * Reads a whole file of at most max_bytes. *ret_text is NUL-terminated; the caller frees it with
 * free().
 */
int pl_file_read(const char *path, size_t max_bytes, char **ret_text, size_t *ret_len,
		 struct pl_err *err) PL_MUST_CHECK;
/*
 * Returns -1 with the reason if `path` is no regular file that may be read: a directory fails later, and a pipe may wait
 * forever.
 */
int pl_file_check_regular(const char *path, struct pl_err *err) PL_MUST_CHECK;
/* The same without an error: returns NULL on failure. `ret_len` may be NULL. */
char *pl_file_text(const char *path, size_t max_bytes, size_t *ret_len);

/* Writes all bytes and retries after signals. Returns -1 with errno on failure. */
int pl_fd_write(int fd, const char *data, size_t len) PL_MUST_CHECK;
/* The same, also if another process made the descriptor non-blocking: waits until it has room. */
int pl_fd_write_wait(int fd, const char *data, size_t len) PL_MUST_CHECK;

/* Returns the next name in an open directory, without "." and "..". NULL: end, or `dir` is NULL. */
const char *pl_dir_next(DIR *dir);
void pl_dir_close(DIR **dir);
/* auto_dir dir = opendir(path); */
#define auto_dir __attribute__((cleanup(pl_dir_close), unused)) DIR *

/*
 * A file being written under a temporary name ("PATH.tmp.TID" in the same directory). Commit runs
 * fflush, fsync, rename, and fsync of the directory. Close without commit removes the file.
 */
struct pl_file_new {
	FILE *stream;
	char *path;
	char *temporary;
	bool must_be_new; /* commit fails with EEXIST instead of replacing a file */
};
/* Opens for a path that the user gave: if `path` is a symbolic link, commit replaces the target. */
int pl_file_new_open(struct pl_file_new *file, const char *path, struct pl_err *err) PL_MUST_CHECK;
/*
 * Opens for a path that the program made: if `path` is a symbolic link, commit replaces the link.
 */
int pl_file_new_open_private(struct pl_file_new *file, const char *path,
			     struct pl_err *err) PL_MUST_CHECK;
int pl_file_new_commit(struct pl_file_new *file, struct pl_err *err) PL_MUST_CHECK;
void pl_file_new_close(struct pl_file_new *file);
#define auto_file_new __attribute__((cleanup(pl_file_new_close), unused)) struct pl_file_new

/*
 * Sets the mode of all files created from now on, independent of the umask. Call it before any
 * thread starts. pl_file_mode() returns that mode, or `otherwise` if none was set.
 */
void pl_file_set_mode(unsigned mode);
unsigned pl_file_mode(unsigned otherwise);
/* Parses a mode such as "0640": three or four octal digits that let the owner read and write. */
int pl_file_read_mode(const char *text, unsigned *ret, struct pl_err *err) PL_MUST_CHECK;

/* Opens, writes and commits in one call. */
int pl_file_write(const char *path, const void *data, size_t len, struct pl_err *err) PL_MUST_CHECK;
/* The same for a path that must not exist (INVALID): of two at once, one fails. */
int pl_file_write_new(const char *path, const void *data, size_t len,
		      struct pl_err *err) PL_MUST_CHECK;
/*
 * Returns 0 if a new file could be made at `path`: its directory exists and is writable, and `path`
 * is a regular file or does not exist.
 */
int pl_file_check_writable(const char *path, struct pl_err *err) PL_MUST_CHECK;
bool pl_file_exists(const char *path);
/*
 * Makes a directory and syncs its parent; otherwise a power failure could remove the directory with
 * all synced files in it. Returns 0 if it exists.
 */
int pl_file_make_dir(const char *path, unsigned mode, struct pl_err *err) PL_MUST_CHECK;
/* Makes a directory and all its missing parents. */
int pl_file_make_folders(const char *path, struct pl_err *err) PL_MUST_CHECK;
/*
 * Removes a directory with everything in it, without following symbolic links or crossing into other
 * file systems. Skips files that it cannot remove.
 */
void pl_file_remove_tree(const char *path);
/*
 * Syncs the bytes of a file or the entries of a directory. Also returns 0 if the file system does
 * not support it or `path` is not readable.
 */
int pl_file_sync(const char *path, struct pl_err *err) PL_MUST_CHECK;
/* Syncs the directory that contains `path`. */
int pl_file_sync_dir_of(const char *path, struct pl_err *err) PL_MUST_CHECK;
/* Returns whether both paths name the same file. False if either does not exist. */
bool pl_file_same(const char *a, const char *b);
/*
 * Returns whether both paths would name the same file after writing to both. For missing files,
 * compares directory and name.
 */
bool pl_file_would_be_same(const char *a, const char *b);
int64_t pl_file_size(const char *path); /* -1: does not exist */
/* Return the directory part ("." if none) and the name part; the caller frees them with free(). */
char *pl_file_dir(const char *path);
char *pl_file_name(const char *path);
/*
 * Returns the path of a file next to `path`: "a/b.json" with strip ".json" and suffix ".server.log"
 * gives "a/b.server.log".
 */
char *pl_file_sibling(const char *path, const char *strip, const char *suffix);
/* Writes the SHA-256 of the file's bytes as 64 hexadecimal digits and a NUL. */
int pl_file_sha256(const char *path, char hex[PL_SHA256_HEX_BYTES],
		   struct pl_err *err) PL_MUST_CHECK;
/*
 * The same for an open file, from its current offset to its end. Returns -1 with errno on failure.
 */
int pl_fd_sha256(int fd, char hex[PL_SHA256_HEX_BYTES]) PL_MUST_CHECK;
void pl_sha256(const void *data, size_t len, char hex[PL_SHA256_HEX_BYTES]);
