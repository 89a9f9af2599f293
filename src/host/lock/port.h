/*
 * TCP ports for servers: outside the kernel's range for outgoing connections, tried by bind(), and
 * kept from other runs of this host by a lock.
 */
#pragma once

#include "host/lock/lock.h"

#include <stdint.h>
#include <sys/types.h>

#define HOST_PORT_FIRST 20000
#define HOST_PORT_LAST  29999

struct host_port {
	uint16_t number;
	int bound_fd; /* nobody else can bind it until this is closed, just before the start; -1 */
	int lock_fd;  /* no other run takes it until this is released; -1: without a lock */
};

#define HOST_PORT_NONE          \
	((struct host_port){    \
		.bound_fd = -1, \
		.lock_fd = -1,  \
	})

/*
 * A port of `host` that nobody listens on. `fixed` 0: any of the range, else that one; taken: BUSY,
 * and err says by whom as far as can be seen. `locks` NULL: without a lock.
 */
int host_port_take(const struct host_locks *locks, const char *host, uint16_t fixed,
		   const struct host_lock_who *who, struct host_port *ret,
		   struct pl_err *err) PL_MUST_CHECK;
/* Closes what holds the port against bind(), so that the server can have it. */
void host_port_unbind(struct host_port *port);
/* Gives everything back; harmless when repeated. */
void host_port_release(struct host_port *port);

/* Who listens on a port: "pid 123 'python3 -m x' of user u"; NULL: nobody. free(). */
char *host_port_listener(uint16_t port);
/* Its process; 0: nobody listens, or who does cannot be seen, as another user's. */
pid_t host_port_listener_pid(uint16_t port);

/*
 * Ports of HOST_PORT_FIRST to HOST_PORT_LAST outside of "32768 60999", as ip_local_port_range has
 * it, into `ret` in order; returns how many. All of them where none is outside.
 */
size_t host_port_usable(const char *local_range,
			uint16_t ret[HOST_PORT_LAST - HOST_PORT_FIRST + 1]);
