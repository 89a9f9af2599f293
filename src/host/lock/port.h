/*
 * TCP ports for servers: outside the kernel's range for outgoing connections, tested with bind(),
 * and reserved against other runs on this host with a lock.
 */
#pragma once

#include "host/lock/lock.h"

#include <stdint.h>
#include <sys/types.h>

#define HOST_PORT_FIRST 20000
#define HOST_PORT_LAST  29999

struct host_port {
	uint16_t number;
	int bound_fd; /* prevents any bind() until it is closed, just before the start; -1: none */
	int lock_fd;  /* prevents use by other runs until it is released; -1: without a lock */
};

#define HOST_PORT_NONE          \
	((struct host_port){    \
		.bound_fd = -1, \
		.lock_fd = -1,  \
	})

/*
 * Takes a port of `host` on which no process listens: `fixed`, or any of the range if that is 0.
 * BUSY: it is in use, and err names the user as far as known. `locks` NULL: without a lock.
 */
int host_port_take(const struct host_locks *locks, const char *host, uint16_t fixed,
		   const struct host_lock_owner *who, struct host_port *ret,
		   struct pl_err *err) PL_MUST_CHECK;
/* Closes the socket that reserves the port, so that the server can bind it. */
void host_port_unbind(struct host_port *port);
/* Releases everything; may be called repeatedly. */
void host_port_release(struct host_port *port);

/*
 * Describes the process that listens on a port: "pid 123 'python3 -m x' of user u"; NULL: none.
 * Free with free().
 */
char *host_port_listener(uint16_t port);
/* Returns the pid of that process; 0: no process listens, or it is not visible (another user's). */
pid_t host_port_listener_pid(uint16_t port);

/*
 * Writes the ports from HOST_PORT_FIRST to HOST_PORT_LAST that are outside `local_range` (such as
 * "32768 60999", in the format of ip_local_port_range) into `ret` in order; returns their number.
 * Returns all of them if none is outside.
 */
size_t host_port_usable(const char *local_range,
			uint16_t ret[HOST_PORT_LAST - HOST_PORT_FIRST + 1]);
