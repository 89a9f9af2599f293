/*
 * The pipe between a child and its log: a child may print the secrets that it was given, so its log
 * is written by this end, redacted.
 *
 *	child ──stdout, stderr──> pipe ──> redacted (base/redact.h) ──> log file
 *
 * The child writes to the file itself if no secret is known, or the log is a device such as
 * /dev/null. One thread at a time.
 */
#pragma once

#include "base/mem.h"

struct host_log_pipe;

/*
 * Opens a pipe to the file. *ret_fd: the end for the child, the caller's to close. The file
 * stays the caller's; the pipe has its own copy. *ret NULL: none is needed. -1: errno.
 */
int host_log_pipe_open(int file_fd, struct host_log_pipe **ret, int *ret_fd) PL_MUST_CHECK;
/* The end to poll for POLLIN; -1: it was closed, or there is no pipe (NULL). */
int host_log_pipe_fd(const struct host_log_pipe *log);
/* Writes what the pipe has, a few MiB at most, so that the caller keeps its deadlines. */
void host_log_pipe_step(struct host_log_pipe *log);
/* Writes all that the pipe has now, within a second. */
void host_log_pipe_drain(struct host_log_pipe *log);
/* Drains the pipe, writes what was held back, and closes it. NULL: nothing. */
void host_log_pipe_close(struct host_log_pipe *log);
