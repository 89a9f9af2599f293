/*
 * Stream sockets: non-blocking, close-on-exec, with the kernel's receive stamps.
 */
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
	/* Not NULL: TLS is spoken there, so that nobody who has the address forgets it (fetch.c and
	 * bench/load/conn.c do the speaking). Not ours: it outlives whoever connects. */
	const struct io_tls_client *tls;
};

/* Resolves a name or a literal ("::1" with or without brackets); blocks. IPv4 is preferred. */
int io_addr_resolve(const char *host, uint16_t port, struct io_addr *ret,
		    struct pl_err *err) PL_MUST_CHECK;
/*
 * All its addresses, `room` of them at most and at least one, IPv4 first: a server may listen on
 * any of them, as one on 127.0.0.1 only that is asked for as localhost.
 */
int io_addr_resolve_all(const char *host, uint16_t port, struct io_addr *ret, size_t room,
			size_t *ret_count, struct pl_err *err) PL_MUST_CHECK;
int io_addr_unix(const char *path, struct io_addr *ret, struct pl_err *err) PL_MUST_CHECK;
/* "127.0.0.1:8000", "[::1]:8000", "unix:/path" */
void io_addr_text(const struct io_addr *addr, char *text, size_t room);
uint16_t io_addr_port(const struct io_addr *addr);

/* Bound (SO_REUSEADDR) and listening; port 0 takes a free one, see io_sock_local(). In use:
 * BUSY. */
int io_sock_listen(const struct io_addr *addr, int backlog, int *ret_fd,
		   struct pl_err *err) PL_MUST_CHECK;
int io_sock_local(int fd, struct io_addr *ret, struct pl_err *err) PL_MUST_CHECK;
/* A socket of the address's family, not connected. TCP_NODELAY and receive stamps are on. */
int io_sock_new(const struct io_addr *addr, int *ret_fd, struct pl_err *err) PL_MUST_CHECK;
/* Begins connect(): the socket is writable once done; then io_sock_connect_result(). */
int io_sock_connect_begin(int fd, const struct io_addr *addr, struct pl_err *err) PL_MUST_CHECK;
/* Both; nothing is left open where it fails. */
int io_sock_connect(const struct io_addr *addr, int *ret_fd, struct pl_err *err) PL_MUST_CHECK;
int io_sock_connect_result(int fd); /* 0 or an errno */
/* accept4(); -1 with errno EAGAIN when none waits. TCP_NODELAY and receive stamps are on. */
int io_sock_accept(int listen_fd);

/*
 * One recvmsg(). *ret_stamp_real_ns is the kernel's CLOCK_REALTIME stamp of the last segment that
 * the read took bytes from, 0 where there is none. Returns bytes, 0 at the end, -1 with errno.
 */
ssize_t io_sock_recv(int fd, void *data, size_t room, int64_t *ret_stamp_real_ns);
/* The same; the bytes are left to be read. */
ssize_t io_sock_peek(int fd, void *data, size_t room, int64_t *ret_stamp_real_ns);
/*
 * Of the segment with the count-th of the bytes that wait, 0 where there is none. `room` is for as many
 * and keeps what it holds. TCP alone.
 */
int64_t io_sock_stamp_at(int fd, char *room, size_t count);

/*
 * From now on the kernel stamps what is sent as the network takes it: beside a processor that is
 * wanted elsewhere, sendmsg() may return long after. A socket of TCP.
 */
void io_sock_stamp_sends(int fd);
/*
 * Of such a socket: CLOCK_REALTIME when the last byte of the latest send() that has gone whole
 * went; 0: no stamp has come since the last call. Each takes the stamps that wait, which the socket
 * shows as EPOLLERR.
 */
int64_t io_sock_sent_stamp(int fd);

/*
 * From now on what comes is acknowledged two segments at a time, or after 40 ms; once that time
 * was needed, at once again. Half of what receiving a small segment costs is sending its
 * acknowledgement. Nothing where it cannot be (no TCP).
 */
void io_sock_delay_acks(int fd);
/* The kernel does not tell smaller segments apart; what a path carries at least (RFC 879). */
#define IO_SEGMENT_BYTES_MIN 536

/* What a TCP connection has exchanged so far, by the kernel's count. */
struct io_segments {
	uint32_t sent;           /* of any kind: each acknowledges what came */
	uint32_t data_received;  /* with data */
	uint64_t bytes_received; /* of data */
	uint32_t largest_bytes;  /* of a segment that came; IO_SEGMENT_BYTES_MIN: or less */
};
/* False where it cannot be told (no TCP). */
bool io_sock_segments(int fd, struct io_segments *ret);
/*
 * How long the peer's first answer took on a connection that has just come to stand, by the
 * kernel's clock: what connecting cost beyond it was this process's own doing. INT64_MAX where a
 * segment had to be sent again: no time is too long then. -1: it cannot be told.
 */
int64_t io_sock_handshake_ns(int fd);
/*
 * Between the two counts, did the peer send on while what it had sent was not acknowledged? By
 * Nagle's algorithm (RFC 896) a segment that is not full waits for that: one can be under way
 * already, and each one of ours releases one more. A full one is as large as the largest that came,
 * or larger. True: the peer leaves the algorithm off, and acknowledgements that wait do not hold it
 * up.
 */
bool io_segments_came_unacked(const struct io_segments *from, const struct io_segments *to);

/* The limit on open files is raised to its hard limit; returns what may be opened. */
uint64_t io_sock_raise_nofile(void);
/*
 * Room for so many descriptors more, as far as the limit goes. In a process with threads the call
 * that finds the table full waits for an RCU grace period of the kernel, 5 to 20 ms on a busy host:
 * that is had before clocks run, not at the 256th connection of a burst, the 512th and so on.
 */
void io_sock_reserve_files(uint64_t count);
