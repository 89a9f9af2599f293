#include "io/acks.h"

#include <errno.h>
#include <poll.h>
#include <sys/socket.h>

#include "base/clock.h"
#include "io/fetch_head.h"
#include "io/http.h"
#include "io/tls.h"

/*
 * Two responses would suffice if nothing were acknowledged in the meantime. But Linux acknowledges
 * at least every second segment, and responses that arrive before counting begins count for less.
 */
#define REQUESTS       3
#define READ_BYTES     16384
#define PLAIN_BYTES    (READ_BYTES + IO_TLS_PLAIN_SLACK)
#define REQUESTS_BYTES ((size_t)REQUESTS * IO_FETCH_HEAD_BYTES_MAX)
/*
 * The last messages of the handshake go out with the requests, and records have headers and tags.
 */
#define TLS_OUT_BYTES (REQUESTS_BYTES + 65536)
/* After the first bytes of a response. */
#define REST_NS (200 * PL_NS_PER_MS)
/* How long a stop signal may remain unnoticed. */
#define STOP_TICK_NS (100 * PL_NS_PER_MS)

struct probe {
	const struct io_fetch *fetch;
	int64_t due_ns;
	int fd;
	struct io_tls *tls; /* NULL: plain http */
	struct io_http *http;
	bool heard;
	int answers; /* whole ones */
	struct io_segments from;
};

static int on_done(void *data)
{
	struct probe *probe = data;

	probe->answers++;
	return 0;
}

/* Returns false if the time is over or the caller cancelled. */
static bool wait_for(const struct probe *probe, short events)
{
	const atomic_int *stop = probe->fetch->stop_signal;
	struct pollfd ready = { .fd = probe->fd, .events = events };

	for (;;) {
		int64_t left_ns = probe->due_ns - pl_clock_now_ns();
		if (left_ns <= 0 || (stop != NULL && atomic_load(stop) != 0))
			return false;
		struct timespec tick = pl_clock_timespec(left_ns < STOP_TICK_NS ? left_ns
										: STOP_TICK_NS);
		int count = ppoll(&ready, 1, &tick, NULL);
		if (count > 0)
			return true;
		if (count < 0 && errno != EINTR)
			return false;
	}
}

static bool take(struct probe *probe, const char *bytes, size_t len)
{
	int64_t rest_ns = pl_clock_now_ns() + REST_NS;
	size_t used;

	if (!probe->heard && rest_ns < probe->due_ns)
		probe->due_ns = rest_ns;
	probe->heard = true;
	return io_http_feed(probe->http, bytes, len, false, &used, PL_ERR_IGNORED) == 0;
}

/* False: nothing of use follows on this connection. */
static bool read_some(struct probe *probe)
{
	char bytes[READ_BYTES], plain[PLAIN_BYTES];
	size_t plain_len;
	int64_t stamp_ns;
	ssize_t len = io_sock_recv(probe->fd, bytes, sizeof(bytes), &stamp_ns);

	if (len <= 0)
		return len < 0 && errno == EAGAIN;
	/* Linux resets the setting after a pause of 40 ms */
	io_sock_delay_acks(probe->fd);
	if (probe->tls == NULL)
		return take(probe, bytes, (size_t)len);
	enum io_tls_result result = io_tls_receive(probe->tls, bytes, (size_t)len, plain,
						   sizeof(plain), &plain_len, PL_ERR_IGNORED);
	return (plain_len == 0 || take(probe, plain, plain_len)) && result == IO_TLS_OPEN;
}

static bool open_connection(struct probe *probe)
{
	const struct io_addr *addr = probe->fetch->addr;

	if (io_sock_connect(addr, &probe->fd, PL_ERR_IGNORED) < 0 || !wait_for(probe, POLLOUT) ||
	    io_sock_connect_result(probe->fd) != 0)
		return false;
	/* establishing a connection resets this setting */
	io_sock_delay_acks(probe->fd);
	if (addr->tls == NULL)
		return true;
	probe->tls = io_tls_new_client(addr->tls, TLS_OUT_BYTES);
	while (!io_tls_is_established(probe->tls)) {
		if (io_tls_flush(probe->tls, probe->fd, 0) != 1 || !wait_for(probe, POLLIN) ||
		    !read_some(probe))
			return false;
	}
	return true;
}

static bool send_all(struct probe *probe, const struct pl_buf *requests)
{
	if (probe->tls != NULL)
		return io_tls_write(probe->tls, requests->data, requests->len, PL_ERR_IGNORED) ==
			       0 &&
		       io_tls_flush(probe->tls, probe->fd, 0) == 1;
	return send(probe->fd, requests->data, requests->len, MSG_NOSIGNAL | MSG_DONTWAIT) ==
	       (ssize_t)requests->len;
}

/*
 * Sends all requests in one segment, so that the server has everything it needs for all responses.
 */
static bool ask(struct probe *probe)
{
	auto_buf request = PL_BUF(IO_FETCH_HEAD_BYTES_MAX);
	auto_buf requests = PL_BUF(REQUESTS_BYTES);
	struct io_segments before;

	if (io_fetch_head_add(probe->fetch, true, &request, PL_ERR_IGNORED) < 0)
		return false;
	for (int i = 0; i < REQUESTS; i++)
		pl_buf_add(&requests, request.data, request.len);
	if (!io_sock_segments(probe->fd, &before) || !send_all(probe, &requests) ||
	    !io_sock_segments(probe->fd, &probe->from))
		return false;
	/*
	 * segments received since may have been released by the requests: count the requests as
	 * acknowledgements
	 */
	if (probe->from.data_received != before.data_received)
		probe->from = before;
	return true;
}

static bool came_unacked(const struct probe *probe)
{
	struct io_segments now;

	return io_sock_segments(probe->fd, &now) && io_segments_came_unacked(&probe->from, &now);
}

/* Reads to the last response, so that the server is not interrupted. */
static bool listen_to(struct probe *probe)
{
	bool unacked = false;

	while (probe->answers < REQUESTS && wait_for(probe, POLLIN)) {
		/* first, for reading may acknowledge */
		unacked = unacked || came_unacked(probe);
		if (!read_some(probe))
			break;
	}
	return unacked || came_unacked(probe);
}

bool io_acks_may_wait(const struct io_fetch *fetch)
{
	static const struct io_http_calls calls = { .on_done = on_done };
	struct probe probe = {
		.fetch = fetch,
		.due_ns = pl_clock_now_ns() + fetch->timeout_ns,
		.fd = -1,
	};

	if (fetch->addr->u.any.sa_family == AF_UNIX)
		return false;
	probe.http = io_http_new(IO_HTTP_RESPONSE, &calls, &probe);
	bool may_wait = open_connection(&probe) && ask(&probe) && listen_to(&probe);
	if (probe.tls != NULL) {
		io_tls_close(probe.tls);
		(void)io_tls_flush(probe.tls, probe.fd, 0);
	}
	io_tls_free(probe.tls);
	io_http_free(probe.http);
	pl_fd_close(&probe.fd);
	return may_wait;
}
