/* Stream sockets: non-blocking, close-on-exec, with kernel receive timestamps. */
#pragma once

#include "base/err.h"

#include <netinet/in.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/socket.h>
#include <sys/types.h>
#include <sys/un.h>

struct io_tls_client;

struct io_addr {
	union {
		struct sockaddr any;
		struct sockaddr_in v4;
		struct sockaddr_in6 v6;
		struct sockaddr_un local;
	} u;
	socklen_t len;
	/*
	 * Not NULL: the address requires TLS. It is part of the address so that no caller forgets
	 * it (fetch.c and bench/load/conn.c implement it). Borrowed: must outlive all connections.
	 */
	const struct io_tls_client *tls;
};

/* Resolves a name or a literal ("::1" with or without brackets); blocks. IPv4 is preferred. */
int io_addr_resolve(const char *host, uint16_t port, struct io_addr *ret,
		    struct pl_err *err) PL_MUST_CHECK;
/*
 * Resolves up to `room` addresses, at least one, IPv4 first. A server may listen on only one of
 * them, for example on 127.0.0.1 when the user enters localhost.
 */
int io_addr_resolve_all(const char *host, uint16_t port, struct io_addr *ret, size_t room,
			size_t *ret_count, struct pl_err *err) PL_MUST_CHECK;
int io_addr_unix(const char *path, struct io_addr *ret, struct pl_err *err) PL_MUST_CHECK;
/* "127.0.0.1:8000", "[::1]:8000", "unix:/path" */
void io_addr_text(const struct io_addr *addr, char *text, size_t room);
uint16_t io_addr_port(const struct io_addr *addr);
/* Returns whether it is an address of this host: loopback, of one of its interfaces, or a Unix socket. */
bool io_addr_is_here(const struct io_addr *addr);

/*
 * Binds (SO_REUSEADDR) and listens; port 0 takes a free port, see io_sock_local(). BUSY: the
 * address is in use.
 */
int io_sock_listen(const struct io_addr *addr, int backlog, int *ret_fd,
		   struct pl_err *err) PL_MUST_CHECK;
/*
 * Makes the kernel drop new attempts to connect to a TCP listener, whose clients repeat them after a second. Connections
 * that wait to be accepted, and handshakes in progress, are not affected. Does nothing if the kernel refuses the filter.
 */
void io_sock_drop_new(int fd);
int io_sock_local(int fd, struct io_addr *ret, struct pl_err *err) PL_MUST_CHECK;
/* Makes an unconnected socket of the address's family, with TCP_NODELAY and receive timestamps. */
int io_sock_new(const struct io_addr *addr, int *ret_fd, struct pl_err *err) PL_MUST_CHECK;
/*
 * Begins connect(). The socket becomes writable when it has finished; then call
 * io_sock_connect_result().
 */
int io_sock_connect_begin(int fd, const struct io_addr *addr, struct pl_err *err) PL_MUST_CHECK;
/* Does both; closes the socket on failure. */
int io_sock_connect(const struct io_addr *addr, int *ret_fd, struct pl_err *err) PL_MUST_CHECK;
int io_sock_connect_result(int fd); /* returns 0 or an errno */
/*
 * Calls accept4(); -1 with errno EAGAIN if no connection is pending. Enables TCP_NODELAY and
 * receive timestamps.
 */
int io_sock_accept(int listen_fd);

/*
 * Calls recvmsg() once. *ret_stamp_real_ns is the kernel's CLOCK_REALTIME timestamp of the last
 * segment that the read took bytes from, 0 if there is none. Returns the number of bytes, 0 at the
 * end, -1 with errno.
 */
ssize_t io_sock_recv(int fd, void *data, size_t room, int64_t *ret_stamp_real_ns);
/* The same, but leaves the bytes in the socket. */
ssize_t io_sock_peek(int fd, void *data, size_t room, int64_t *ret_stamp_real_ns);
/*
 * Returns the timestamp of the segment that contains the count-th pending byte, 0 if there is none.
 * `room` must hold count bytes and is not modified. TCP only.
 */
int64_t io_sock_stamp_at(int fd, char *room, size_t count);

/*
 * Enables kernel timestamps of sent data, taken when the network accepts it: on a busy CPU,
 * sendmsg() may return much later. TCP only.
 */
void io_sock_stamp_sends(int fd);
/*
 * Returns the CLOCK_REALTIME at which the last byte of the latest completely sent send() left such
 * a socket, 0 if no timestamp arrived since the last call. Each call consumes the pending
 * timestamps, which the socket signals as EPOLLERR.
 */
int64_t io_sock_sent_stamp(int fd);

/*
 * Delays acknowledgements from now on: one per two segments, or after 40 ms. If the 40 ms were
 * needed, they are sent at once again. Half of the cost of receiving a small segment is sending its
 * acknowledgement. Does nothing if the socket is not TCP.
 */
void io_sock_delay_acks(int fd);
/*
 * The kernel does not distinguish smaller segments; every path carries at least this size (RFC
 * 879).
 */
#define IO_SEGMENT_BYTES_MIN 536

/* Segment counts of a TCP connection so far, from the kernel. */
struct io_segments {
	uint32_t sent;           /* of any kind: each acknowledges the received data */
	uint32_t data_received;  /* with data */
	uint64_t bytes_received; /* of data */
	uint32_t largest_bytes;  /* of a segment that came; IO_SEGMENT_BYTES_MIN: or less */
};
/* Returns false if the counts are unknown (not TCP). */
bool io_sock_segments(int fd, struct io_segments *ret);
/*
 * Returns how long the peer's first response took on a connection that was just established, by the
 * kernel's clock; the rest of the connect time was spent in this process. INT64_MAX if a segment
 * was sent again: no time is then too long. -1: unknown.
 */
int64_t io_sock_handshake_ns(int fd);
/* Returns the shortest round trip of a TCP connection; 0: not measured, on a Unix socket or by an old kernel. */
int64_t io_sock_min_round_trip_ns(int fd);
/*
 * Returns whether the peer sent further data between the two counts while earlier data was not
 * acknowledged. Under Nagle's algorithm (RFC 896) a segment that is not full waits for that: one
 * may be in flight already, and each of our segments releases one more. A full segment is at least
 * as large as the largest one received. True: the peer has the algorithm off, and delayed
 * acknowledgements do not slow it down.
 */
bool io_segments_came_unacked(const struct io_segments *from, const struct io_segments *to);

/* Raises the limit on open files to its hard limit; returns the resulting limit. */
uint64_t io_sock_raise_nofile(void);
/*
 * Reserves room for `count` more descriptors, as far as the limit allows. In a process with
 * threads, a call that must enlarge the table waits for an RCU grace period of the kernel, 5 to 20
 * ms on a busy host. Reserve before measuring, so that this does not happen at the 256th connection
 * of a burst, the 512th and so on.
 */
void io_sock_reserve_files(uint64_t count);
