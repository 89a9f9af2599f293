#include "io/fetch.h"

#include <poll.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/buf.h"
#include "base/clock.h"
#include "io/http.h"
#include "io/http_text.h"
#include "io/loop.h"

#define BIG_BYTES 3000000

/*
 * A small server in its own thread. The path selects the response, see `routes`. Read its counters
 * after server_stop().
 */
struct server {
	pthread_t thread;
	struct io_loop *loop;
	struct io_watch listen;
	struct io_addr addr;
	struct peer *peers; /* all there ever were */
	int accepted;
	int requests;
};

struct peer {
	struct server *server;
	struct peer *next;
	struct io_watch watch;
	struct io_http *http;
	struct pl_buf seen; /* the head as text */
	struct pl_buf body;
	char path[64];
	bool head_request;
	int replies;
};

static void peer_close(struct peer *peer)
{
	if (!peer->watch.active)
		return;
	io_loop_unwatch(peer->server->loop, &peer->watch);
	close(peer->watch.fd);
}

/* The client always reads, so waiting for room here ends. */
static void send_all(struct peer *peer, const char *bytes, size_t len)
{
	while (len > 0) {
		ssize_t sent = send(peer->watch.fd, bytes, len, MSG_NOSIGNAL);
		struct pollfd room = { .fd = peer->watch.fd, .events = POLLOUT };
		if (sent < 0 && poll(&room, 1, 10000) != 1)
			return;
		if (sent > 0) {
			bytes += sent;
			len -= (size_t)sent;
		}
	}
}

static void send_text(struct peer *peer, const char *text)
{
	send_all(peer, text, strlen(text));
}

static void reply(struct peer *peer, int status, const char *body, size_t len)
{
	auto_buf text = { 0 };

	pl_buf_init(&text, 16 << 20);
	pl_buf_addf(&text, "HTTP/1.1 %d %s\r\nserver: small\r\nContent-Type: text/plain\r\n",
		    status, io_http_reason(status));
	pl_buf_addf(&text, "content-length: %zu\r\n\r\n", len);
	if (!peer->head_request)
		pl_buf_add(&text, body, len);
	send_all(peer, text.data, text.len);
}

static void route_echo(struct peer *peer)
{
	reply(peer, 200, pl_buf_text(&peer->body), peer->body.len);
}

static void route_head(struct peer *peer)
{
	reply(peer, 200, pl_buf_text(&peer->seen), peer->seen.len);
}

static void route_chunked(struct peer *peer)
{
	send_text(peer, "HTTP/1.1 100 Continue\r\n\r\n");
	send_text(peer, "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n");
	send_text(peer, "5\r\nhello\r\n");
	send_text(peer, "6;x\r\n world\r\n0\r\nT: r\r\n\r\n");
}

static void route_until_end(struct peer *peer)
{
	send_text(peer, "HTTP/1.1 200 OK\r\n\r\nuntil the end");
	peer_close(peer);
}

static void route_truncated(struct peer *peer)
{
	send_text(peer, "HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nabc");
	peer_close(peer);
}

static void route_no_reply(struct peer *peer)
{
	peer_close(peer);
}

static void route_silent(struct peer *peer)
{
	(void)peer;
}

static void route_slow(struct peer *peer)
{
	send_text(peer, "HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nabc");
}

static void route_garbage(struct peer *peer)
{
	send_text(peer, "SSH-2.0-OpenSSH\r\n\r\n");
}

static void route_missing(struct peer *peer)
{
	reply(peer, 404, "{\"detail\":\"Not Found\"}", 22);
}

static void route_empty(struct peer *peer)
{
	send_text(peer, "HTTP/1.1 204 No Content\r\n\r\n");
}

static void route_big(struct peer *peer)
{
	auto_free char *body = pl_alloc(BIG_BYTES);

	memset(body, 'b', BIG_BYTES);
	reply(peer, 200, body, BIG_BYTES);
}

/* Promises to stay and goes after the first reply, as a server does whose patience ends. */
static void route_fickle(struct peer *peer)
{
	reply(peer, 200, "once", 4);
	if (peer->replies == 1)
		peer_close(peer);
}

static const struct {
	const char *path;
	void (*answer)(struct peer *peer);
} routes[] = {
	{ "/echo", route_echo },
	{ "/head", route_head },
	{ "/chunked", route_chunked },
	{ "/until_end", route_until_end },
	{ "/truncated", route_truncated },
	{ "/no_reply", route_no_reply },
	{ "/silent", route_silent },
	{ "/slow", route_slow },
	{ "/garbage", route_garbage },
	{ "/empty", route_empty },
	{ "/big", route_big },
	{ "/fickle", route_fickle },
};

static int on_head(void *data, const struct io_http_head *head)
{
	struct peer *peer = data;

	pl_buf_clear(&peer->body);
	pl_buf_clear(&peer->seen);
	pl_buf_addf(&peer->seen, "%s %s\n", head->method, head->target);
	for (size_t i = 0; i < head->header_count; i++)
		pl_buf_addf(&peer->seen, "%s: %s\n", head->headers[i].name, head->headers[i].value);
	snprintf(peer->path, sizeof(peer->path), "%s", head->target);
	peer->head_request = strcmp(head->method, "HEAD") == 0;
	/* refuses before the body arrives; the body arrives nevertheless */
	if (strcmp(peer->path, "/too_large") == 0)
		reply(peer, 413, "no", 2);
	return 0;
}

static int on_body(void *data, const char *bytes, size_t len)
{
	struct peer *peer = data;

	pl_buf_add(&peer->body, bytes, len);
	return 0;
}

static int on_done(void *data)
{
	struct peer *peer = data;

	peer->server->requests++;
	peer->replies++;
	if (strcmp(peer->path, "/too_large") == 0)
		return 0;
	for (size_t i = 0; i < PL_ARRAY_SIZE(routes); i++) {
		if (strcmp(routes[i].path, peer->path) == 0) {
			routes[i].answer(peer);
			return 0;
		}
	}
	route_missing(peer);
	return 0;
}

static void peer_read(struct io_loop *loop, struct io_watch *watch, uint32_t events)
{
	struct peer *peer = watch->data;
	struct pl_err err = PL_ERR_INIT;
	static char bytes[65536];
	int64_t stamp_ns;
	size_t used;

	(void)loop;
	(void)events;
	ssize_t len = io_sock_recv(watch->fd, bytes, sizeof(bytes), &stamp_ns);
	if (len <= 0 || io_http_feed(peer->http, bytes, (size_t)len, false, &used, &err) != 0)
		peer_close(peer);
}

static void server_accept(struct io_loop *loop, struct io_watch *watch, uint32_t events)
{
	static const struct io_http_calls calls = { on_head, on_body, on_done };
	struct server *server = watch->data;
	struct pl_err err = PL_ERR_INIT;
	int fd;

	(void)events;
	while ((fd = io_sock_accept(watch->fd)) >= 0) {
		struct peer *peer = pl_alloc(sizeof(*peer));
		peer->server = server;
		peer->next = server->peers;
		server->peers = peer;
		server->accepted++;
		peer->http = io_http_new(IO_HTTP_REQUEST, &calls, peer);
		pl_buf_init(&peer->seen, 1 << 16);
		pl_buf_init(&peer->body, 16 << 20);
		peer->watch = (struct io_watch){
			.fd = fd, .events = EPOLLIN, .fn = peer_read, .data = peer
		};
		if (io_loop_watch(loop, &peer->watch, &err) < 0)
			abort();
	}
}

static void *server_run(void *data)
{
	struct server *server = data;
	struct pl_err err = PL_ERR_INIT;

	if (io_loop_run(server->loop, &err) < 0)
		abort();
	return NULL;
}

static void server_start(struct server *server)
{
	struct pl_err err = PL_ERR_INIT;
	int fd;

	*server = (struct server){ .accepted = 0 };
	assert_int_equal(io_addr_resolve("127.0.0.1", 0, &server->addr, &err), 0);
	assert_int_equal(io_sock_listen(&server->addr, 64, &fd, &err), 0);
	assert_int_equal(io_sock_local(fd, &server->addr, &err), 0);
	assert_int_equal(io_loop_new(&server->loop, &err), 0);
	server->listen = (struct io_watch){
		.fd = fd, .events = EPOLLIN, .fn = server_accept, .data = server
	};
	assert_int_equal(io_loop_watch(server->loop, &server->listen, &err), 0);
	assert_int_equal(pthread_create(&server->thread, NULL, server_run, server), 0);
}

static void server_stop(struct server *server)
{
	io_loop_stop(server->loop);
	pthread_join(server->thread, NULL);
	while (server->peers != NULL) {
		struct peer *peer = server->peers;
		server->peers = peer->next;
		peer_close(peer);
		io_http_free(peer->http);
		pl_buf_done(&peer->seen);
		pl_buf_done(&peer->body);
		free(peer);
	}
	close(server->listen.fd);
	io_loop_free(server->loop);
}

struct exchange {
	const char *method;
	const char *path;
	const char *body;
	int status;         /* 0: it fails */
	const char *answer; /* or a part of the error */
	enum pl_err_code code;
	int64_t timeout_ns;
};

static const struct exchange exchanges[] = {
	{ NULL, "/chunked", NULL, 200, "hello world", PL_ERR_NONE, 0 },
	{ NULL, "/until_end", NULL, 200, "until the end", PL_ERR_NONE, 0 },
	{ NULL, "/echo", "{\"a\":1}", 200, "{\"a\":1}", PL_ERR_NONE, 0 },
	{ NULL, "/echo", "", 200, "", PL_ERR_NONE, 0 },
	{ "HEAD", "/nowhere", NULL, 404, "", PL_ERR_NONE, 0 },
	{ NULL, "/empty", NULL, 204, "", PL_ERR_NONE, 0 },
	{ NULL, "/nowhere", NULL, 404, "{\"detail\":\"Not Found\"}", PL_ERR_NONE, 0 },
	{ NULL, "/too_large", "much", 413, "no", PL_ERR_NONE, 0 },
	{ NULL, "/truncated", NULL, 0, "truncated", PL_ERR_NETWORK, 0 },
	{ NULL, "/no_reply", NULL, 0, "without a response", PL_ERR_NETWORK, 0 },
	{ NULL, "/garbage", NULL, 0, "malformed HTTP response", PL_ERR_NETWORK, 0 },
	{ NULL, "/silent", NULL, 0, "timed out", PL_ERR_TIMEOUT, 20 * PL_NS_PER_MS },
	{ NULL, "/slow", NULL, 0, "'GET /slow'", PL_ERR_TIMEOUT, 20 * PL_NS_PER_MS },
	/* last one that is answered: all before it have been accepted */
	{ "HEAD", "/echo", NULL, 200, "", PL_ERR_NONE, 0 },
};

static struct io_fetch as_fetch(const struct exchange *row, const struct server *server)
{
	return (struct io_fetch){ .addr = &server->addr,
				  .method = row->method,
				  .path = row->path,
				  .body = row->body,
				  .body_len = row->body != NULL ? strlen(row->body) : 0,
				  .timeout_ns = row->timeout_ns };
}

static void test_io_fetch__exchanges(void **state)
{
	struct server server;

	(void)state;
	server_start(&server);
	for (size_t i = 0; i < PL_ARRAY_SIZE(exchanges); i++) {
		const struct exchange *row = &exchanges[i];
		const struct io_fetch fetch = as_fetch(row, &server);
		struct pl_err err = PL_ERR_INIT;
		auto_reply got = { 0 };
		int rc = io_fetch(&fetch, &got, &err);
		if (rc != (row->status > 0 ? 0 : -1))
			fail_msg("'%s': %d %s", row->path, rc, err.text);
		assert_int_equal(err.code, row->code);
		assert_int_equal(got.status, row->status);
		if (rc < 0) {
			assert_non_null(strstr(err.text, row->answer));
			continue;
		}
		assert_string_equal(got.body, row->answer);
		assert_int_equal(got.body_len, strlen(row->answer));
	}
	server_stop(&server);
	assert_int_equal(server.accepted, PL_ARRAY_SIZE(exchanges));
}

/* The same all at once, over kept connections: one that fails harms no other. */
static void test_io_fetch__batch_of_all_kinds(void **state)
{
	enum { ROUNDS = 5, COUNT = ROUNDS * PL_ARRAY_SIZE(exchanges) };
	struct io_fetch fetches[COUNT];
	struct io_reply replies[COUNT];
	struct pl_err err = PL_ERR_INIT;
	struct server server;

	(void)state;
	server_start(&server);
	for (size_t i = 0; i < COUNT; i++)
		fetches[i] = as_fetch(&exchanges[i % PL_ARRAY_SIZE(exchanges)], &server);
	assert_int_equal(io_fetch_batch(fetches, COUNT, 3, replies, &err), 0);
	for (size_t i = 0; i < COUNT; i++) {
		const struct exchange *row = &exchanges[i % PL_ARRAY_SIZE(exchanges)];
		assert_int_equal(replies[i].status, row->status);
		if (row->status > 0)
			assert_string_equal(replies[i].body, row->answer);
		else
			assert_non_null(strstr(replies[i].error, row->answer));
		io_reply_done(&replies[i]);
	}
	server_stop(&server);
}

static void test_io_fetch__batch_keeps_connections(void **state)
{
	enum { COUNT = 200, PARALLEL = 4 };
	struct io_fetch fetches[COUNT];
	struct io_reply replies[COUNT];
	char bodies[COUNT][16];
	struct pl_err err = PL_ERR_INIT;
	struct server server;

	(void)state;
	server_start(&server);
	for (size_t i = 0; i < COUNT; i++) {
		snprintf(bodies[i], sizeof(bodies[i]), "number %zu", i);
		fetches[i] = (struct io_fetch){ .addr = &server.addr,
						.path = "/echo",
						.body = bodies[i],
						.body_len = strlen(bodies[i]) };
	}
	assert_int_equal(io_fetch_batch(fetches, COUNT, PARALLEL, replies, &err), 0);
	for (size_t i = 0; i < COUNT; i++) {
		assert_int_equal(replies[i].status, 200);
		assert_string_equal(replies[i].body, bodies[i]);
		assert_null(replies[i].error);
		io_reply_done(&replies[i]);
	}
	server_stop(&server);
	assert_int_equal(server.accepted, PARALLEL);
	assert_int_equal(server.requests, COUNT);
}

static void test_io_fetch__stale_connection_is_replaced(void **state)
{
	struct io_fetch fetches[3];
	struct io_reply replies[3];
	struct pl_err err = PL_ERR_INIT;
	struct server server;

	(void)state;
	server_start(&server);
	for (size_t i = 0; i < PL_ARRAY_SIZE(fetches); i++)
		fetches[i] = (struct io_fetch){ .addr = &server.addr, .path = "/fickle" };
	assert_int_equal(io_fetch_batch(fetches, 3, 1, replies, &err), 0);
	for (size_t i = 0; i < PL_ARRAY_SIZE(fetches); i++) {
		if (replies[i].status != 200)
			fail_msg("reply %zu: %s", i, replies[i].error);
		assert_string_equal(replies[i].body, "once");
		io_reply_done(&replies[i]);
	}
	server_stop(&server);
	assert_int_equal(server.accepted, 3);
}

static void test_io_fetch__the_request_on_the_wire(void **state)
{
	struct server server;
	struct pl_err err = PL_ERR_INIT;
	char text[64];

	(void)state;
	server_start(&server);
	io_addr_text(&server.addr, text, sizeof(text));
	struct io_fetch fetch = { .addr = &server.addr, .path = "/head" };
	auto_reply plain = { 0 };
	assert_int_equal(io_fetch(&fetch, &plain, &err), 0);
	auto_free char *host = pl_asprintf("\nHost: %s\n", text);
	assert_int_equal(strncmp(plain.body, "GET /head\n", 10), 0);
	assert_non_null(strstr(plain.body, host));
	assert_non_null(strstr(plain.body, "\nUser-Agent: profllm/"));
	assert_non_null(strstr(plain.body, "\nAccept-Encoding: identity\n"));
	assert_null(strstr(plain.body, "Content-"));
	assert_string_equal(plain.server, "small");
	assert_string_equal(plain.content_type, "text/plain");
	assert_null(plain.error);

	auto_reply other = { 0 };
	fetch.host = "model.example";
	fetch.headers = "Authorization: Bearer x\r\ncontent-type: text/x\r\n";
	fetch.body = "b";
	fetch.body_len = 1;
	assert_int_equal(io_fetch(&fetch, &other, &err), 0);
	assert_int_equal(strncmp(other.body, "POST /head\n", 11), 0);
	assert_non_null(strstr(other.body, "\nHost: model.example\n"));
	assert_non_null(strstr(other.body, "\nAuthorization: Bearer x\n"));
	assert_non_null(strstr(other.body, "\ncontent-type: text/x\n"));
	assert_non_null(strstr(other.body, "\nContent-Length: 1\n"));
	assert_null(strstr(other.body, "application/json"));

	auto_reply json = { 0 };
	fetch.headers = NULL;
	assert_int_equal(io_fetch(&fetch, &json, &err), 0);
	assert_non_null(strstr(json.body, "\nContent-Type: application/json\n"));
	server_stop(&server);
}

static void test_io_fetch__large_bodies_both_ways(void **state)
{
	auto_free char *body = pl_alloc(BIG_BYTES);
	struct pl_err err = PL_ERR_INIT;
	struct server server;

	(void)state;
	for (size_t i = 0; i < BIG_BYTES; i++)
		body[i] = (char)(i * 7 + i / 251);
	server_start(&server);
	struct io_fetch fetch = {
		.addr = &server.addr, .path = "/echo", .body = body, .body_len = BIG_BYTES
	};
	auto_reply echo = { 0 };
	assert_int_equal(io_fetch(&fetch, &echo, &err), 0);
	assert_int_equal(echo.body_len, BIG_BYTES);
	assert_memory_equal(echo.body, body, BIG_BYTES);

	auto_reply early = { 0 };
	fetch.path = "/too_large";
	assert_int_equal(io_fetch(&fetch, &early, &err), 0);
	assert_int_equal(early.status, 413);

	auto_reply big = { 0 };
	fetch = (struct io_fetch){ .addr = &server.addr, .path = "/big" };
	fetch.reply_bytes_max = BIG_BYTES;
	assert_int_equal(io_fetch(&fetch, &big, &err), 0);
	assert_int_equal(big.body_len, BIG_BYTES);
	fetch.reply_bytes_max = BIG_BYTES - 1;
	auto_reply none = { 0 };
	assert_int_equal(io_fetch(&fetch, &none, &err), -1);
	assert_non_null(strstr(err.text, "larger than 2999999 bytes"));
	assert_int_equal(none.status, 0);
	server_stop(&server);
}

/* Reads a file while sending it; if the file shrinks meanwhile, the exchange ends at once. */
static void test_io_fetch__a_body_of_a_file(void **state)
{
	struct server server;
	struct pl_err err = PL_ERR_INIT;
	auto_free char *body = pl_alloc(BIG_BYTES);
	int fd = memfd_create("body", MFD_CLOEXEC);

	(void)state;
	server_start(&server);
	for (size_t i = 0; i < BIG_BYTES; i++)
		body[i] = (char)('a' + i % 23);
	assert_int_equal(write(fd, body, BIG_BYTES), BIG_BYTES);
	struct io_fetch fetch = { .addr = &server.addr,
				  .path = "/echo",
				  .body = "",
				  .body_fd = &fd,
				  .body_len = BIG_BYTES };
	for (size_t less = 0; less < 2; less++, fetch.body_len--) {
		auto_reply reply = { 0 };
		assert_int_equal(io_fetch(&fetch, &reply, &err), 0);
		assert_int_equal(reply.body_len, fetch.body_len);
		assert_memory_equal(reply.body, body, fetch.body_len);
	}
	assert_int_equal(ftruncate(fd, BIG_BYTES / 2), 0);
	auto_reply none = { 0 };
	assert_int_equal(io_fetch(&fetch, &none, &err), -1);
	assert_int_equal(err.code, PL_ERR_IO);
	assert_non_null(strstr(err.text, "shrank while it was sent"));
	close(fd);
	server_stop(&server);
}

static void test_io_fetch__path_is_checked(void **state)
{
	static const char *const paths[] = { "", "/a b", "/\r\nA: b", "/caf\xc3\xa9" };
	struct io_addr addr = { .len = 0 };

	(void)state;
	for (size_t i = 0; i < PL_ARRAY_SIZE(paths); i++) {
		const struct io_fetch fetch = { .addr = &addr, .path = paths[i] };
		struct pl_err err = PL_ERR_INIT;
		auto_reply got = { 0 };
		assert_int_equal(io_fetch(&fetch, &got, &err), -1);
		assert_int_equal(err.code, PL_ERR_INVALID);
	}
}

static void test_io_fetch__a_closed_port(void **state)
{
	struct io_fetch fetches[3];
	struct io_reply replies[3];
	struct pl_err err = PL_ERR_INIT;
	struct io_addr addr;
	auto_reply got = { 0 };
	int fd;

	(void)state;
	assert_int_equal(io_addr_resolve("127.0.0.1", 0, &addr, &err), 0);
	assert_int_equal(io_sock_listen(&addr, 1, &fd, &err), 0);
	assert_int_equal(io_sock_local(fd, &addr, &err), 0);
	close(fd);
	for (size_t i = 0; i < PL_ARRAY_SIZE(fetches); i++)
		fetches[i] = (struct io_fetch){ .addr = &addr, .path = "/" };
	assert_int_equal(io_fetch(&fetches[0], &got, &err), -1);
	assert_int_equal(err.code, PL_ERR_NETWORK);
	assert_non_null(strstr(err.text, "could not connect to '127.0.0.1:"));
	assert_int_equal(io_fetch_batch(fetches, 3, 8, replies, &err), 0);
	for (size_t i = 0; i < PL_ARRAY_SIZE(fetches); i++) {
		assert_int_equal(replies[i].status, 0);
		assert_non_null(strstr(replies[i].error, "could not connect"));
		assert_null(replies[i].body);
		io_reply_done(&replies[i]);
	}
	assert_int_equal(io_fetch_batch(fetches, 0, 8, replies, &err), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_io_fetch__exchanges),
		cmocka_unit_test(test_io_fetch__batch_of_all_kinds),
		cmocka_unit_test(test_io_fetch__batch_keeps_connections),
		cmocka_unit_test(test_io_fetch__stale_connection_is_replaced),
		cmocka_unit_test(test_io_fetch__the_request_on_the_wire),
		cmocka_unit_test(test_io_fetch__large_bodies_both_ways),
		cmocka_unit_test(test_io_fetch__a_body_of_a_file),
		cmocka_unit_test(test_io_fetch__path_is_checked),
		cmocka_unit_test(test_io_fetch__a_closed_port),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
