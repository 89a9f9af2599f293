/* Whether a read's bytes came in one segment, over real connections of TCP. */
#include "bench/load/segments.h"

#include <poll.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <unistd.h>

#include <cmocka.h>

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

/* On loopback what was sent is there when write() has returned. */
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
	/* reads of which nobody asked */
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
	/* two in a read of which nobody asked make the next one doubtful */
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

static void test_segments__what_was_not_read_yet(void **state)
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

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_segments__one_alone),
		cmocka_unit_test(test_segments__two_in_a_read),
		cmocka_unit_test(test_segments__one_in_two_reads_hides_no_other),
		cmocka_unit_test(test_segments__what_was_not_read_yet),
		cmocka_unit_test(test_segments__no_tcp),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
