/* Whether a read's bytes came in one segment, over real connections of TCP. */
#include "bench/load/segments.h"

#include <errno.h>
#include <poll.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cmocka.h>

#include "bench/load/stamps.h"
#include "io/sock.h"

struct line {
	int listener;
	int here;
	int there;
	struct bench_segments segments;
};

static void line_open(struct line *line)
{
	struct pl_err err = PL_ERR_INIT;
	struct io_addr addr;

	*line = (struct line){ .listener = -1 };
	assert_int_equal(io_addr_resolve("127.0.0.1", 0, &addr, &err), 0);
	assert_int_equal(io_sock_listen(&addr, 1, &line->listener, &err), 0);
	assert_int_equal(io_sock_local(line->listener, &addr, &err), 0);
	assert_int_equal(io_sock_connect(&addr, &line->here, &err), 0);
	struct pollfd waits = { .fd = line->listener, .events = POLLIN };
	assert_int_equal(poll(&waits, 1, 10000), 1);
	line->there = io_sock_accept(line->listener);
	assert_true(line->there >= 0);
}

static void line_close(struct line *line)
{
	close(line->here);
	close(line->there);
	close(line->listener);
}

static void send_one(const struct line *line, size_t len)
{
	static const char bytes[64];

	assert_int_equal(write(line->there, bytes, len), len);
}

/* On loopback the data has arrived when write() returns. */
static void read_some(struct line *line, size_t room, size_t expected)
{
	char bytes[64];
	int64_t stamp_ns;
	struct pollfd waits = { .fd = line->here, .events = POLLIN };

	assert_int_equal(poll(&waits, 1, 10000), 1);
	assert_int_equal(io_sock_recv(line->here, bytes, room, &stamp_ns), expected);
	bench_segments_read(&line->segments, expected, expected == room);
}

static bool was_one(struct line *line)
{
	return bench_segments_was_one(&line->segments, line->here);
}

static void test_segments__one_alone(void **state)
{
	struct line line;

	(void)state;
	line_open(&line);
	send_one(&line, 30);
	read_some(&line, 64, 30);
	assert_true(was_one(&line));
	/* reads without a new request */
	for (int i = 0; i < 3; i++) {
		send_one(&line, 10);
		read_some(&line, 64, 10);
	}
	assert_true(was_one(&line));
	line_close(&line);
}

static void test_segments__two_in_a_read(void **state)
{
	struct line line;

	(void)state;
	line_open(&line);
	send_one(&line, 10);
	send_one(&line, 10);
	read_some(&line, 64, 20);
	assert_false(was_one(&line));
	/* that is known now */
	send_one(&line, 10);
	read_some(&line, 64, 10);
	assert_true(was_one(&line));
	/* two in such a read make the next one doubtful */
	send_one(&line, 10);
	send_one(&line, 10);
	read_some(&line, 64, 20);
	send_one(&line, 10);
	read_some(&line, 64, 10);
	assert_false(was_one(&line));
	line_close(&line);
}

static void test_segments__one_in_two_reads_hides_no_other(void **state)
{
	struct line line;

	(void)state;
	line_open(&line);
	send_one(&line, 20);
	read_some(&line, 10, 10);
	read_some(&line, 64, 10);
	send_one(&line, 10);
	send_one(&line, 10);
	read_some(&line, 64, 20);
	/* three segments in three reads, and yet two in the last */
	assert_false(was_one(&line));
	line_close(&line);
}

static void test_segments__unread_bytes(void **state)
{
	struct line line;

	(void)state;
	line_open(&line);
	send_one(&line, 10);
	read_some(&line, 64, 10);
	send_one(&line, 10);
	/* the second segment is counted and not read */
	assert_false(was_one(&line));
	send_one(&line, 10);
	read_some(&line, 64, 20);
	assert_false(was_one(&line));
	send_one(&line, 10);
	read_some(&line, 64, 10);
	assert_true(was_one(&line));
	line_close(&line);
}

static void test_segments__no_tcp(void **state)
{
	struct line line = { .here = -1 };

	(void)state;
	bench_segments_read(&line.segments, 10, false);
	assert_false(was_one(&line));
}

#define HEAD  "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
#define EVENT "9\r\ndata: a\n\n\r\n"
#define CRLF  "c\r\ndata: a\r\n\r\n\r\n"
#define PLAIN "data: a\n\n"

/* The data of one write, and how much of it to read first; 0: all. */
static const struct {
	const char *parts[4];
	size_t first;
} apart_cases[] = {
	{ { EVENT }, 0 },
	{ { EVENT EVENT }, 0 },
	{ { HEAD, EVENT, EVENT }, sizeof(HEAD) - 1 },
	{ { EVENT, EVENT, "0\r\n\r\n" }, sizeof(EVENT) - 1 },
	{ { CRLF, CRLF }, sizeof(CRLF) - 1 },
	{ { PLAIN, PLAIN }, sizeof(PLAIN) - 1 },
	/* two at once, then one */
	{ { EVENT EVENT, EVENT }, 2 * (sizeof(EVENT) - 1) },
	/* one in two pieces, then one */
	{ { "9\r\ndata", ": a\n\n\r\n", EVENT }, sizeof(EVENT) - 1 },
	/* the end of one comes with the next */
	{ { "9\r\ndata: a\n", "\n\r\n" EVENT }, 0 },
	{ { "data: a", ": b", "\n" }, 0 },
};

/* How much to read first of what was written so; 0: all. */
static size_t first_of(const char *const parts[4])
{
	char room[256];
	struct line line;
	size_t len = 0;
	int64_t stamp_ns, last_ns;

	line_open(&line);
	assert_int_equal(write(line.here, "?", 1), 1);
	io_sock_delay_acks(line.here);
	for (int i = 0; i < 4 && parts[i] != NULL; i++) {
		assert_int_equal(write(line.there, parts[i], strlen(parts[i])), strlen(parts[i]));
		len += strlen(parts[i]);
	}
	last_ns = io_sock_stamp_at(line.here, room, len);
	ssize_t first = bench_segments_first(line.here, room, sizeof(room));
	/* nothing was taken */
	assert_int_equal(io_sock_recv(line.here, room, sizeof(room), &stamp_ns), len);
	assert_int_equal(stamp_ns, last_ns);
	line_close(&line);
	assert_true(first > 0);
	return first == sizeof(room) ? 0 : (size_t)first;
}

/*
 * A kernel that had 40 ms between two writes has acknowledged the first, and put the second to it:
 * then more is read at once, never less.
 */
static void test_segments__to_be_read_apart(void **state)
{
	int held = bench_stamps_switch_on();

	(void)state;
	for (size_t i = 0; i < sizeof(apart_cases) / sizeof(apart_cases[0]); i++) {
		size_t first = 0;
		for (int tries = 0; tries < 20; tries++) {
			first = first_of(apart_cases[i].parts);
			if (first == apart_cases[i].first)
				break;
			assert_true(first == 0 || first > apart_cases[i].first);
		}
		assert_int_equal(first, apart_cases[i].first);
	}
	if (held >= 0)
		close(held);
}

static void test_segments__nothing_to_read(void **state)
{
	struct linger hard = { .l_onoff = 1 };
	char room[64];
	struct line line;

	(void)state;
	line_open(&line);
	shutdown(line.there, SHUT_WR);
	assert_int_equal(bench_segments_first(line.here, room, sizeof(room)), 0);
	line_close(&line);
	line_open(&line);
	setsockopt(line.there, SOL_SOCKET, SO_LINGER, &hard, sizeof(hard));
	close(line.there);
	line.there = -1;
	assert_int_equal(bench_segments_first(line.here, room, sizeof(room)), -1);
	assert_int_equal(errno, ECONNRESET);
	line_close(&line);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_segments__one_alone),
		cmocka_unit_test(test_segments__two_in_a_read),
		cmocka_unit_test(test_segments__one_in_two_reads_hides_no_other),
		cmocka_unit_test(test_segments__unread_bytes),
		cmocka_unit_test(test_segments__no_tcp),
		cmocka_unit_test(test_segments__to_be_read_apart),
		cmocka_unit_test(test_segments__nothing_to_read),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
