/*
 * The pipe between a child and its log: a child may print the secrets that it was given, so this
 * process writes its log, redacted.
 *
 *  child ──stdout, stderr──> pipe ──> redacted (base/redact.h) ──> log file
 *
 * The child writes to the file itself if no secret is known or the log is a device such as
 * /dev/null. One thread at a time.
 */
#pragma once

#include "base/mem.h"

struct host_log_pipe;

/*
 * Opens a pipe to the file. *ret_fd: the child's end, to be closed by the caller. The caller keeps
 * file_fd; the pipe duplicates it. *ret NULL: no pipe is needed. Returns -1 with errno on failure.
 */
int host_log_pipe_open(int file_fd, struct host_log_pipe **ret, int *ret_fd) PL_MUST_CHECK;
/* Returns the descriptor to poll for POLLIN; -1: closed, or no pipe (NULL). */
int host_log_pipe_fd(const struct host_log_pipe *log);
/* Writes pending data, a few MiB at most, so that the caller meets its deadlines. */
void host_log_pipe_step(struct host_log_pipe *log);
/* Writes all data now in the pipe, within a second. */
void host_log_pipe_drain(struct host_log_pipe *log);
/* Drains the pipe, writes held-back bytes, and closes it. Ignores NULL. */
void host_log_pipe_close(struct host_log_pipe *log);
