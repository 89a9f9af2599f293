/*
 * A small completions server for load tests: one thread, one loop. The body of a request selects
 * the response:
 *
 *	ok N	     N events and [DONE], in one piece     close N   the same, then closes
 *	drop N	     as ok, closes a moment after          slow      head and one event, then silence
 *	hang	     never answers                         cut       head and one event, then closes
 *	reset	     head, then a reset                    refuse    resets without a response
 *	status S     status S with a JSON error            error     an event, then an error object
 *	no_done	     a whole body without [DONE]           bad_json  an event that is not JSON
 *	empty	     [DONE] and nothing else               html      200 of another type
 *	gate N	     answers as ok 2 once N such are open
 *	late N I S A the first N with this I get status S (0: a reset), with Retry-After A if it is
 *		     given; the others as ok 2, and a close if S is 0. A -2: the others hang
 */
#pragma once

#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <unistd.h>

#include "base/buf.h"
#include "io/http.h"
#include "io/http_text.h"
#include "io/loop.h"
#include "io/sock.h"

#define TINY_CONNS_MAX 4096

struct tiny_server;

struct tiny_conn {
	struct io_watch watch;
	struct tiny_server *server;
	struct io_http *http;
	struct pl_buf body;
	bool close_after;
	bool reset;
	bool gated;
	bool closed;
};

struct tiny_server {
	struct io_loop *loop;
	struct io_watch listener;
	struct io_addr addr;
	pthread_t thread;
	struct tiny_conn *conns[TINY_CONNS_MAX];
	size_t conn_count;
	size_t gated;
	size_t gated_peak;
	_Atomic unsigned accepted;
	_Atomic unsigned requests;
	_Atomic unsigned with_id;
	int late[TINY_CONNS_MAX];   /* how often each I was sent away */
	atomic_int *stop_when_held; /* set to 1 by the first request that hangs */
};

static void tiny_close(struct tiny_conn *conn)
{
	struct linger now = { .l_onoff = 1, .l_linger = 0 };

	if (conn->closed)
		return;
	conn->closed = true;
	io_loop_unwatch(conn->server->loop, &conn->watch);
	if (conn->reset)
		setsockopt(conn->watch.fd, SOL_SOCKET, SO_LINGER, &now, sizeof(now));
	close(conn->watch.fd);
}

static void tiny_send(struct tiny_conn *conn, const char *data, size_t len)
{
	while (len > 0 && !conn->closed) {
		ssize_t n = send(conn->watch.fd, data, len, MSG_NOSIGNAL);
		if (n <
		    0) /* tests send less than a socket buffer; anything else is a gone client */
			return;
		data += n;
		len -= (size_t)n;
	}
}

static void tiny_head(struct pl_buf *buf, int status, const char *type)
{
	pl_buf_addf(buf, "HTTP/1.1 %d %s\r\nContent-Type: %s\r\nTransfer-Encoding: chunked\r\n\r\n",
		    status, io_http_reason(status), type);
}

static void tiny_chunk(struct pl_buf *buf, const char *text)
{
	pl_buf_addf(buf, "%zx\r\n%s\r\n", strlen(text), text);
}

static void tiny_events(struct pl_buf *buf, int count)
{
	char event[256];

	for (int i = 0; i < count; i++) {
		snprintf(event, sizeof(event),
			 "data: "
			 "{\"choices\":[{\"index\":0,\"text\":\"t%d\",\"finish_reason\":%s}]}\n\n",
			 i, i == count - 1 ? "\"length\"" : "null");
		tiny_chunk(buf, event);
	}
	snprintf(event, sizeof(event),
		 "data: "
		 "{\"choices\":[],\"usage\":{\"prompt_tokens\":3,\"completion_tokens\":%d}}\n\n",
		 count);
	tiny_chunk(buf, event);
}

static void tiny_answer_ok(struct tiny_conn *conn, int count)
{
	auto_buf buf = { 0 };

	pl_buf_init(&buf, 1 << 20);
	tiny_head(&buf, 200, "text/event-stream; charset=utf-8");
	if (count > 0)
		tiny_events(&buf, count);
	tiny_chunk(&buf, "data: [DONE]\n\n");
	pl_buf_add_text(&buf, "0\r\n\r\n");
	tiny_send(conn, buf.data, buf.len);
}

static void tiny_answer_status(struct tiny_conn *conn, int status, const char *more)
{
	char text[400];
	const char *body = "{\"error\":{\"message\":\"no such luck\",\"code\":1}}";
	int len = snprintf(text, sizeof(text),
			   "HTTP/1.1 %d %s\r\nContent-Type: application/json\r\n"
			   "%sContent-Length: %zu\r\n\r\n%s",
			   status, io_http_reason(status), more, strlen(body), body);

	tiny_send(conn, text, (size_t)len);
}

/* 200, one good event, then `rest` and, with `whole`, the last chunk. */
static void tiny_answer_odd(struct tiny_conn *conn, const char *rest, bool whole)
{
	auto_buf buf = { 0 };

	pl_buf_init(&buf, 1 << 16);
	tiny_head(&buf, 200, "text/event-stream");
	tiny_chunk(&buf, "data: {\"choices\":[{\"index\":0,\"text\":\"a\"}]}\n\n");
	if (rest != NULL)
		tiny_chunk(&buf, rest);
	if (whole)
		pl_buf_add_text(&buf, "0\r\n\r\n");
	tiny_send(conn, buf.data, buf.len);
}

/* Holds the connection until `count` of them wait; then answers all. */
static void tiny_gate(struct tiny_conn *conn, size_t count)
{
	struct tiny_server *server = conn->server;

	conn->gated = true;
	server->gated++;
	if (server->gated > server->gated_peak)
		server->gated_peak = server->gated;
	if (server->gated < count)
		return;
	for (size_t i = 0; i < server->conn_count; i++) {
		if (!server->conns[i]->gated)
			continue;
		server->conns[i]->gated = false;
		server->gated--;
		tiny_answer_ok(server->conns[i], 2);
	}
}

static void tiny_held(struct tiny_conn *conn)
{
	if (conn->server->stop_when_held != NULL)
		atomic_store(conn->server->stop_when_held, 1);
}

static void tiny_late(struct tiny_conn *conn, const char *order)
{
	int count, id, status, after = -1;
	char more[40] = "";

	if (sscanf(order, "late %d %d %d %d", &count, &id, &status, &after) < 3)
		abort();
	if (after >= 0)
		snprintf(more, sizeof(more), "Retry-After: %d\r\n", after);
	conn->close_after = status == 0;
	if (++conn->server->late[id] > count) {
		if (after != -2)
			tiny_answer_ok(conn, 2);
		return;
	}
	conn->reset = status == 0;
	if (status != 0)
		tiny_answer_status(conn, status, more);
	tiny_held(conn);
}

static void tiny_answer(struct tiny_conn *conn, const char *what, int n)
{
	static const char html[] = "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n"
				   "Content-Length: 2\r\n\r\nhi";

	if (strcmp(what, "ok") == 0 || strcmp(what, "close") == 0 || strcmp(what, "drop") == 0)
		tiny_answer_ok(conn, n);
	else if (strcmp(what, "status") == 0)
		tiny_answer_status(conn, n, "");
	else if (strcmp(what, "error") == 0)
		tiny_answer_odd(conn, "data: {\"error\":{\"message\":\"engine died\"}}\n\n", true);
	else if (strcmp(what, "no_done") == 0)
		tiny_answer_odd(conn, NULL, true);
	else if (strcmp(what, "bad_json") == 0)
		tiny_answer_odd(conn, "data: {\"choices\":[{]}\n\n", true);
	else if (strcmp(what, "empty") == 0)
		tiny_answer_ok(conn, 0);
	else if (strcmp(what, "gate") == 0)
		tiny_gate(conn, (size_t)n);
	else if (strcmp(what, "slow") == 0 || strcmp(what, "cut") == 0 ||
		 strcmp(what, "reset") == 0)
		tiny_answer_odd(conn, NULL, false);
	else if (strcmp(what, "html") == 0)
		tiny_send(conn, html, sizeof(html) - 1);
	if (strcmp(what, "hang") == 0 || strcmp(what, "slow") == 0)
		tiny_held(conn);
	conn->reset = strcmp(what, "reset") == 0 || strcmp(what, "refuse") == 0;
	conn->close_after = conn->reset || strcmp(what, "close") == 0 ||
			    strcmp(what, "drop") == 0 || strcmp(what, "cut") == 0;
}

static int tiny_on_head(void *data, const struct io_http_head *head)
{
	struct tiny_conn *conn = data;

	if (io_http_header_get(head, "x-request-id") != NULL)
		atomic_fetch_add(&conn->server->with_id, 1);
	return 0;
}

static int tiny_on_body(void *data, const char *bytes, size_t len)
{
	struct tiny_conn *conn = data;

	return pl_buf_add(&conn->body, bytes, len) ? 0 : 1;
}

static int tiny_on_done(void *data)
{
	struct tiny_conn *conn = data;
	char what[32] = "";
	int n = 0;

	atomic_fetch_add(&conn->server->requests, 1);
	if (sscanf(pl_buf_text(&conn->body), "%31s %d", what, &n) < 1)
		return 1;
	if (strcmp(what, "late") == 0)
		tiny_late(conn, pl_buf_text(&conn->body));
	else
		tiny_answer(conn, what, n);
	pl_buf_clear(&conn->body);
	return 0;
}

static void tiny_on_ready(struct io_loop *loop, struct io_watch *watch, uint32_t events)
{
	struct tiny_conn *conn = watch->data;
	struct pl_err err = PL_ERR_INIT;
	char bytes[65536];
	int64_t stamp_ns;
	size_t used;

	(void)loop;
	(void)events;
	ssize_t len = io_sock_recv(watch->fd, bytes, sizeof(bytes), &stamp_ns);
	if (len <= 0 || io_http_feed(conn->http, bytes, (size_t)len, false, &used, &err) != 0 ||
	    conn->close_after)
		tiny_close(conn);
}

static void tiny_on_accept(struct io_loop *loop, struct io_watch *watch, uint32_t events)
{
	static const struct io_http_calls calls = { tiny_on_head, tiny_on_body, tiny_on_done };
	struct tiny_server *server = watch->data;
	struct pl_err err = PL_ERR_INIT;
	int fd;

	(void)events;
	while ((fd = io_sock_accept(watch->fd)) >= 0) {
		struct tiny_conn *conn = pl_alloc(sizeof(*conn));
		conn->server = server;
		conn->watch = (struct io_watch){
			.fd = fd, .events = EPOLLIN, .fn = tiny_on_ready, .data = conn
		};
		conn->http = io_http_new(IO_HTTP_REQUEST, &calls, conn);
		pl_buf_init(&conn->body, 1 << 20);
		assert(server->conn_count < TINY_CONNS_MAX);
		server->conns[server->conn_count++] = conn;
		atomic_fetch_add(&server->accepted, 1);
		if (io_loop_watch(loop, &conn->watch, &err) < 0)
			tiny_close(conn);
	}
}

static void *tiny_main(void *data)
{
	struct tiny_server *server = data;
	struct pl_err err = PL_ERR_INIT;

	if (io_loop_run(server->loop, &err) < 0)
		abort();
	return NULL;
}

static inline struct tiny_server *tiny_server_start(void)
{
	struct tiny_server *server = pl_alloc(sizeof(*server));
	struct pl_err err = PL_ERR_INIT;
	struct io_addr any;

	if (io_addr_resolve("127.0.0.1", 0, &any, &err) < 0 ||
	    io_sock_listen(&any, 1024, &server->listener.fd, &err) < 0 ||
	    io_sock_local(server->listener.fd, &server->addr, &err) < 0 ||
	    io_loop_new(&server->loop, &err) < 0)
		abort();
	server->listener.events = EPOLLIN;
	server->listener.fn = tiny_on_accept;
	server->listener.data = server;
	if (io_loop_watch(server->loop, &server->listener, &err) < 0 ||
	    pthread_create(&server->thread, NULL, tiny_main, server) != 0)
		abort();
	return server;
}

static inline void tiny_server_stop(struct tiny_server *server)
{
	io_loop_stop(server->loop);
	pthread_join(server->thread, NULL);
	for (size_t i = 0; i < server->conn_count; i++) {
		tiny_close(server->conns[i]);
		io_http_free(server->conns[i]->http);
		pl_buf_done(&server->conns[i]->body);
		free(server->conns[i]);
	}
	io_loop_unwatch(server->loop, &server->listener);
	close(server->listener.fd);
	io_loop_free(server->loop);
	free(server);
}
