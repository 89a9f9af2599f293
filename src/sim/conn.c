#include "sim/conn.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/text.h"
#include "io/http_text.h"
#include "io/sock.h"
#include "sim/serve_log.h"
#include "sim/server_priv.h"

/* The maximum of unsent bytes of a client that does not read; then it is disconnected. */
#define OUT_BYTES_MAX   (256u << 20)
#define LATER_BYTES_MAX (4u << 20)
#define OFFSET_FRESH_NS (100 * PL_NS_PER_MS) /* how long realtime - monotonic is cached */

/*
 * Only marked, because callers up the stack still hold the pointer. calls->rest() frees it at the end of the callback.
 */
static void mark_dead(struct sim_conn *conn)
{
	conn->dead = true;
	conn->server->any_dead = true;
	io_loop_unwatch(conn->server->loop, &conn->watch);
	conn->server->calls->gone(conn);
}

static void forget_request(struct sim_conn *conn)
{
	free(pl_take(conn->method));
	free(pl_take(conn->target));
	free(pl_take(conn->query));
	free(pl_take(conn->request_id));
	free(pl_take(conn->authorization));
	free(pl_take(conn->content_type));
	pl_buf_clear(&conn->body);
	conn->too_large = false;
	conn->whole = false;
}

void sim_conn_free(struct sim_conn *conn)
{
	struct sim_server *server = conn->server;

	io_loop_unwatch(server->loop, &conn->watch);
	LIST_REMOVE(conn, link);
	forget_request(conn);
	close(conn->watch.fd);
	/* A descriptor is free again: see sim_conn_on_listener(). */
	if (server->listener.active && server->listener.events == 0)
		io_loop_rewatch(server->loop, &server->listener, EPOLLIN);
	io_http_free(conn->http);
	io_tls_free(conn->tls);
	pl_buf_done(&conn->body);
	pl_buf_done(&conn->out);
	pl_buf_done(&conn->later);
	pl_buf_done(&conn->raw);
	free(conn);
}

static int on_head(void *data, const struct io_http_head *head)
{
	struct sim_conn *conn = data;
	const char *expect = io_http_header_get(head, "expect");

	forget_request(conn);
	conn->method = pl_strdup(head->method);
	conn->target = pl_strdup(head->target);
	conn->request_id = pl_strdup(io_http_header_get(head, "x-request-id"));
	conn->authorization = pl_strdup(io_http_header_get(head, "authorization"));
	conn->content_type = pl_strdup(io_http_header_get(head, "content-type"));
	conn->keep_alive = head->keep_alive;
	if (strchr(conn->target, '?') != NULL)
		conn->query = pl_strdup(strchr(conn->target, '?') + 1);
	conn->target[strcspn(conn->target, "?#")] = '\0';
	/* Clients hold the body back until they have this, or a second has passed. */
	if (expect != NULL && strcasecmp(expect, "100-continue") == 0)
		sim_conn_send(conn, "HTTP/1.1 100 Continue\r\n\r\n", 25);
	return 0;
}

static int on_body(void *data, const char *bytes, size_t len)
{
	struct sim_conn *conn = data;

	if (!pl_buf_add(&conn->body, bytes, len))
		conn->too_large = true;
	return 0;
}

static int on_done(void *data)
{
	struct sim_conn *conn = data;

	conn->whole = true;
	return 0;
}

static void capture(struct sim_conn *conn)
{
	FILE *file = conn->server->capture;

	if (file == NULL)
		return;
	fwrite(pl_buf_text(&conn->raw), 1, conn->raw.len, file);
	fflush(file);
	pl_buf_clear(&conn->raw);
}

/* Parses bytes until a request is complete; bytes after it wait in `later`. */
static void feed(struct sim_conn *conn, const char *bytes, size_t len)
{
	size_t used = 0;
	/*
	 * One request at a time: a pipelined one waits in `later` until the previous response is sent, because HTTP/1.1
	 * requires responses in order (RFC 9112, 9.3.2).
	 */
	int result = io_http_feed(conn->http, bytes, len, true, &used, PL_ERR_IGNORED);

	if (conn->server->capture != NULL)
		pl_buf_add(&conn->raw, bytes, used);
	if (result < 0) {
		/* uvicorn's response to invalid HTTP. There is no request, but its counters and its log need one. */
		static const char text[] = "Invalid HTTP request received.";
		conn->keep_alive = false;
		conn->route = SIM_ROUTE_NONE;
		if (conn->method == NULL)
			conn->method = pl_strdup("GET");
		if (conn->target == NULL)
			conn->target = pl_strdup("/");
		sim_conn_answer(conn, 400, "text/plain; charset=utf-8", text, sizeof(text) - 1);
		return;
	}
	if (!conn->whole)
		return;
	if (used < len && !pl_buf_add(&conn->later, bytes + used, len - used)) {
		mark_dead(conn);
		return;
	}
	capture(conn);
	conn->server->calls->request(conn);
}

/* A loop and no recursion: a client may have pipelined thousands of requests. */
void sim_conn_resume(struct sim_conn *conn)
{
	while (!conn->dead && !conn->closing && !conn->whole && conn->later.len > 0) {
		/* Removed before parsing: the remainder goes back into `later`. */
		struct pl_buf bytes = conn->later;
		pl_buf_init(&conn->later, LATER_BYTES_MAX);
		if (bytes.len > 0)
			feed(conn, bytes.data, bytes.len);
		pl_buf_done(&bytes);
	}
}

/* --sim-cut: maximum bytes per send; 0: no limit. */
static size_t cut_bytes(const struct sim_conn *conn)
{
	return (size_t)conn->server->options->faults.cut_bytes;
}

static bool is_unsent(const struct sim_conn *conn)
{
	size_t len = conn->out.len;

	if (conn->tls != NULL)
		io_tls_out(conn->tls, &len);
	return len > 0;
}

/* EPOLLOUT only while data is waiting, because a socket with room would wake the loop in every pass. */
static void watch_output(struct sim_conn *conn)
{
	uint32_t events = EPOLLIN | (is_unsent(conn) ? EPOLLOUT : 0);

	if (!conn->dead && conn->watch.events != events)
		io_loop_rewatch(conn->server->loop, &conn->watch, events);
}

/*
 * The kernel's timestamps are CLOCK_REALTIME; the log uses CLOCK_MONOTONIC, like the client's records. A timestamp in
 * the future means that the wall clock was set in between.
 */
static int64_t to_monotonic(struct sim_server *server, int64_t real_ns, int64_t now_ns)
{
	if (real_ns == 0)
		return now_ns;
	if (now_ns - server->clock_offset_at_ns > OFFSET_FRESH_NS) {
		server->clock_offset_ns = pl_clock_offset_ns();
		server->clock_offset_at_ns = now_ns;
	}
	int64_t stamp_ns = real_ns - server->clock_offset_ns;
	return stamp_ns < now_ns ? stamp_ns : now_ns;
}

static void take(struct sim_conn *conn, const char *bytes, size_t len, int64_t stamp_ns)
{
	struct sim_server *server = conn->server;

	if (conn->closing || len == 0)
		return;
	if (conn->whole) {
		if (!pl_buf_add(&conn->later, bytes, len))
			mark_dead(conn);
		return;
	}
	conn->arrival_ns = to_monotonic(server, stamp_ns, pl_clock_now_ns());
	feed(conn, bytes, len);
	sim_conn_resume(conn);
}

static void take_tls(struct sim_conn *conn, size_t len, int64_t stamp_ns)
{
	struct sim_server *server =
		conn->server; /* a client that does not speak TLS is disconnected, as by uvicorn */
	size_t plain_len;
	enum io_tls_result result = io_tls_receive(conn->tls, server->input, len, server->plain,
						   SIM_PLAIN_BYTES, &plain_len, PL_ERR_IGNORED);

	/* the response of the handshake, or its error */
	if (io_tls_flush(conn->tls, conn->watch.fd, cut_bytes(conn)) < 0)
		result = IO_TLS_FAILED;
	watch_output(conn);
	take(conn, server->plain, plain_len, stamp_ns);
	if (result != IO_TLS_OPEN && !conn->dead)
		mark_dead(conn);
}

/*
 * One read per callback: epoll is level-triggered, so the rest is read in the next pass, after the steps of the engine.
 */
static void on_input(struct sim_conn *conn)
{
	struct sim_server *server = conn->server;
	int64_t stamp_ns = 0;
	ssize_t len = io_sock_recv(conn->watch.fd, server->input, SIM_INPUT_BYTES, &stamp_ns);

	if (len < 0 && (errno == EAGAIN || errno == EINTR))
		return;
	if (len <= 0)
		mark_dead(conn);
	else if (conn->tls != NULL)
		take_tls(conn, (size_t)len, stamp_ns);
	else
		take(conn, server->input, (size_t)len, stamp_ns);
}

static void on_output(struct sim_conn *conn)
{
	if (conn->tls != NULL && io_tls_flush(conn->tls, conn->watch.fd, cut_bytes(conn)) < 0) {
		mark_dead(conn);
		return;
	}
	while (conn->out.len > 0) {
		ssize_t n = send(conn->watch.fd, conn->out.data, conn->out.len,
				 MSG_NOSIGNAL | MSG_DONTWAIT);

		if (n < 0 && errno == EAGAIN)
			break;
		if (n < 0 && errno != EINTR) {
			mark_dead(conn);
			return;
		}
		if (n > 0)
			pl_buf_consume(&conn->out, (size_t)n);
	}
	watch_output(conn);
	if (conn->closing && !is_unsent(conn))
		mark_dead(conn);
}

static void on_event(struct io_loop *loop, struct io_watch *watch, uint32_t events)
{
	struct sim_conn *conn = watch->data;
	struct sim_server *server = conn->server;

	(void)loop;
	if (events & EPOLLOUT)
		on_output(conn);
	if (!conn->dead && (events & (EPOLLIN | EPOLLHUP | EPOLLERR)))
		on_input(conn);
	server->calls->rest(server);
}

void sim_conn_drop(struct sim_conn *conn, bool reset)
{
	/*
	 * With a linger of 0, close() discards waiting data and sends RST: the client sees a reset instead of an end.
	 */
	struct linger none = { .l_onoff = 1, .l_linger = 0 };

	if (reset)
		setsockopt(conn->watch.fd, SOL_SOCKET, SO_LINGER, &none, sizeof(none));
	if (!conn->dead)
		mark_dead(conn);
}

static ssize_t send_piece(struct sim_conn *conn, const char *data, size_t len)
{
	return TEMP_FAILURE_RETRY(send(conn->watch.fd, data, len, MSG_NOSIGNAL | MSG_DONTWAIT));
}

/* --sim-cut: sends as many pieces as the socket accepts. */
static ssize_t send_pieces(struct sim_conn *conn, const char *data, size_t len)
{
	size_t most = cut_bytes(conn);
	size_t done = 0;

	while (done < len) {
		ssize_t n = send_piece(conn, data + done, len - done < most ? len - done : most);

		if (n < 0)
			return done > 0 && errno == EAGAIN ? (ssize_t)done : -1;
		done += (size_t)n;
	}
	return (ssize_t)done;
}

bool sim_conn_send(struct sim_conn *conn, const char *data, size_t len)
{
	ssize_t n = 0;

	if (conn->dead)
		return false;
	if (conn->tls != NULL) {
		/* Data that does not fit into the socket stays in the TLS buffer; `out` is for plain connections. */
		if (io_tls_write(conn->tls, data, len, PL_ERR_IGNORED) < 0 ||
		    io_tls_flush(conn->tls, conn->watch.fd, cut_bytes(conn)) < 0) {
			mark_dead(conn);
			return false;
		}
		watch_output(conn);
		return true;
	}
	/* Earlier data must be sent first: nothing overtakes the bytes in `out`. */
	if (conn->out.len == 0)
		n = cut_bytes(conn) > 0 ? send_pieces(conn, data, len)
					: send_piece(conn, data, len);
	if (n < 0 && errno == EAGAIN)
		n = 0;
	if (n < 0 || ((size_t)n < len && !pl_buf_add(&conn->out, data + n, len - (size_t)n))) {
		mark_dead(conn);
		return false;
	}
	if (conn->out.len > 0)
		watch_output(conn);
	return true;
}

/* Like uvicorn, formats the date once per second. */
static const char *date(struct sim_server *server)
{
	int64_t real_ns = pl_clock_real_ns();

	if (real_ns / PL_NS_PER_S != server->date_s) {
		server->date_s = real_ns / PL_NS_PER_S;
		pl_clock_format(real_ns, "%a, %d %b %Y %H:%M:%S GMT", 1, server->date,
				sizeof(server->date));
	}
	return server->date;
}

/* Logged when the header is sent, as by uvicorn: for a stream before its first token. */
static void note_answer(struct sim_conn *conn, int status)
{
	struct sim_metrics *metrics = &conn->server->metrics;

	metrics->answers[conn->route][status >= 500 ? 2 : status >= 400 ? 1 : 0]++;
	metrics->request_bytes[conn->route] += conn->body.len;
	sim_log_access(conn, status);
}

void sim_conn_answer_with(struct sim_conn *conn, int status, const char *type, const char *headers,
			  const char *body, size_t len)
{
	const struct sim_faults *faults = &conn->server->options->faults;
	auto_buf out = PL_BUF(OUT_BYTES_MAX);

	pl_buf_addf(&out,
		    "HTTP/1.1 %d %s\r\ndate: %s\r\nserver: " SIM_SERVER_NAME "\r\n"
		    "content-length: %zu\r\n",
		    status, io_http_reason(status), date(conn->server), len);
	if (type != NULL)
		pl_buf_addf(&out, "content-type: %s\r\n", type);
	if (headers != NULL)
		pl_buf_add_text(&out, headers);
	if ((status == 429 || status == 503) && faults->retry_after_s >= 0)
		pl_buf_addf(&out, "retry-after: %lld\r\n", (long long)faults->retry_after_s);
	pl_buf_add_text(&out, conn->keep_alive ? "\r\n" : "connection: close\r\n\r\n");
	if (conn->halve)
		conn->keep_alive = false;
	/* The head is the same as for GET, its length included. */
	if (!pl_text_equal(conn->method, "HEAD"))
		pl_buf_add(&out, body, conn->halve ? len / 2 : len);
	note_answer(conn, status);
	sim_conn_send(conn, out.data, out.len);
	sim_conn_end_request(conn);
}

void sim_conn_answer(struct sim_conn *conn, int status, const char *type, const char *body,
		     size_t len)
{
	sim_conn_answer_with(conn, status, type, NULL, body, len);
}

void sim_conn_begin_stream(struct sim_conn *conn)
{
	auto_buf out = PL_BUF(4096);

	pl_buf_addf(&out,
		    "HTTP/1.1 200 OK\r\ndate: %s\r\nserver: " SIM_SERVER_NAME "\r\n"
		    "content-type: text/event-stream; charset=utf-8\r\n%s"
		    "transfer-encoding: chunked\r\n\r\n",
		    date(conn->server), conn->keep_alive ? "" : "connection: close\r\n");
	note_answer(conn, 200);
	sim_conn_send(conn, out.data, out.len);
}

void sim_conn_end_request(struct sim_conn *conn)
{
	int64_t close_after = conn->server->options->faults.close_after;
	bool close_now = !conn->keep_alive;

	conn->answered++;
	if (close_after > 0 && conn->answered >= close_after)
		close_now = true;
	forget_request(conn);
	if (conn->dead)
		return;
	if (!close_now)
		return;
	/* Waiting data is sent before the socket is closed; on_output() does both. */
	conn->closing = true;
	if (conn->tls != NULL) {
		io_tls_close(conn->tls);
		(void)io_tls_flush(conn->tls, conn->watch.fd, 0);
		watch_output(conn);
	}
	if (!is_unsent(conn))
		mark_dead(conn);
}

static void accept_one(struct sim_server *server, int fd)
{
	static const struct io_http_calls calls = { on_head, on_body, on_done };
	struct sim_conn *conn = pl_alloc(sizeof(*conn));
	struct io_addr peer = { .len = sizeof(peer.u) };

	conn->server = server;
	conn->http = io_http_new(IO_HTTP_REQUEST, &calls, conn);
	if (server->tls != NULL)
		conn->tls = io_tls_new_server(server->tls, OUT_BYTES_MAX);
	/* Read at the earliest in the next pass, although its request may already be available. */
	conn->watch =
		(struct io_watch){ .fd = fd, .events = EPOLLIN, .fn = on_event, .data = conn };
	pl_buf_init(&conn->body, SIM_BODY_BYTES_MAX);
	pl_buf_init(&conn->out, OUT_BYTES_MAX);
	pl_buf_init(&conn->later, LATER_BYTES_MAX);
	pl_buf_init(&conn->raw, SIM_BODY_BYTES_MAX + IO_HTTP_HEAD_BYTES_MAX);
	/* For the access log; like uvicorn, empty for a Unix socket. */
	if (getpeername(fd, &peer.u.any, &peer.len) == 0 && peer.u.any.sa_family != AF_UNIX)
		io_addr_text(&peer, conn->peer, sizeof(conn->peer));
	LIST_INSERT_HEAD(&server->conns, conn, link);
	if (io_loop_watch(server->loop, &conn->watch, PL_ERR_IGNORED) < 0)
		sim_conn_free(conn);
}

void sim_conn_on_listener(struct io_loop *loop, struct io_watch *watch, uint32_t events)
{
	struct sim_server *server = watch->data;

	(void)loop;
	(void)events;
	for (;;) {
		int fd = io_sock_accept(watch->fd);

		/* Level-triggered: a listener that cannot accept would wake the loop for ever. */
		if (fd < 0 && (errno == EMFILE || errno == ENFILE))
			io_loop_rewatch(server->loop, watch, 0); /* until a connection ends */
		if (fd < 0)
			return;
		accept_one(server, fd);
	}
}
