#include "io/acks.h"

#include <netinet/tcp.h>
#include <poll.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/clock.h"
#include "io/sock.h"

#define ANSWER   "HTTP/1.1 404 Not Found\r\nContent-Length: 2\r\n\r\nno"
#define REQUESTS 3

/* One connection's server, in a thread of its own. */
struct server {
	const char *answer; /* of each request, sent by itself */
	int answers;        /* so many of them; then it closes */
	bool nagle;
	bool holds; /* it does not close before the client does */
	struct io_addr addr;
	int listener;
	pthread_t thread;
	/* read after server_stop() */
	char requested[4096];
	size_t asked_len;
	bool client_left;
};

static bool is_ready(int fd)
{
	struct pollfd ready = { .fd = fd, .events = POLLIN };

	return poll(&ready, 1, 10000) == 1;
}

static int count_requests(const struct server *server)
{
	int count = 0;

	for (const char *at = server->requested; (at = strstr(at, "\r\n\r\n")) != NULL; at += 4)
		count++;
	return count;
}

/* Keeps the received data as text; false: the client has closed. */
static bool read_more(struct server *server, int fd)
{
	ssize_t len = -1;

	if (is_ready(fd))
		len = read(fd, server->requested + server->asked_len,
			   sizeof(server->requested) - 1 - server->asked_len);
	if (len > 0)
		server->asked_len += (size_t)len;
	return len > 0;
}

static void *serve(void *data)
{
	struct server *server = data;
	int off = 0;

	if (!is_ready(server->listener))
		return NULL;
	auto_fd int fd = io_sock_accept(server->listener);
	if (server->nagle)
		setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &off, sizeof(off));
	while (count_requests(server) < REQUESTS) {
		if (!read_more(server, fd))
			return NULL;
	}
	for (int i = 0; i < server->answers; i++)
		(void)send(fd, server->answer, strlen(server->answer), MSG_NOSIGNAL);
	/* all was answered: the client goes first */
	if (server->answers >= REQUESTS)
		(void)read_more(server, fd);
	server->client_left = server->holds && is_ready(fd) && !read_more(server, fd);
	return NULL;
}

static void server_start(struct server *server)
{
	struct pl_err err = PL_ERR_INIT;

	assert_int_equal(io_addr_resolve("127.0.0.1", 0, &server->addr, &err), 0);
	assert_int_equal(io_sock_listen(&server->addr, 16, &server->listener, &err), 0);
	assert_int_equal(io_sock_local(server->listener, &server->addr, &err), 0);
	assert_int_equal(pthread_create(&server->thread, NULL, serve, server), 0);
}

static void server_stop(struct server *server)
{
	assert_int_equal(pthread_join(server->thread, NULL), 0);
	close(server->listener);
}

static struct io_fetch ask_for(const struct io_addr *addr, const char *path)
{
	return (struct io_fetch){ .addr = addr,
				  .host = "x",
				  .path = path,
				  .headers = "A: b\r\n",
				  .timeout_ns = 5 * PL_NS_PER_S };
}

static bool probe(struct server *server)
{
	server_start(server);
	const struct io_fetch fetch = ask_for(&server->addr, "/p/health");
	bool may_wait = io_acks_may_wait(&fetch);
	server_stop(server);
	return may_wait;
}

/* Each of three requests in one segment, and all alike. */
static void check_asked(const struct server *server)
{
	size_t one = server->asked_len / REQUESTS;

	assert_int_equal(count_requests(server), REQUESTS);
	assert_int_equal(server->asked_len, REQUESTS * one);
	assert_memory_equal(server->requested, "GET /p/health HTTP/1.1\r\nHost: x\r\n", 33);
	assert_non_null(strstr(server->requested, "\r\nA: b\r\n"));
	assert_null(strstr(server->requested, "close"));
	for (size_t i = 1; i < REQUESTS; i++)
		assert_memory_equal(server->requested, server->requested + i * one, one);
}

static void test_io_acks__a_server_that_does_not_mind(void **state)
{
	bool seen = false;

	(void)state;
	/* stopped for 40 ms between two answers we acknowledge: once in ten */
	for (int i = 0; i < 10 && !seen; i++) {
		struct server server = { .answer = ANSWER, .answers = REQUESTS };
		seen = probe(&server);
		check_asked(&server);
	}
	assert_true(seen);
}

static void test_io_acks__what_shows_nothing(void **state)
{
	static const struct server rows[] = {
		{ .answer = ANSWER, .answers = REQUESTS, .nagle = true },
		{ .answer = "HTTP/1.1 200 OK\r\n", .answers = REQUESTS, .nagle = true },
		{ .answer = ANSWER, .answers = 1 },
		{ .answer = "SSH-2.0-OpenSSH\r\n", .answers = 1 },
		{ .answers = 0 },
	};

	(void)state;
	for (size_t i = 0; i < PL_ARRAY_SIZE(rows); i++) {
		struct server server = rows[i];
		if (probe(&server))
			fail_msg("row %zu", i);
		check_asked(&server);
	}
}

/* Once a server has answered, a pause ends the probe, not the limit of the exchange. */
static void test_io_acks__a_server_that_falls_silent(void **state)
{
	struct server server = { .answer = ANSWER, .answers = 1, .holds = true };

	(void)state;
	server_start(&server);
	struct io_fetch fetch = ask_for(&server.addr, "/p/health");
	fetch.timeout_ns = 1000 * PL_NS_PER_S;
	(void)io_acks_may_wait(&fetch);
	server_stop(&server);
	assert_true(server.client_left);
	check_asked(&server);
}

static void test_io_acks__without_a_kernel_interface(void **state)
{
	struct pl_err err = PL_ERR_INIT;
	atomic_int stop = 1;
	struct io_addr addr;
	int fd;

	(void)state;
	/* one that listens and never accepts: what ends the wait is the time, or a wish */
	assert_int_equal(io_addr_resolve("127.0.0.1", 0, &addr, &err), 0);
	assert_int_equal(io_sock_listen(&addr, 16, &fd, &err), 0);
	assert_int_equal(io_sock_local(fd, &addr, &err), 0);
	struct io_fetch fetch = ask_for(&addr, "/health");
	fetch.timeout_ns = PL_NS_PER_MS;
	assert_false(io_acks_may_wait(&fetch));
	fetch.timeout_ns = 1000 * PL_NS_PER_S;
	fetch.stop_signal = &stop;
	assert_false(io_acks_may_wait(&fetch));
	fetch.stop_signal = NULL;
	fetch.path = "/no path";
	assert_false(io_acks_may_wait(&fetch));
	fetch.path = "/health";
	close(fd);
	assert_false(io_acks_may_wait(&fetch));
	assert_int_equal(io_addr_unix("/nowhere", &addr, &err), 0);
	assert_false(io_acks_may_wait(&fetch));
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_io_acks__a_server_that_does_not_mind),
		cmocka_unit_test(test_io_acks__what_shows_nothing),
		cmocka_unit_test(test_io_acks__a_server_that_falls_silent),
		cmocka_unit_test(test_io_acks__without_a_kernel_interface),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
