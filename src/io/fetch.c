#include "io/fetch.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/epoll.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/clock.h"
#include "io/http.h"
#include "io/http_text.h"
#include "io/loop.h"
#include "io/tls.h"

#define TIMEOUT_DEFAULT_NS     (30 * PL_NS_PER_S)
#define REPLY_BYTES_DEFAULT    ((size_t)64 << 20)
#define REQUEST_HEAD_BYTES_MAX 65536
#define READ_BYTES             65536
#define PLAIN_BYTES            (READ_BYTES + IO_TLS_PLAIN_SLACK)
/* Of a body, encrypted before some of it is sent. */
#define TLS_AHEAD_BYTES 65536
#define TLS_OUT_BYTES   (4 * TLS_AHEAD_BYTES)
/* How long a request to stop may go unseen. */
#define STOP_TICK_NS (100 * PL_NS_PER_MS)

/*
 * The fetches of a batch, and the connections that take one after the other from it:
 *
 *    fetches[next++] ──> conn_send ──> conn_work ──whole──> conn_succeed ──> conn_next
 *                            ^             |                                  |    |
 *                            |             └──failed──> conn_fail ────────────┤    none left:
 *                            └── once more, on a new connection ──┘           |    busy--
 *                                                                    the next one
 *
 * Buffers are the set's: one thread, so one read is under way at a time.
 */
struct fetch_set {
	struct io_loop *loop;
	const struct io_fetch *fetches;
	struct io_reply *replies;
	size_t count;
	size_t next;
	unsigned busy;      /* connections with an exchange under way */
	bool keep;          /* ask for connections that stay */
	struct pl_err last; /* the last failure */
	char read[READ_BYTES];
	char plain[PLAIN_BYTES]; /* what a read was before TLS */
};

/* A connection and the exchange under way on it, if any. */
struct fetch_conn {
	struct fetch_set *set;
	struct io_watch watch;
	struct io_timer timer;
	int fd;             /* -1: none */
	struct io_tls *tls; /* NULL: plain http */
	bool connected;
	bool reused; /* an exchange went well on it before */
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
	struct pl_err err;
};

/*
 * close_notify is said where the socket takes it; nobody waits for its answer (RFC 8446, 6.1 asks
 * for none).
 */
static void conn_close(struct fetch_conn *conn)
{
	if (conn->fd < 0)
		return;
	io_loop_unwatch(conn->set->loop, &conn->watch);
	if (conn->tls != NULL) {
		io_tls_close(conn->tls);
		(void)io_tls_flush(conn->tls, conn->fd, 0);
		io_tls_free(pl_take(conn->tls));
	}
	pl_fd_close(&conn->fd);
	conn->connected = false;
	conn->reused = false;
}

static int on_head(void *data, const struct io_http_head *head)
{
	struct fetch_conn *conn = data;

	conn->reply->status = head->status;
	conn->reply->server = pl_strdup(io_http_header_get(head, "server"));
	conn->reply->location = pl_strdup(io_http_header_get(head, "location"));
	conn->reply->content_type = pl_strdup(io_http_header_get(head, "content-type"));
	conn->keep_alive = head->keep_alive;
	return 0;
}

static int on_body(void *data, const char *bytes, size_t len)
{
	struct fetch_conn *conn = data;

	/* The parser hands back what a callback returns and leaves the error to it. */
	if (!pl_buf_add(&conn->body, bytes, len))
		return pl_err_set(&conn->err, PL_ERR_NETWORK, "reply is larger than %zu bytes",
				  conn->body.max);
	return 0;
}

static int on_done(void *data)
{
	struct fetch_conn *conn = data;

	conn->done = true;
	return 0;
}

static const char *method_of(const struct io_fetch *fetch)
{
	if (fetch->method != NULL)
		return fetch->method;
	return fetch->body != NULL ? "POST" : "GET";
}

/*
 * HTTP/1.1 wants a Host (RFC 9112, 3.2); a socket of a path has no name, and "localhost" is what
 * clients send there.
 */
static void add_host(struct pl_buf *head, const struct io_fetch *fetch)
{
	char text[160];

	if (fetch->host != NULL) {
		pl_buf_addf(head, "Host: %s\r\n", fetch->host);
		return;
	}
	io_addr_text(fetch->addr, text, sizeof(text));
	pl_buf_addf(head, "Host: %s\r\n",
		    fetch->addr->u.any.sa_family == AF_UNIX ? "localhost" : text);
}

/* Nothing that would end the request line early. */
static bool is_target(const char *path)
{
	for (const char *c = path; *c != '\0'; c++) {
		if (*c <= ' ' || *c > '~')
			return false;
	}
	return *path != '\0';
}

static int write_head(struct fetch_conn *conn)
{
	const struct io_fetch *fetch = conn->fetch;
	struct pl_buf *head = &conn->head;
	const char *method = method_of(fetch);
	bool sends = fetch->body != NULL || strcmp(method, "POST") == 0 ||
		     strcmp(method, "PUT") == 0;

	if (!is_target(fetch->path))
		return pl_err_set(&conn->err, PL_ERR_INVALID, "'%s' is no path of a request",
				  fetch->path);
	pl_buf_clear(head);
	pl_buf_addf(head, "%s %s HTTP/1.1\r\n", method, fetch->path);
	add_host(head, fetch);
	pl_buf_addf(head, "User-Agent: profllm/%s\r\n", PROFLLM_VERSION);
	pl_buf_add_text(head, "Accept: */*\r\nAccept-Encoding: identity\r\n");
	/*
	 * A single fetch has no use for its connection; saying so spares the server a keep-alive
	 * timeout.
	 */
	if (!conn->set->keep)
		pl_buf_add_text(head, "Connection: close\r\n");
	if (fetch->body != NULL && !io_http_lines_have(fetch->headers, "content-type"))
		pl_buf_add_text(head, "Content-Type: application/json\r\n");
	/* A POST without a body still says its length, 0: some servers answer 411 else. */
	if (sends)
		pl_buf_addf(head, "Content-Length: %zu\r\n",
			    fetch->body != NULL ? fetch->body_len : 0);
	if (fetch->headers != NULL)
		pl_buf_add_text(head, fetch->headers);
	pl_buf_add_text(head, "\r\n");
	if (head->full)
		return pl_err_set(&conn->err, PL_ERR_INVALID,
				  "request head is larger than %d bytes", REQUEST_HEAD_BYTES_MAX);
	return 0;
}

static void on_events(struct io_loop *loop, struct io_watch *watch, uint32_t events);

static int conn_open(struct fetch_conn *conn)
{
	conn->addr = conn->fetch->addr;
	if (io_sock_connect(conn->addr, &conn->fd, &conn->err) < 0)
		return -1;
	conn->watch = (struct io_watch){
		.fd = conn->fd, .events = EPOLLIN | EPOLLOUT, .fn = on_events, .data = conn
	};
	if (io_loop_watch(conn->set->loop, &conn->watch, &conn->err) == 0) {
		if (conn->addr->tls != NULL)
			conn->tls = io_tls_new_client(conn->addr->tls, TLS_OUT_BYTES);
		return 0;
	}
	pl_fd_close(&conn->fd);
	return -1;
}

/*
 * By bytes and by whose certificates are trusted: a connection is not used again for a peer that
 * would have to be checked another way.
 */
static bool same_addr(const struct io_addr *a, const struct io_addr *b)
{
	return a == b ||
	       (a->tls == b->tls && a->len == b->len && memcmp(&a->u, &b->u, a->len) == 0);
}

static void forget_reply(struct io_reply *reply)
{
	io_reply_done(reply);
	*reply = (struct io_reply){ 0 };
}

/* Begins (or begins again) to send conn->fetch. */
static int conn_send(struct fetch_conn *conn)
{
	size_t max = conn->fetch->reply_bytes_max;

	forget_reply(conn->reply);
	conn->err = (struct pl_err)PL_ERR_INIT;
	conn->heard = false;
	conn->done = false;
	conn->sent = 0;
	pl_buf_clear(&conn->body);
	conn->body.max = max > 0 ? max : REPLY_BYTES_DEFAULT;
	io_http_reset(conn->http);
	/*
	 * A HEAD is answered with the length of a body that does not follow; only who asked can
	 * know.
	 */
	io_http_set_no_body(conn->http, strcmp(method_of(conn->fetch), "HEAD") == 0);
	if (write_head(conn) < 0)
		return -1;
	if (conn->fd >= 0 && !same_addr(conn->addr, conn->fetch->addr))
		conn_close(conn);
	if (conn->fd < 0)
		return conn_open(conn);
	io_loop_rewatch(conn->set->loop, &conn->watch, EPOLLIN | EPOLLOUT);
	return 0;
}

static void note_failure(struct fetch_conn *conn)
{
	forget_reply(conn->reply);
	conn->reply->error = pl_strdup(conn->err.text);
	conn->set->last = conn->err;
}

/* Takes fetches until one is under way; none left: the connection's work is over. */
static void conn_next(struct fetch_conn *conn)
{
	struct fetch_set *set = conn->set;

	/*
	 * One that cannot even begin takes its error and makes room for the next: a loop, so that a
	 * thousand refused ones need no stack.
	 */
	while (set->next < set->count) {
		conn->fetch = &set->fetches[set->next];
		conn->reply = &set->replies[set->next];
		set->next++;
		int64_t timeout_ns = conn->fetch->timeout_ns;
		if (timeout_ns <= 0)
			timeout_ns = TIMEOUT_DEFAULT_NS;
		if (conn_send(conn) == 0) {
			io_timer_start(set->loop, &conn->timer, pl_clock_now_ns() + timeout_ns);
			return;
		}
		note_failure(conn);
		conn_close(conn);
	}
	conn_close(conn);
	set->busy--;
}

/* A kept connection may be closed at any time: what was not begun to be answered is sent again. */
static void conn_fail(struct fetch_conn *conn)
{
	bool again = conn->reused && !conn->heard && conn->err.code != PL_ERR_TIMEOUT;

	conn_close(conn);
	if (again && conn_send(conn) == 0)
		return;
	io_timer_stop(conn->set->loop, &conn->timer);
	note_failure(conn);
	conn_next(conn);
}

static size_t request_len(const struct fetch_conn *conn)
{
	return conn->head.len + (conn->fetch->body != NULL ? conn->fetch->body_len : 0);
}

static bool wants_to_write(const struct fetch_conn *conn)
{
	bool unsent = conn->sent < request_len(conn);
	size_t waiting = 0;

	if (conn->tls == NULL)
		return unsent;
	io_tls_out(conn->tls, &waiting);
	return waiting > 0 || (unsent && io_tls_is_established(conn->tls));
}

static void conn_succeed(struct fetch_conn *conn)
{
	io_timer_stop(conn->set->loop, &conn->timer);
	conn->reply->body_len = conn->body.len;
	conn->reply->body = pl_buf_take(&conn->body);
	conn->reused = true;
	if (!conn->set->keep || !conn->keep_alive || wants_to_write(conn))
		conn_close(conn);
	conn_next(conn);
}

/* 0 also where the socket is full. */
static int conn_write_tls(struct fetch_conn *conn)
{
	size_t all = request_len(conn);

	for (;;) {
		int flushed = io_tls_flush(conn->tls, conn->fd, 0);
		if (flushed <= 0)
			return flushed;
		if (!io_tls_is_established(conn->tls) || conn->sent == all)
			return 0;
		bool in_head = conn->sent < conn->head.len;
		const char *from = in_head ? conn->head.data + conn->sent
					   : conn->fetch->body + conn->sent - conn->head.len;
		size_t len = in_head ? conn->head.len - conn->sent : all - conn->sent;
		if (len > TLS_AHEAD_BYTES)
			len = TLS_AHEAD_BYTES;
		struct pl_err ignored = PL_ERR_INIT; /* reading will say it */
		if (io_tls_write(conn->tls, from, len, &ignored) < 0)
			return -1;
		conn->sent += len;
	}
}

static int conn_write(struct fetch_conn *conn)
{
	if (conn->tls != NULL)
		return conn_write_tls(conn);
	size_t all = request_len(conn);

	while (conn->sent < all) {
		struct iovec parts[2];
		struct msghdr msg = { .msg_iov = parts };
		size_t in_body = conn->sent > conn->head.len ? conn->sent - conn->head.len : 0;
		/*
		 * Head and body in one call: with TCP_NODELAY two would be two segments, and some
		 * servers look at each.
		 */
		if (conn->sent < conn->head.len)
			parts[msg.msg_iovlen++] =
				(struct iovec){ .iov_base = conn->head.data + conn->sent,
						.iov_len = conn->head.len - conn->sent };
		if (all > conn->head.len)
			parts[msg.msg_iovlen++] =
				(struct iovec){ .iov_base = (char *)conn->fetch->body + in_body,
						.iov_len = conn->fetch->body_len - in_body };
		ssize_t len = sendmsg(conn->fd, &msg, MSG_NOSIGNAL);
		if (len < 0 && errno == EINTR)
			continue;
		if (len < 0 && errno == EAGAIN)
			return 0;
		if (len < 0)
			return -1;
		conn->sent += (size_t)len;
	}
	return 0;
}

static int conn_end(struct fetch_conn *conn)
{
	conn->keep_alive = false;
	if (!conn->heard)
		return pl_err_set(&conn->err, PL_ERR_NETWORK,
				  "the peer closed the connection without a reply%s",
				  conn->tls != NULL && !io_tls_is_established(conn->tls)
					  ? ", within the handshake of TLS"
					  : "");
	/* A body without a length ends with the connection; of any other the end is a cut. */
	return io_http_end(conn->http, &conn->err);
}

static int conn_take(struct fetch_conn *conn, const char *bytes, size_t len)
{
	size_t used;

	conn->heard = true;
	if (io_http_feed(conn->http, bytes, len, true, &used, &conn->err) != 0)
		return -1;
	if (conn->done && used < len)
		conn->keep_alive = false; /* more than was asked for: not to be trusted further */
	return 0;
}

static int conn_take_tls(struct fetch_conn *conn, size_t len)
{
	char *plain = conn->set->plain;
	struct pl_err err = PL_ERR_INIT;
	size_t plain_len;
	enum io_tls_result result = io_tls_receive(conn->tls, conn->set->read, len, plain,
						   PLAIN_BYTES, &plain_len, &err);

	if (plain_len > 0 && conn_take(conn, plain, plain_len) < 0)
		return -1;
	if (result != IO_TLS_OPEN)
		conn->keep_alive = false;
	if (conn->done || result == IO_TLS_OPEN)
		return 0;
	if (result == IO_TLS_CLOSED)
		return conn_end(conn);
	conn->err = err;
	return -1;
}

static int conn_read(struct fetch_conn *conn)
{
	/* The receive stamp is of no use here: these exchanges are not measured. */
	int64_t stamp_ns;
	ssize_t len = io_sock_recv(conn->fd, conn->set->read, READ_BYTES, &stamp_ns);

	if (len < 0 && errno == EAGAIN)
		return 0;
	if (len < 0)
		return pl_err_set(&conn->err, PL_ERR_NETWORK, "cannot read the reply: %s",
				  strerror(errno));
	if (len > 0)
		return conn->tls != NULL ? conn_take_tls(conn, (size_t)len)
					 : conn_take(conn, conn->set->read, (size_t)len);
	/* only close_notify says that a reply without a length is whole */
	if (conn->tls != NULL && conn->heard)
		return pl_err_set(&conn->err, PL_ERR_NETWORK,
				  "the connection was cut within the reply");
	return conn_end(conn);
}

static int conn_connected(struct fetch_conn *conn)
{
	/*
	 * connect() was begun without waiting: how it went is asked once the socket has any event.
	 */
	int failure = io_sock_connect_result(conn->fd);
	char text[160];

	if (failure == 0) {
		conn->connected = true;
		return 0;
	}
	io_addr_text(conn->addr, text, sizeof(text));
	return pl_err_set(&conn->err, PL_ERR_NETWORK, "cannot connect to '%s': %s", text,
			  strerror(failure));
}

static int conn_work(struct fetch_conn *conn, uint32_t events)
{
	if (!conn->connected && conn_connected(conn) < 0)
		return -1;
	bool cut = false;
	if ((events & EPOLLOUT) && wants_to_write(conn))
		cut = conn_write(conn) < 0;
	if (events & (EPOLLIN | EPOLLERR | EPOLLHUP)) {
		if (conn_read(conn) < 0)
			return -1;
		/* what was read of a handshake may be answered, or have been its end */
		if (conn->tls != NULL && !cut && wants_to_write(conn))
			cut = conn_write(conn) < 0;
	}
	/* a server that closed early may have said why: its reply is read all the same */
	io_loop_rewatch(conn->set->loop, &conn->watch,
			EPOLLIN | (!cut && wants_to_write(conn) ? EPOLLOUT : 0));
	return 0;
}

static void on_events(struct io_loop *loop, struct io_watch *watch, uint32_t events)
{
	struct fetch_conn *conn = watch->data;

	(void)loop;
	if (conn_work(conn, events) < 0)
		conn_fail(conn);
	else if (conn->done)
		conn_succeed(conn);
}

static void on_deadline(struct io_loop *loop, struct io_timer *timer)
{
	struct fetch_conn *conn = timer->data;

	(void)loop;
	pl_err_set(&conn->err, PL_ERR_TIMEOUT, "no whole reply to '%s %s' in time",
		   method_of(conn->fetch), conn->fetch->path);
	conn_fail(conn);
}

static void conn_init(struct fetch_conn *conn, struct fetch_set *set)
{
	static const struct io_http_calls calls = { on_head, on_body, on_done };

	conn->set = set;
	conn->fd = -1;
	conn->timer.fn = on_deadline;
	conn->timer.data = conn;
	conn->http = io_http_new(IO_HTTP_RESPONSE, &calls, conn);
	pl_buf_init(&conn->head, REQUEST_HEAD_BYTES_MAX);
	pl_buf_init(&conn->body, REPLY_BYTES_DEFAULT);
}

static void conn_done(struct fetch_conn *conn)
{
	io_timer_stop(conn->set->loop, &conn->timer);
	conn_close(conn);
	io_http_free(conn->http);
	pl_buf_done(&conn->head);
	pl_buf_done(&conn->body);
}

static int run_set(struct fetch_set *set, unsigned parallel, struct pl_err *err)
{
	auto_loop struct io_loop *loop = NULL;
	int rc = 0;

	if (io_loop_new(&loop, err) < 0)
		return -1;
	set->loop = loop;
	if (parallel == 0)
		parallel = 1;
	if (parallel > set->count)
		parallel = (unsigned)set->count;
	set->busy = parallel;
	struct fetch_conn *conns = pl_alloc_array(parallel, sizeof(*conns));
	for (unsigned i = 0; i < parallel; i++) {
		conn_init(&conns[i], set);
		conn_next(&conns[i]);
	}
	const atomic_int *stop = set->fetches[0].stop_signal;
	while (rc == 0 && set->busy > 0) {
		if (stop != NULL && atomic_load(stop) != 0)
			rc = pl_err_set(err, PL_ERR_INTERRUPTED, "interrupted");
		else
			rc = io_loop_step(
				loop, stop == NULL ? INT64_MAX : pl_clock_now_ns() + STOP_TICK_NS,
				err);
	}
	for (unsigned i = 0; i < parallel; i++)
		conn_done(&conns[i]);
	free(conns);
	return rc;
}

int io_fetch_batch(const struct io_fetch *fetches, size_t count, unsigned parallel,
		   struct io_reply *replies, struct pl_err *err)
{
	for (size_t i = 0; i < count; i++)
		replies[i] = (struct io_reply){ 0 };
	if (count == 0)
		return 0;
	auto_free struct fetch_set *set = pl_alloc(sizeof(*set));
	set->fetches = fetches;
	set->replies = replies;
	set->count = count;
	set->keep = true;
	return run_set(set, parallel, err);
}

int io_fetch(const struct io_fetch *fetch, struct io_reply *ret, struct pl_err *err)
{
	auto_free struct fetch_set *set = pl_alloc(sizeof(*set));
	/* Moved to the caller only when it is whole: *ret stays untouched on failure. */
	auto_reply reply = { 0 };

	set->fetches = fetch;
	set->replies = &reply;
	set->count = 1;
	if (run_set(set, 1, err) < 0)
		return -1;
	if (reply.status == 0) {
		*err = set->last;
		return -1;
	}
	*ret = reply;
	reply = (struct io_reply){ 0 };
	return 0;
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
