/*
 * What our own children and a guard's child share: how a program is put in place after fork().
 */
#pragma once

#include "base/err.h"
#include "base/strv.h"

#include <sys/types.h>

struct host_exec {
	const char *const *argv;
	const char *const *env; /* whole, NULL-ended */
	int log_fd;             /* -1: /dev/null */
	int death_signal;       /* what the child gets when the thread that forked it dies */
};

/* Adds our environment, with `over` (NULL-ended; NULL: nothing) on top. */
void host_exec_env(const char *const *over, struct pl_strv *ret);
/* *ret_fd: -1 for path NULL. */
int host_exec_open_log(const char *path, int *ret_fd, struct pl_err *err) PL_MUST_CHECK;
/*
 * Forks a child in a session and group of its own, with default signals, /dev/null to read from and
 * no descriptor but the first three; returns once its program was loaded. -1: errno says why not.
 */
pid_t host_exec_spawn(const struct host_exec *exec);
