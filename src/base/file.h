/*
 * Files: bounded reading, writing that leaves the old or the new file and never half of one.
 */
#pragma once

#include "base/err.h"

#include <dirent.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

/* Reads a whole file of at most max_bytes; *ret_text is NUL-ended and the caller's (free()). */
int pl_file_read(const char *path, size_t max_bytes, char **ret_text, size_t *ret_len,
		 struct pl_err *err) PL_MUST_CHECK;
/* The same where nobody asks why it cannot be read: NULL. `ret_len` NULL: not wanted. */
char *pl_file_text(const char *path, size_t max_bytes, size_t *ret_len);

/* All of it, through signals; -1 with errno. */
int pl_fd_write(int fd, const char *data, size_t len) PL_MUST_CHECK;

/* The next name in an open folder but "." and ".."; NULL: no more, or `dir` is NULL. */
const char *pl_dir_next(DIR *dir);
void pl_dir_close(DIR **dir);
/* auto_dir dir = opendir(path); */
#define auto_dir __attribute__((cleanup(pl_dir_close), unused)) DIR *

/*
 * A file being written beside its final place ("PATH.tmp.PID" in the same folder).
 * commit: fflush, fsync, rename, fsync of the folder. close without commit removes it.
 */
struct pl_file_new {
	FILE *stream;
	char *path;
	char *temporary;
};
/* If `path` is a link, the file that it leads to is replaced: for names that the user gave. */
int pl_file_new_open(struct pl_file_new *file, const char *path, struct pl_err *err) PL_MUST_CHECK;
/* If `path` is a link, the link is replaced: for names that the program makes. */
int pl_file_new_open_own(struct pl_file_new *file, const char *path,
			 struct pl_err *err) PL_MUST_CHECK;
int pl_file_new_commit(struct pl_file_new *file, struct pl_err *err) PL_MUST_CHECK;
void pl_file_new_close(struct pl_file_new *file);
#define auto_file_new __attribute__((cleanup(pl_file_new_close), unused)) struct pl_file_new

/*
 * The mode of all files that are made from now on, whatever the umask; set before any thread starts.
 * pl_file_mode(): that mode, or `otherwise` if none was set.
 */
void pl_file_set_mode(unsigned mode);
unsigned pl_file_mode(unsigned otherwise);
/* "0640": three or four octal digits, at least read and write for the owner. */
int pl_file_read_mode(const char *text, unsigned *ret, struct pl_err *err) PL_MUST_CHECK;

/* All of the above in one call. */
int pl_file_write(const char *path, const void *data, size_t len, struct pl_err *err) PL_MUST_CHECK;
/* 0 when a new file could be made at `path`: its folder exists and is writable, and what stands
 * there is a regular file or nothing. */
int pl_file_check_writable(const char *path, struct pl_err *err) PL_MUST_CHECK;
bool pl_file_exists(const char *path);
/*
 * Makes a directory, and syncs its name in its parent: without that a power cut takes the directory
 * away with all files that were synced in it. 0 also if it exists.
 */
int pl_file_make_dir(const char *path, unsigned mode, struct pl_err *err) PL_MUST_CHECK;
/* The same of a directory and of all that are missing above it. */
int pl_file_make_folders(const char *path, struct pl_err *err) PL_MUST_CHECK;
/*
 * Syncs the bytes of a file, or the names in a directory. 0 also if the file system cannot, or `path`
 * is not readable.
 */
int pl_file_sync(const char *path, struct pl_err *err) PL_MUST_CHECK;
/* The same of the directory that `path` is in. */
int pl_file_sync_dir_of(const char *path, struct pl_err *err) PL_MUST_CHECK;
/* Do both stand for one file, whatever their names? False where either is not there. */
bool pl_file_same(const char *a, const char *b);
/* Would they, were both written? Of files that are not there the folder and the name tell. */
bool pl_file_would_be_same(const char *a, const char *b);
int64_t pl_file_size(const char *path); /* -1: none */
/* Folder part ("." when there is none) and name part; the caller's (free()). */
char *pl_file_dir(const char *path);
char *pl_file_name(const char *path);
/* "a/b.json" with suffix ".server.log" and strip ".json": "a/b.server.log". */
char *pl_file_sibling(const char *path, const char *strip, const char *suffix);
/* SHA-256 of a file's bytes as 64 hexadecimal digits and a NUL. */
int pl_file_sha256(const char *path, char hex[65], struct pl_err *err) PL_MUST_CHECK;
/* The same of an open one, from where it stands to its end; -1 with errno. */
int pl_fd_sha256(int fd, char hex[65]) PL_MUST_CHECK;
void pl_sha256(const void *data, size_t len, char hex[65]);
