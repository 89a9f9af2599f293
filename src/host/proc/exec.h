/* Starting a program after fork(), for our own children and for a guard's child. */
#pragma once

#include "base/err.h"
#include "base/strv.h"

#include <stdbool.h>
#include <sys/types.h>

struct host_exec {
	const char *const *argv;
	const char *const *env; /* complete, NULL-terminated */
	int log_fd;             /* standard output and error; -1: /dev/null */
	bool without_errors;    /* standard error goes to /dev/null */
	int death_signal;       /* sent to the child when the thread that forked it dies */
};

/* Adds our environment, overridden by `over` (NULL-terminated; NULL: nothing). */
void host_exec_env(const char *const *over, struct pl_strv *ret);
/* *ret_fd is -1 if path is NULL. */
int host_exec_open_log(const char *path, int *ret_fd, struct pl_err *err) PL_MUST_CHECK;
/*
 * Forks a child in a new session and process group, with default signals, /dev/null as standard
 * input and only the first three descriptors. Returns after its program was loaded; -1 with errno
 * on failure.
 */
pid_t host_exec_spawn(const struct host_exec *exec);
