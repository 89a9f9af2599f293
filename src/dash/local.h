/*
 * A dashboard on a Unix socket that only its user can reach: other users of the host cannot open the file, and their
 * connections are refused.
 */
#pragma once

#include "base/err.h"
#include "io/sock.h"

#include <stdbool.h>

/* A socket file created by this process. Zero-initialized: none. */
struct dash_local {
	char *path;
	unsigned long device;
	unsigned long inode;
};

/*
 * Listens at addr, a Unix socket, with mode 0600. Replaces a socket that no process listens on. BUSY: a process listens
 * on it. INVALID: the path is another kind of file.
 */
int dash_local_listen(const struct io_addr *addr, int backlog, struct dash_local *ret, int *ret_fd,
		      struct pl_err *err) PL_MUST_CHECK;
/* Removes the file if it is still the same one. */
void dash_local_done(struct dash_local *local);
/* Returns whether the peer of a Unix socket is this process's user or root. */
bool dash_local_is_ours(int fd);
