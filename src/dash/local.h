/*
 * The dashboard at a Unix socket, which only the user who started it can reach: others of the host
 * cannot open the file, and a connection of another user is refused.
 */
#pragma once

#include "base/err.h"
#include "io/sock.h"

#include <stdbool.h>

/* A socket file of ours. Zero-initialized: none. */
struct dash_local {
	char *path;
	unsigned long device;
	unsigned long inode;
};

/*
 * Listens at addr, a Unix socket, mode 0600. A socket that no process listens on is replaced. BUSY: a
 * process listens there. INVALID: the path is another kind of file.
 */
int dash_local_listen(const struct io_addr *addr, int backlog, struct dash_local *ret, int *ret_fd,
		      struct pl_err *err) PL_MUST_CHECK;
/* Removes the file, if it is still the same. */
void dash_local_done(struct dash_local *local);
/* Is the peer of a Unix socket this process's user, or root? */
bool dash_local_is_ours(int fd);
