#include "io/sock.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <ifaddrs.h>
#include <limits.h>
#include <linux/filter.h>
#include <linux/net_tstamp.h>
#include <linux/tcp.h>
#include <netdb.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"

#define TCP_FLAGS_AT     13 /* in the header */
#define TCP_FLAG_SYN_BIT 0x02

/* A new socket of the address's family; -1 with err. */
static int new_socket(const struct io_addr *addr, struct pl_err *err)
{
	int fd = socket(addr->u.any.sa_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);

	if (fd < 0)
		pl_err_errno(err, "could not create a socket");
	return fd;
}

/*
 * Both fail on a unix socket, where they have no meaning. Without TCP_NODELAY a request of two
 * writes waits for the peer's acknowledgement of the first, 40 ms with delayed ones. Timestamps:
 * docs/decisions/0001-kernel-stamps.md.
 */
static void set_stream_options(int fd)
{
	int on = 1;

	setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
	setsockopt(fd, SOL_SOCKET, SO_TIMESTAMPNS, &on, sizeof(on));
}

/* getaddrinfo() gives an address once for each line of /etc/hosts that has it. */
static bool holds(const struct io_addr *list, size_t count, const struct addrinfo *item)
{
	for (size_t i = 0; i < count; i++) {
		if (list[i].len == item->ai_addrlen &&
		    memcmp(&list[i].u, item->ai_addr, item->ai_addrlen) == 0)
			return true;
	}
	return false;
}

/* Those of the family, or (v4 false) of every other one that we know. */
static size_t take_family(const struct addrinfo *list, bool v4, struct io_addr *ret, size_t count,
			  size_t room)
{
	for (; list != NULL && count < room; list = list->ai_next) {
		bool wanted = v4 ? list->ai_family == AF_INET : list->ai_family == AF_INET6;
		if (!wanted || list->ai_addrlen > sizeof(ret->u) || holds(ret, count, list))
			continue;
		ret[count] = (struct io_addr){ .len = list->ai_addrlen };
		memcpy(&ret[count].u, list->ai_addr, list->ai_addrlen);
		count++;
	}
	return count;
}

int io_addr_resolve_all(const char *host, uint16_t port, struct io_addr *ret, size_t room,
			size_t *ret_count, struct pl_err *err)
{
	char bare[256];
	char service[8];
	struct addrinfo hints = { .ai_socktype = SOCK_STREAM, .ai_family = AF_UNSPEC };
	struct addrinfo *list = NULL;
	size_t len = strlen(host);

	if (len >= 2 && host[0] == '[' && host[len - 1] == ']') {
		host++;
		len -= 2;
	}
	if (len == 0 || len >= sizeof(bare))
		return pl_err_invalid(err, "'%.*s' is not a valid host name", (int)len, host);
	memcpy(bare, host, len);
	bare[len] = '\0';
	snprintf(service, sizeof(service), "%u", (unsigned)port);
	int rc = getaddrinfo(bare, service, &hints, &list);
	if (rc != 0)
		return pl_err_set(err, PL_ERR_NETWORK, "could not resolve host '%s': %s", bare,
				  gai_strerror(rc));
	/*
	 * IPv4 first, against RFC 6724: vLLM and most servers bind 0.0.0.0, and "localhost"
	 * resolves to ::1 first.
	 */
	size_t count = take_family(list, true, ret, 0, room);
	count = take_family(list, false, ret, count, room);
	freeaddrinfo(list);
	if (count == 0)
		return pl_err_set(err, PL_ERR_NETWORK, "host '%s' has no IPv4 or IPv6 address",
				  bare);
	*ret_count = count;
	return 0;
}

int io_addr_resolve(const char *host, uint16_t port, struct io_addr *ret, struct pl_err *err)
{
	size_t count;

	return io_addr_resolve_all(host, port, ret, 1, &count, err);
}

int io_addr_unix(const char *path, struct io_addr *ret, struct pl_err *err)
{
	size_t len = strlen(path);

	if (len == 0 || len >= sizeof(ret->u.local.sun_path))
		return pl_err_invalid(err, "socket path '%s': found %zu bytes, expected 1 to %zu",
				      path, len, sizeof(ret->u.local.sun_path) - 1);
	*ret = (struct io_addr){ .u.local.sun_family = AF_UNIX };
	memcpy(ret->u.local.sun_path, path, len + 1);
	/*
	 * Includes the NUL and nothing more: the kernel treats every byte within the length as part
	 * of the name.
	 */
	ret->len = (socklen_t)(offsetof(struct sockaddr_un, sun_path) + len + 1);
	return 0;
}

void io_addr_text(const struct io_addr *addr, char *text, size_t room)
{
	char host[INET6_ADDRSTRLEN] = "?";

	switch (addr->u.any.sa_family) {
	case AF_INET:
		inet_ntop(AF_INET, &addr->u.v4.sin_addr, host, sizeof(host));
		snprintf(text, room, "%s:%u", host, (unsigned)io_addr_port(addr));
		break;
	case AF_INET6:
		inet_ntop(AF_INET6, &addr->u.v6.sin6_addr, host, sizeof(host));
		snprintf(text, room, "[%s]:%u", host, (unsigned)io_addr_port(addr));
		break;
	case AF_UNIX:
		/* the kernel's own answers may come without a path */
		snprintf(text, room, "unix:%s",
			 addr->len > offsetof(struct sockaddr_un, sun_path) ? addr->u.local.sun_path
									    : "");
		break;
	default:
		snprintf(text, room, "?");
	}
}

uint16_t io_addr_port(const struct io_addr *addr)
{
	switch (addr->u.any.sa_family) {
	case AF_INET:
		return ntohs(addr->u.v4.sin_port);
	case AF_INET6:
		return ntohs(addr->u.v6.sin6_port);
	default:
		return 0;
	}
}

static bool same_host(const struct sockaddr *a, const struct sockaddr *b)
{
	if (a == NULL || a->sa_family != b->sa_family)
		return false;
	if (a->sa_family == AF_INET)
		return ((const struct sockaddr_in *)(const void *)a)->sin_addr.s_addr ==
		       ((const struct sockaddr_in *)(const void *)b)->sin_addr.s_addr;
	return a->sa_family == AF_INET6 &&
	       IN6_ARE_ADDR_EQUAL(&((const struct sockaddr_in6 *)(const void *)a)->sin6_addr,
				  &((const struct sockaddr_in6 *)(const void *)b)->sin6_addr);
}

/* Returns whether it needs no interface to be this host's: loopback, or any address (connecting to it loops back). */
static bool is_own_by_itself(const struct io_addr *addr)
{
	const struct in6_addr *v6 = &addr->u.v6.sin6_addr;
	in_addr_t v4 = ntohl(addr->u.v4.sin_addr.s_addr);

	switch (addr->u.any.sa_family) {
	case AF_UNIX:
		return true;
	case AF_INET:
		return v4 >> 24 == IN_LOOPBACKNET || v4 == INADDR_ANY;
	case AF_INET6:
		return IN6_IS_ADDR_LOOPBACK(v6) || IN6_IS_ADDR_UNSPECIFIED(v6);
	default:
		return false;
	}
}

bool io_addr_is_here(const struct io_addr *addr)
{
	struct ifaddrs *all = NULL;
	struct io_addr plain = *addr;

	if (addr->u.any.sa_family == AF_INET6 && IN6_IS_ADDR_V4MAPPED(&addr->u.v6.sin6_addr)) {
		plain.u.v4 = (struct sockaddr_in){ .sin_family = AF_INET };
		memcpy(&plain.u.v4.sin_addr, &addr->u.v6.sin6_addr.s6_addr[12],
		       sizeof(plain.u.v4.sin_addr));
	}
	bool found = is_own_by_itself(&plain);
	if (found || getifaddrs(&all) < 0)
		return found;
	for (const struct ifaddrs *at = all; at != NULL && !found; at = at->ifa_next)
		found = same_host(at->ifa_addr, &plain.u.any);
	freeifaddrs(all);
	return found;
}

int io_sock_listen(const struct io_addr *addr, int backlog, int *ret_fd, struct pl_err *err)
{
	auto_fd int fd = new_socket(addr, err);
	char text[160];
	int on = 1;

	if (fd < 0)
		return -1;
	io_addr_text(addr, text, sizeof(text));
	/*
	 * Connections of the previous run remain in TIME_WAIT for a minute and must not block the
	 * port.
	 */
	setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on));
	if (bind(fd, &addr->u.any, addr->len) < 0 || listen(fd, backlog) < 0) {
		if (errno == EADDRINUSE)
			return pl_err_set(err, PL_ERR_BUSY, "address '%s' is in use", text);
		return pl_err_errno(err, "could not listen on '%s'", text);
	}
	*ret_fd = pl_take_fd(fd);
	return 0;
}

/* The first packet of a connection has the flag SYN, in byte 13 of the TCP header, and is the only one to a listener. */
void io_sock_drop_new(int fd)
{
	struct sock_filter code[] = {
		BPF_STMT(BPF_LD | BPF_B | BPF_ABS, TCP_FLAGS_AT),
		BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, TCP_FLAG_SYN_BIT, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, 0),
		BPF_STMT(BPF_RET | BPF_K, UINT32_MAX),
	};
	const struct sock_fprog program = { .len = PL_ARRAY_SIZE(code), .filter = code };

	(void)setsockopt(fd, SOL_SOCKET, SO_ATTACH_FILTER, &program, sizeof(program));
}

int io_sock_local(int fd, struct io_addr *ret, struct pl_err *err)
{
	struct io_addr addr = { .len = sizeof(addr.u) };

	if (getsockname(fd, &addr.u.any, &addr.len) < 0)
		return pl_err_errno(err, "could not read the address of descriptor %d", fd);
	*ret = addr;
	return 0;
}

int io_sock_new(const struct io_addr *addr, int *ret_fd, struct pl_err *err)
{
	int fd = new_socket(addr, err);

	if (fd < 0)
		return -1;
	set_stream_options(fd);
	*ret_fd = fd;
	return 0;
}

int io_sock_connect_begin(int fd, const struct io_addr *addr, struct pl_err *err)
{
	char text[160];

	/*
	 * EINTR too: the connection attempt continues, and its result arrives as with EINPROGRESS
	 * (POSIX, connect()).
	 */
	if (connect(fd, &addr->u.any, addr->len) == 0 || errno == EINPROGRESS || errno == EINTR)
		return 0;
	int saved = errno;
	io_addr_text(addr, text, sizeof(text));
	return pl_err_set(err, PL_ERR_NETWORK, "could not connect to '%s': %s", text,
			  strerror(saved));
}

int io_sock_connect(const struct io_addr *addr, int *ret_fd, struct pl_err *err)
{
	auto_fd int fd = -1;

	if (io_sock_new(addr, &fd, err) < 0 || io_sock_connect_begin(fd, addr, err) < 0)
		return -1;
	*ret_fd = pl_take_fd(fd);
	return 0;
}

/* Reading SO_ERROR clears it: call it once. */
int io_sock_connect_result(int fd)
{
	int result = 0;
	socklen_t len = sizeof(result);

	if (getsockopt(fd, SOL_SOCKET, SO_ERROR, &result, &len) < 0)
		return errno;
	return result;
}

int io_sock_accept(int listen_fd)
{
	for (;;) {
		int fd = accept4(listen_fd, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);
		if (fd >= 0) {
			set_stream_options(fd);
			return fd;
		}
		/* continue to accept if a waiting peer has disconnected */
		if (errno != EINTR && errno != ECONNABORTED)
			return -1;
	}
}

static int64_t stamp_of(struct msghdr *msg)
{
	for (struct cmsghdr *c = CMSG_FIRSTHDR(msg); c != NULL; c = CMSG_NXTHDR(msg, c)) {
		if (c->cmsg_level != SOL_SOCKET || c->cmsg_type != SCM_TIMESTAMPNS)
			continue;
		struct timespec stamp;
		memcpy(&stamp, CMSG_DATA(c), sizeof(stamp));
		return stamp.tv_sec * PL_NS_PER_S + stamp.tv_nsec;
	}
	return 0;
}

/*
 * The kernel gives the stamp of the last segment that a read took bytes from
 * (tcp_recv_timestamp()): events that came in several segments and are read together share the
 * latest one.
 */
static ssize_t receive(int fd, void *data, size_t room, int flags, int64_t *ret_stamp_real_ns)
{
	union {
		struct cmsghdr align;
		/*
		 * More room than needed: with too little, the kernel would truncate the list with
		 * the timestamp.
		 */
		char bytes[CMSG_SPACE(sizeof(struct timespec)) + 64];
	} control;
	struct iovec part = { .iov_base = data, .iov_len = room };
	struct msghdr msg;
	ssize_t len;

	do {
		msg = (struct msghdr){ .msg_iov = &part,
				       .msg_iovlen = 1,
				       .msg_control = control.bytes,
				       .msg_controllen = sizeof(control.bytes) };
		len = recvmsg(fd, &msg, flags);
	} while (len < 0 && errno == EINTR);
	*ret_stamp_real_ns = len > 0 ? stamp_of(&msg) : 0;
	return len;
}

ssize_t io_sock_recv(int fd, void *data, size_t room, int64_t *ret_stamp_real_ns)
{
	return receive(fd, data, room, 0, ret_stamp_real_ns);
}

ssize_t io_sock_peek(int fd, void *data, size_t room, int64_t *ret_stamp_real_ns)
{
	return receive(fd, data, room, MSG_PEEK, ret_stamp_real_ns);
}

/* For TCP this copies no bytes: tcp(7), MSG_TRUNC. Sanitizers treat the buffer as written. */
int64_t io_sock_stamp_at(int fd, char *room, size_t count)
{
	int64_t stamp_real_ns;

	receive(fd, room, count, MSG_PEEK | MSG_TRUNC, &stamp_real_ns);
	return stamp_real_ns;
}

/*
 * SO_TIMESTAMPNS, which is on, makes the kernel add the time to each send notification; without it,
 * the required report would also come with every read. Timestamps without the sent bytes (TSONLY)
 * need no privilege to see these bytes.
 */
void io_sock_stamp_sends(int fd)
{
	int flags = SOF_TIMESTAMPING_TX_SOFTWARE | SOF_TIMESTAMPING_OPT_TSONLY;

	setsockopt(fd, SOL_SOCKET, SO_TIMESTAMPING, &flags, sizeof(flags));
}

int64_t io_sock_sent_stamp(int fd)
{
	/* the stamp, and a notice of which nothing is wanted */
	union {
		struct cmsghdr align;
		char bytes[256];
	} control;
	int64_t last_ns = 0;

	for (;;) {
		struct msghdr msg = { .msg_control = control.bytes,
				      .msg_controllen = sizeof(control.bytes) };
		ssize_t len = recvmsg(fd, &msg, MSG_ERRQUEUE | MSG_DONTWAIT);
		if (len < 0 && errno == EINTR)
			continue;
		if (len < 0)
			return last_ns;
		int64_t stamp_ns = stamp_of(&msg);
		last_ns = stamp_ns > last_ns ? stamp_ns : last_ns;
	}
}

/*
 * TCP_QUICKACK 0 enables "pingpong" mode, which the kernel leaves on its own: tcp(7), "not
 * permanent".
 */
void io_sock_delay_acks(int fd)
{
	int off = 0;

	setsockopt(fd, IPPROTO_TCP, TCP_QUICKACK, &off, sizeof(off));
}

bool io_sock_segments(int fd, struct io_segments *ret)
{
	struct tcp_info info = { .tcpi_state = 0 };
	socklen_t len = sizeof(info);

	/* Linux before 4.6 does not count segments of data */
	if (getsockopt(fd, IPPROTO_TCP, TCP_INFO, &info, &len) < 0 ||
	    len < offsetof(struct tcp_info, tcpi_data_segs_out))
		return false;
	*ret = (struct io_segments){
		.sent = info.tcpi_segs_out,
		.data_received = info.tcpi_data_segs_in,
		.bytes_received = info.tcpi_bytes_received,
		.largest_bytes = info.tcpi_rcv_mss,
	};
	return true;
}

int64_t io_sock_min_round_trip_ns(int fd)
{
	struct tcp_info info = { .tcpi_min_rtt = 0 };
	socklen_t len = sizeof(info);

	/* the kernel has no sample yet: all bits are set */
	if (getsockopt(fd, IPPROTO_TCP, TCP_INFO, &info, &len) < 0 ||
	    len < offsetof(struct tcp_info, tcpi_min_rtt) + sizeof(info.tcpi_min_rtt) ||
	    info.tcpi_min_rtt == UINT32_MAX)
		return 0;
	return (int64_t)info.tcpi_min_rtt * 1000;
}

int64_t io_sock_handshake_ns(int fd)
{
	struct tcp_info info = { .tcpi_state = 0 };
	socklen_t len = sizeof(info);

	if (getsockopt(fd, IPPROTO_TCP, TCP_INFO, &info, &len) < 0)
		return -1;
	return info.tcpi_total_retrans > 0 ? INT64_MAX : (int64_t)info.tcpi_rtt * 1000;
}

/*
 * released: one segment may have been in flight when counting began, and each of our segments
 * released one more. Segments beyond that number, except full ones, were sent without waiting.
 */
bool io_segments_came_unacked(const struct io_segments *from, const struct io_segments *to)
{
	uint64_t bytes = to->bytes_received - from->bytes_received;
	uint64_t full = to->largest_bytes > IO_SEGMENT_BYTES_MIN ? bytes / to->largest_bytes : 0;
	uint32_t released = 1 + (to->sent - from->sent);

	return to->data_received - from->data_received > released + full;
}

void io_sock_reserve_files(uint64_t count)
{
	struct rlimit limit;
	auto_fd int lowest = eventfd(0, EFD_CLOEXEC);

	if (lowest < 0 || getrlimit(RLIMIT_NOFILE, &limit) < 0)
		return;
	uint64_t highest = (uint64_t)lowest + count;
	if (highest >= limit.rlim_cur)
		highest = limit.rlim_cur - 1;
	if (highest > INT_MAX)
		return;
	/* the table grows to hold it and is never made smaller */
	auto_fd int unused = fcntl(lowest, F_DUPFD_CLOEXEC, (int)highest);
}

uint64_t io_sock_raise_nofile(void)
{
	struct rlimit limit;

	if (getrlimit(RLIMIT_NOFILE, &limit) < 0)
		return 0;
	rlim_t had = limit.rlim_cur;
	limit.rlim_cur = limit.rlim_max;
	if (had != limit.rlim_max && setrlimit(RLIMIT_NOFILE, &limit) < 0)
		return had;
	return limit.rlim_max;
}
