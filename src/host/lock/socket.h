/* Unix sockets of servers: the file of a server that ended stays, and the next bind() fails on it. */
#pragma once

#include "base/err.h"

/*
 * BUSY where a process holds the socket, INVALID where the path is something else than a socket. 0:
 * nothing is at the path, or a socket that no process holds.
 */
int host_socket_check(const char *path, struct pl_err *err) PL_MUST_CHECK;
/* The same, and removes a socket that no process holds. */
int host_socket_clear(const char *path, struct pl_err *err) PL_MUST_CHECK;
