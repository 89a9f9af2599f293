/*
 * A process tree that ends as a whole. The work of a command runs in a child of this process, so that
 * `kill -9` of either of them ends everything that the work started and removes its directory:
 *
 *   supervisor ──> work (own session) ──> its children
 *
 * - The supervisor passes SIGINT, SIGTERM and SIGHUP on, and returns the exit status of the work.
 * - If the supervisor is killed, the work gets SIGTERM.
 * - If the work is killed, the supervisor waits for the processes that the work has left, which get
 *   SIGTERM if they were started with a death signal, and removes the directory.
 */
#pragma once

#include "base/err.h"

#include <signal.h>

/*
 * The signals that end the work, and SIGCHLD. They are blocked in the work, which waits for them. SIGINT and SIGHUP end
 * nothing if they were ignored when this program was started.
 */
void cli_supervise_signals(sigset_t *ret);

/*
 * Runs work(data) in the child and returns its exit status; 128 + N if signal N ended it. `folder` is the
 * directory to remove if the work was killed, NULL: none. Call it before any thread is started.
 */
int cli_supervise(int (*work)(void *data), void *data, const char *folder, int *ret_status,
		  struct pl_err *err) PL_MUST_CHECK;
