/*
 * Unix sockets of servers: the socket file of an ended server remains, and the next bind() fails.
 */
#pragma once

#include "base/err.h"

/*
 * Returns 0 if the path is free or is a socket that no process holds. BUSY: a process holds the
 * socket. INVALID: the path is not a socket.
 */
int host_socket_check(const char *path, struct pl_err *err) PL_MUST_CHECK;
/* The same, and removes a socket that no process holds. */
int host_socket_clear(const char *path, struct pl_err *err) PL_MUST_CHECK;
