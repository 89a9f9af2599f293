#include "io/exchange.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/clock.h"
#include "io/fetch_head.h"
#include "io/http.h"
#include "io/tls.h"

#define TIMEOUT_DEFAULT_NS  (30 * PL_NS_PER_S)
#define REPLY_BYTES_DEFAULT ((size_t)64 << 20)
#define READ_BYTES          65536
#define PLAIN_BYTES         (READ_BYTES + IO_TLS_PLAIN_SLACK)
/* Bytes of a body that are encrypted ahead of sending. */
#define TLS_AHEAD_BYTES 65536
#define TLS_OUT_BYTES   (4 * TLS_AHEAD_BYTES)

/*
 *
 *     begin ──> send_request ──> work ──whole──> succeed ──> fn
 *                    ^             |                         ^
 *                    |             └──failed──> fail ────────┘
 *                    └── once more, on a new connection ──┘
 *
 * Between two exchanges the connection stays open if both sides allow it, and is watched:
 * unexpected bytes or an end of stream close it.
 */
struct io_exchange {
	struct io_loop *loop;
	io_exchange_fn *fn;
	void *data;
	bool keep; /* ask for a persistent connection */
	struct io_watch watch;
	struct io_timer timer;
	int fd;             /* -1: none */
	struct io_tls *tls; /* NULL: plain http */
	bool connected;
	bool reused; /* an exchange went well on it before */
	bool busy;   /* one is under way */
	bool heard;  /* bytes of this exchange's reply have come */
	bool done;   /* the reply is whole */
	bool keep_alive;
	const struct io_addr *addr;
	const struct io_fetch *fetch;
	struct io_reply *reply;
	struct io_http *http;
	struct pl_buf head;
	size_t sent; /* of head and body together; with TLS: encrypted */
	struct pl_buf body;
	char *piece; /* of a body that is a file, from piece_at on; NULL: none was read yet */
	size_t piece_at;
	size_t piece_len;
	struct pl_err err;
	char *plain; /* buffer for encrypted bytes; NULL: not allocated yet */
	char read[READ_BYTES];
};

/*
 * Sends close_notify if the socket accepts it, and does not wait for the peer's (RFC 8446, 6.1 does
 * not require it).
 */
static void disconnect(struct io_exchange *exchange)
{
	if (exchange->fd < 0)
		return;
	io_loop_unwatch(exchange->loop, &exchange->watch);
	if (exchange->tls != NULL) {
		io_tls_close(exchange->tls);
		(void)io_tls_flush(exchange->tls, exchange->fd, 0);
		io_tls_free(pl_take(exchange->tls));
	}
	pl_fd_close(&exchange->fd);
	exchange->connected = false;
	exchange->reused = false;
}

static int on_head(void *data, const struct io_http_head *head)
{
	struct io_exchange *exchange = data;

	exchange->reply->status = head->status;
	exchange->reply->server = pl_strdup(io_http_header_get(head, "server"));
	exchange->reply->location = pl_strdup(io_http_header_get(head, "location"));
	exchange->reply->content_type = pl_strdup(io_http_header_get(head, "content-type"));
	exchange->keep_alive = head->keep_alive;
	return 0;
}

static int on_body(void *data, const char *bytes, size_t len)
{
	struct io_exchange *exchange = data;

	/* The parser returns the callback's value unchanged and leaves the error to it. */
	if (!pl_buf_add(&exchange->body, bytes, len))
		return pl_err_set(&exchange->err, PL_ERR_NETWORK,
				  "the response is larger than %zu bytes", exchange->body.max);
	return 0;
}

static int on_done(void *data)
{
	struct io_exchange *exchange = data;

	exchange->done = true;
	return 0;
}

static void on_events(struct io_loop *loop, struct io_watch *watch, uint32_t events);

static int open_connection(struct io_exchange *exchange)
{
	exchange->addr = exchange->fetch->addr;
	if (io_sock_connect(exchange->addr, &exchange->fd, &exchange->err) < 0)
		return -1;
	exchange->watch = (struct io_watch){
		.fd = exchange->fd, .events = EPOLLIN | EPOLLOUT, .fn = on_events, .data = exchange
	};
	if (io_loop_watch(exchange->loop, &exchange->watch, &exchange->err) == 0) {
		if (exchange->addr->tls != NULL)
			exchange->tls = io_tls_new_client(exchange->addr->tls, TLS_OUT_BYTES);
		if (exchange->tls != NULL && exchange->plain == NULL)
			exchange->plain = pl_alloc(PLAIN_BYTES);
		return 0;
	}
	pl_fd_close(&exchange->fd);
	return -1;
}

/*
 * Compares the addresses and the trusted certificates: a connection is not reused for a peer that
 * requires another verification.
 */
static bool same_addr(const struct io_addr *a, const struct io_addr *b)
{
	return a == b ||
	       (a->tls == b->tls && a->len == b->len && memcmp(&a->u, &b->u, a->len) == 0);
}

/* Begins (or begins again) to send exchange->fetch. */
static int send_request(struct io_exchange *exchange)
{
	size_t max = exchange->fetch->reply_bytes_max;

	io_reply_done(exchange->reply);
	exchange->err = (struct pl_err)PL_ERR_INIT;
	exchange->heard = false;
	exchange->done = false;
	exchange->sent = 0;
	exchange->piece_len = 0;
	pl_buf_clear(&exchange->body);
	exchange->body.max = max > 0 ? max : REPLY_BYTES_DEFAULT;
	io_http_reset(exchange->http);
	/* The response to HEAD has a length without a body; only the client knows that. */
	io_http_set_no_body(exchange->http, strcmp(io_fetch_method(exchange->fetch), "HEAD") == 0);
	pl_buf_clear(&exchange->head);
	if (io_fetch_head_add(exchange->fetch, exchange->keep, &exchange->head, &exchange->err) < 0)
		return -1;
	if (exchange->fd >= 0 && !same_addr(exchange->addr, exchange->fetch->addr))
		disconnect(exchange);
	if (exchange->fd < 0)
		return open_connection(exchange);
	io_loop_rewatch(exchange->loop, &exchange->watch, EPOLLIN | EPOLLOUT);
	return 0;
}

static void finish(struct io_exchange *exchange, const struct pl_err *failure)
{
	io_timer_stop(exchange->loop, &exchange->timer);
	exchange->busy = false;
	exchange->fn(exchange->data, failure);
}

/*
 * A persistent connection may be closed at any time: a request without any response is sent again.
 */
static void fail(struct io_exchange *exchange)
{
	bool retry = exchange->reused && !exchange->heard && exchange->err.code != PL_ERR_TIMEOUT;

	disconnect(exchange);
	if (retry && send_request(exchange) == 0)
		return;
	io_reply_done(exchange->reply);
	finish(exchange, &exchange->err);
}

static size_t request_len(const struct io_exchange *exchange)
{
	return exchange->head.len + (exchange->fetch->body != NULL ? exchange->fetch->body_len : 0);
}

static bool wants_to_write(const struct io_exchange *exchange)
{
	bool unsent = exchange->sent < request_len(exchange);
	size_t waiting = 0;

	if (exchange->tls == NULL)
		return unsent;
	io_tls_out(exchange->tls, &waiting);
	return waiting > 0 || (unsent && io_tls_is_established(exchange->tls));
}

static void succeed(struct io_exchange *exchange)
{
	exchange->reply->body_len = exchange->body.len;
	exchange->reply->body = pl_buf_take(&exchange->body);
	exchange->reused = true;
	if (!exchange->keep || !exchange->keep_alive || wants_to_write(exchange))
		disconnect(exchange);
	finish(exchange, NULL);
}

/* Not mapped: accessing a mapped file that was truncated would end the program. */
static int read_piece(struct io_exchange *exchange, size_t at)
{
	size_t left = exchange->fetch->body_len - at;
	ssize_t len;

	if (exchange->piece == NULL)
		exchange->piece = pl_alloc(READ_BYTES);
	do {
		len = pread(*exchange->fetch->body_fd, exchange->piece,
			    left < READ_BYTES ? left : READ_BYTES, (off_t)at);
	} while (len < 0 && errno == EINTR);
	if (len < 0)
		return pl_err_errno(&exchange->err, "could not read the request body");
	if (len == 0)
		return pl_err_set(
			&exchange->err, PL_ERR_IO,
			"the request body shrank while it was sent: found %zu bytes, expected %zu",
			at, exchange->fetch->body_len);
	exchange->piece_at = at;
	exchange->piece_len = (size_t)len;
	return 0;
}

/* The body from `at` on, as much as has arrived. NULL: it can no longer be read. */
static const char *body_from(struct io_exchange *exchange, size_t at, size_t *ret_len)
{
	const struct io_fetch *fetch = exchange->fetch;

	if (fetch->body_fd == NULL) {
		*ret_len = fetch->body_len - at;
		return fetch->body + at;
	}
	if ((at < exchange->piece_at || at - exchange->piece_at >= exchange->piece_len) &&
	    read_piece(exchange, at) < 0)
		return NULL;
	*ret_len = exchange->piece_len - (at - exchange->piece_at);
	return exchange->piece + (at - exchange->piece_at);
}

/* 0 also where the socket is full. */
static int write_tls(struct io_exchange *exchange)
{
	size_t all = request_len(exchange);

	for (;;) {
		int flushed = io_tls_flush(exchange->tls, exchange->fd, 0);
		if (flushed <= 0)
			return flushed;
		if (!io_tls_is_established(exchange->tls) || exchange->sent == all)
			return 0;
		bool in_head = exchange->sent < exchange->head.len;
		size_t len = exchange->head.len - exchange->sent;
		const char *from = in_head ? exchange->head.data + exchange->sent
					   : body_from(exchange,
						       exchange->sent - exchange->head.len, &len);
		if (from == NULL)
			return -1;
		if (len > TLS_AHEAD_BYTES)
			len = TLS_AHEAD_BYTES; /* reading will report it */
		if (io_tls_write(exchange->tls, from, len, PL_ERR_IGNORED) < 0)
			return -1;
		exchange->sent += len;
	}
}

static int write_some(struct io_exchange *exchange)
{
	if (exchange->tls != NULL)
		return write_tls(exchange);
	size_t all = request_len(exchange);

	while (exchange->sent < all) {
		struct iovec parts[2];
		struct msghdr msg = { .msg_iov = parts };
		size_t in_body = exchange->sent > exchange->head.len
					 ? exchange->sent - exchange->head.len
					 : 0;
		/*
		 * Sends head and body in one call: with TCP_NODELAY two calls would send two
		 * segments, and some servers handle each separately.
		 */
		if (exchange->sent < exchange->head.len)
			parts[msg.msg_iovlen++] =
				(struct iovec){ .iov_base = exchange->head.data + exchange->sent,
						.iov_len = exchange->head.len - exchange->sent };
		if (all > exchange->head.len) {
			size_t body_len;
			const char *from = body_from(exchange, in_body, &body_len);
			if (from == NULL)
				return -1;
			parts[msg.msg_iovlen++] = (struct iovec){ .iov_base = (char *)from,
								  .iov_len = body_len };
		}
		ssize_t len = sendmsg(exchange->fd, &msg, MSG_NOSIGNAL);
		if (len < 0 && errno == EINTR)
			continue;
		if (len < 0 && errno == EAGAIN)
			return 0;
		if (len < 0)
			return -1;
		exchange->sent += (size_t)len;
	}
	return 0;
}

static int take_end(struct io_exchange *exchange)
{
	exchange->keep_alive = false;
	if (!exchange->heard)
		return pl_err_set(&exchange->err, PL_ERR_NETWORK,
				  "the server closed the connection without a response%s",
				  exchange->tls != NULL && !io_tls_is_established(exchange->tls)
					  ? ", during the TLS handshake"
					  : "");
	/* A body without a length ends with the connection; of any other the end is a cut. */
	return io_http_end(exchange->http, &exchange->err);
}

static int take(struct io_exchange *exchange, const char *bytes, size_t len)
{
	size_t used;

	exchange->heard = true;
	if (io_http_feed(exchange->http, bytes, len, true, &used, &exchange->err) != 0)
		return -1;
	if (exchange->done && used < len)
		exchange->keep_alive = false; /* unexpected data: close the connection */
	return 0;
}

static int take_tls(struct io_exchange *exchange, size_t len)
{
	struct pl_err err = PL_ERR_INIT;
	size_t plain_len;
	enum io_tls_result result = io_tls_receive(exchange->tls, exchange->read, len,
						   exchange->plain, PLAIN_BYTES, &plain_len, &err);

	if (plain_len > 0 && take(exchange, exchange->plain, plain_len) < 0)
		return -1;
	if (result != IO_TLS_OPEN)
		exchange->keep_alive = false;
	if (exchange->done || result == IO_TLS_OPEN)
		return 0;
	if (result == IO_TLS_CLOSED)
		return take_end(exchange);
	exchange->err = err;
	return -1;
}

static int read_some(struct io_exchange *exchange)
{
	/* The receive stamp is of no use here: these exchanges are not measured. */
	int64_t stamp_ns;
	ssize_t len = io_sock_recv(exchange->fd, exchange->read, READ_BYTES, &stamp_ns);

	if (len < 0 && errno == EAGAIN)
		return 0;
	if (len < 0)
		return pl_err_set(&exchange->err, PL_ERR_NETWORK, "could not read the response: %s",
				  strerror(errno));
	if (len > 0)
		return exchange->tls != NULL ? take_tls(exchange, (size_t)len)
					     : take(exchange, exchange->read, (size_t)len);
	/* only close_notify shows that a reply without a length is complete */
	if (exchange->tls != NULL && exchange->heard)
		return pl_err_set(&exchange->err, PL_ERR_NETWORK,
				  "the connection ended during the response");
	return take_end(exchange);
}

static int check_connected(struct io_exchange *exchange)
{
	/*
	 * connect() was started without waiting: any event of the socket means that its result is
	 * available.
	 */
	int failure = io_sock_connect_result(exchange->fd);
	char text[160];

	if (failure == 0) {
		exchange->connected = true;
		return 0;
	}
	io_addr_text(exchange->addr, text, sizeof(text));
	return pl_err_set(&exchange->err, PL_ERR_NETWORK, "could not connect to '%s': %s", text,
			  strerror(failure));
}

static int work(struct io_exchange *exchange, uint32_t events)
{
	if (!exchange->connected && check_connected(exchange) < 0)
		return -1;
	bool cut = false;
	if ((events & EPOLLOUT) && wants_to_write(exchange))
		cut = write_some(exchange) < 0;
	if (events & (EPOLLIN | EPOLLERR | EPOLLHUP)) {
		if (read_some(exchange) < 0)
			return -1;
		/* handshake data may require a response, or have completed the handshake */
		if (exchange->tls != NULL && !cut && wants_to_write(exchange))
			cut = write_some(exchange) < 0;
	}
	/* the file of the body cannot be read: the exchange has failed */
	if (cut && exchange->err.code != PL_ERR_NONE)
		return -1;
	/* a server that closed early may have sent the reason: read its reply anyway */
	io_loop_rewatch(exchange->loop, &exchange->watch,
			EPOLLIN | (!cut && wants_to_write(exchange) ? EPOLLOUT : 0));
	return 0;
}

/* Nothing was requested: only TLS may send data on its own, such as a session ticket. */
static bool rests(struct io_exchange *exchange)
{
	int64_t stamp_ns;
	size_t plain_len;
	ssize_t len = io_sock_recv(exchange->fd, exchange->read, READ_BYTES, &stamp_ns);

	if (len < 0)
		return errno == EAGAIN;
	return len > 0 && exchange->tls != NULL &&
	       io_tls_receive(exchange->tls, exchange->read, (size_t)len, exchange->plain,
			      PLAIN_BYTES, &plain_len, PL_ERR_IGNORED) == IO_TLS_OPEN &&
	       plain_len == 0;
}

static void on_events(struct io_loop *loop, struct io_watch *watch, uint32_t events)
{
	struct io_exchange *exchange = watch->data;

	(void)loop;
	if (!exchange->busy) {
		if (!rests(exchange))
			disconnect(exchange);
	} else if (work(exchange, events) < 0) {
		fail(exchange);
	} else if (exchange->done) {
		succeed(exchange);
	}
}

static void on_deadline(struct io_loop *loop, struct io_timer *timer)
{
	struct io_exchange *exchange = timer->data;

	(void)loop;
	pl_err_set(&exchange->err, PL_ERR_TIMEOUT,
		   "timed out before the response to '%s %s' was complete",
		   io_fetch_method(exchange->fetch), exchange->fetch->path);
	fail(exchange);
}

int io_exchange_begin(struct io_exchange *exchange, const struct io_fetch *fetch,
		      struct io_reply *reply, struct pl_err *err)
{
	int64_t timeout_ns = fetch->timeout_ns > 0 ? fetch->timeout_ns : TIMEOUT_DEFAULT_NS;

	assert(!exchange->busy);
	exchange->fetch = fetch;
	exchange->reply = reply;
	if (send_request(exchange) < 0) {
		disconnect(exchange);
		*err = exchange->err;
		return -1;
	}
	exchange->busy = true;
	io_timer_start(exchange->loop, &exchange->timer, pl_clock_now_ns() + timeout_ns);
	return 0;
}

struct io_exchange *io_exchange_new(struct io_loop *loop, bool keep, io_exchange_fn *fn, void *data)
{
	static const struct io_http_calls calls = { on_head, on_body, on_done };
	struct io_exchange *exchange = pl_alloc(sizeof(*exchange));

	exchange->loop = loop;
	exchange->fn = fn;
	exchange->data = data;
	exchange->keep = keep;
	exchange->fd = -1;
	exchange->timer = (struct io_timer){ .fn = on_deadline, .data = exchange };
	exchange->http = io_http_new(IO_HTTP_RESPONSE, &calls, exchange);
	pl_buf_init(&exchange->head, IO_FETCH_HEAD_BYTES_MAX);
	pl_buf_init(&exchange->body, REPLY_BYTES_DEFAULT);
	return exchange;
}

void io_exchange_free(struct io_exchange *exchange)
{
	if (exchange == NULL)
		return;
	io_timer_stop(exchange->loop, &exchange->timer);
	disconnect(exchange);
	io_http_free(exchange->http);
	pl_buf_done(&exchange->head);
	pl_buf_done(&exchange->body);
	free(exchange->piece);
	free(exchange->plain);
	free(exchange);
}

void io_reply_done(struct io_reply *reply)
{
	free(reply->body);
	free(reply->server);
	free(reply->location);
	free(reply->content_type);
	free(reply->error);
	*reply = (struct io_reply){ 0 };
}
