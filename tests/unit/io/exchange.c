/* A connection that rests between two exchanges, and a server in the same thread. */
#include "io/exchange.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/clock.h"

#define STEP_NS 1000000
#define STEPS   5000

struct pair {
	struct io_loop *loop;
	struct io_exchange *exchange;
	struct io_addr addr;
	struct io_reply reply;
	int listen;
	int finished;
	bool failed;
};

static void on_over(void *data, const struct pl_err *failure)
{
	struct pair *pair = data;

	pair->finished++;
	pair->failed = failure != NULL;
}

static int setup(void **state)
{
	static struct pair pair;
	struct io_addr addr;
	struct pl_err err = PL_ERR_INIT;

	pair = (struct pair){ .listen = -1 };
	assert_int_equal(io_loop_new(&pair.loop, &err), 0);
	assert_int_equal(io_addr_resolve("127.0.0.1", 0, &addr, &err), 0);
	assert_int_equal(io_sock_listen(&addr, 4, &pair.listen, &err), 0);
	assert_int_equal(io_sock_local(pair.listen, &pair.addr, &err), 0);
	pair.exchange = io_exchange_new(pair.loop, true, on_over, &pair);
	*state = &pair;
	return 0;
}

static int teardown(void **state)
{
	struct pair *pair = *state;

	io_exchange_free(pair->exchange);
	io_reply_done(&pair->reply);
	io_loop_free(pair->loop);
	close(pair->listen);
	return 0;
}

static void step(struct pair *pair)
{
	struct pl_err err = PL_ERR_INIT;

	assert_int_equal(io_loop_step(pair->loop, pl_clock_now_ns() + STEP_NS, &err), 0);
}

/* Runs the client until the server's socket has something; what recv() returns. */
static ssize_t receive(struct pair *pair, int fd, char *ret, size_t room)
{
	for (int i = 0; i < STEPS; i++) {
		step(pair);
		ssize_t len = recv(fd, ret, room, MSG_DONTWAIT);
		if (len >= 0 || errno != EAGAIN)
			return len;
	}
	fail_msg("nothing came");
	return -1;
}

static int accepted(struct pair *pair)
{
	for (int i = 0; i < STEPS; i++) {
		step(pair);
		int fd = io_sock_accept(pair->listen);
		if (fd >= 0)
			return fd;
	}
	fail_msg("no connection");
	return -1;
}

static void begin(struct pair *pair, struct io_fetch *fetch)
{
	struct pl_err err = PL_ERR_INIT;

	*fetch = (struct io_fetch){ .addr = &pair->addr, .path = "/" };
	assert_int_equal(io_exchange_begin(pair->exchange, fetch, &pair->reply, &err), 0);
}

static void answer(struct pair *pair, int fd)
{
	static const char text[] = "HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\na";
	int before = pair->finished;
	char request[4096];

	assert_true(receive(pair, fd, request, sizeof(request)) > 0);
	assert_int_equal(send(fd, text, strlen(text), 0), strlen(text));
	for (int i = 0; i < STEPS && pair->finished == before; i++)
		step(pair);
	assert_int_equal(pair->finished, before + 1);
	assert_false(pair->failed);
}

static void test_io_exchange__a_connection_stays(void **state)
{
	struct pair *pair = *state;
	struct io_fetch fetch;

	begin(pair, &fetch);
	int fd = accepted(pair);
	answer(pair, fd);
	begin(pair, &fetch);
	answer(pair, fd);
	close(fd);
}

/* Bytes that arrive without a request are not a response to the next one. */
static void test_io_exchange__bytes_between_exchanges_end_the_connection(void **state)
{
	struct pair *pair = *state;
	struct io_fetch fetch;
	char byte;

	begin(pair, &fetch);
	int fd = accepted(pair);
	answer(pair, fd);
	assert_int_equal(send(fd, "HTTP/1.1 200 OK\r\n\r\n", 19, 0), 19);
	assert_int_equal(receive(pair, fd, &byte, 1), 0);
	close(fd);
	begin(pair, &fetch);
	fd = accepted(pair);
	answer(pair, fd);
	close(fd);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_io_exchange__a_connection_stays, setup,
						teardown),
		cmocka_unit_test_setup_teardown(
			test_io_exchange__bytes_between_exchanges_end_the_connection, setup,
			teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
