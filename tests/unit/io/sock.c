#include "io/sock.h"

#include <errno.h>
#include <fcntl.h>
#include <ifaddrs.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/clock.h"
#include "base/scratch.h"

/* A listener and one connection to it. */
struct pair {
	int listener;
	int client;
	int server;
	struct io_addr addr;
};

static void wait_for(int fd, short events)
{
	struct pollfd poll_fd = { .fd = fd, .events = events };

	assert_int_equal(poll(&poll_fd, 1, 10000), 1);
}

static int listen_loopback(struct io_addr *addr)
{
	struct pl_err err = PL_ERR_INIT;
	int fd = -1;

	assert_int_equal(io_addr_resolve("127.0.0.1", 0, addr, &err), 0);
	assert_int_equal(io_sock_listen(addr, 16, &fd, &err), 0);
	assert_int_equal(io_sock_local(fd, addr, &err), 0);
	return fd;
}

static void pair_connect(struct pair *pair)
{
	struct pl_err err = PL_ERR_INIT;

	assert_int_equal(io_sock_connect(&pair->addr, &pair->client, &err), 0);
	wait_for(pair->client, POLLOUT);
	assert_int_equal(io_sock_connect_result(pair->client), 0);
	wait_for(pair->listener, POLLIN);
	pair->server = io_sock_accept(pair->listener);
	assert_true(pair->server >= 0);
}

static void pair_open(struct pair *pair)
{
	pair->listener = listen_loopback(&pair->addr);
	pair_connect(pair);
}

static void pair_close(struct pair *pair)
{
	close(pair->server);
	close(pair->client);
	close(pair->listener);
}

static void test_io_sock__addresses_as_text(void **state)
{
	static const struct {
		const char *host;
		const char *text;
	} rows[] = {
		{ "127.0.0.1", "127.0.0.1:8000" },
		{ "::1", "[::1]:8000" },
		{ "[::1]", "[::1]:8000" },
		{ "0.0.0.0", "0.0.0.0:8000" },
	};

	(void)state;
	for (size_t i = 0; i < PL_ARRAY_SIZE(rows); i++) {
		struct pl_err err = PL_ERR_INIT;
		struct io_addr addr;
		char text[64];
		assert_int_equal(io_addr_resolve(rows[i].host, 8000, &addr, &err), 0);
		io_addr_text(&addr, text, sizeof(text));
		assert_string_equal(text, rows[i].text);
		assert_int_equal(io_addr_port(&addr), 8000);
	}
}

static void test_io_sock__addresses_of_this_host(void **state)
{
	static const struct {
		const char *host;
		bool is_here;
	} cases[] = { { "127.0.0.1", true },
		      { "127.9.9.9", true },
		      { "0.0.0.0", true },
		      { "::1", true },
		      { "::", true },
		      { "::ffff:127.0.0.1", true },
		      { "::ffff:192.0.2.1", false },
		      { "192.0.2.1", false },
		      { "2001:db8::1", false } };
	struct ifaddrs *all = NULL;
	struct io_addr addr;

	(void)state;
	for (size_t i = 0; i < PL_ARRAY_SIZE(cases); i++) {
		assert_int_equal(io_addr_resolve(cases[i].host, 80, &addr, PL_ERR_IGNORED), 0);
		assert_int_equal(io_addr_is_here(&addr), cases[i].is_here);
	}
	assert_int_equal(io_addr_unix("/tmp/server", &addr, PL_ERR_IGNORED), 0);
	assert_true(io_addr_is_here(&addr));
	/* a name without an address */
	assert_false(io_addr_is_here(&(struct io_addr){ 0 }));

	assert_int_equal(getifaddrs(&all), 0);
	for (const struct ifaddrs *at = all; at != NULL; at = at->ifa_next) {
		addr = (struct io_addr){ 0 };
		if (at->ifa_addr == NULL || at->ifa_addr->sa_family != AF_INET)
			continue;
		memcpy(&addr.u.v4, at->ifa_addr, sizeof(addr.u.v4));
		addr.u.v4.sin_port = htons(8000);
		assert_true(io_addr_is_here(&addr));
	}
	freeifaddrs(all);
}

/* Whatever this host's own names are: IPv4 first, none twice, as many as there is room for. */
static void test_io_sock__all_addresses_of_a_name(void **state)
{
	struct pl_err err = PL_ERR_INIT;
	struct io_addr all[8], first;
	size_t count, less;

	(void)state;
	assert_int_equal(io_addr_resolve_all("localhost", 8000, all, 8, &count, &err), 0);
	assert_in_range(count, 1, 8);
	for (size_t i = 0; i < count; i++) {
		assert_int_equal(io_addr_port(&all[i]), 8000);
		assert_null(all[i].tls);
		if (i > 0)
			assert_false(all[i].u.any.sa_family == AF_INET &&
				     all[i - 1].u.any.sa_family != AF_INET);
		for (size_t k = 0; k < i; k++)
			assert_false(all[i].len == all[k].len &&
				     memcmp(&all[i].u, &all[k].u, all[i].len) == 0);
	}
	assert_int_equal(io_addr_resolve("localhost", 8000, &first, &err), 0);
	assert_memory_equal(&first.u, &all[0].u, first.len);
	assert_int_equal(io_addr_resolve_all("localhost", 8000, all, 1, &less, &err), 0);
	assert_int_equal(less, 1);
	assert_memory_equal(&first.u, &all[0].u, first.len);
}

static void test_io_sock__bad_hosts(void **state)
{
	static const char *const hosts[] = { "", "[]", "a..b" };
	char longest[400];

	(void)state;
	for (size_t i = 0; i < PL_ARRAY_SIZE(hosts); i++) {
		struct pl_err err = PL_ERR_INIT;
		struct io_addr addr;
		assert_int_equal(io_addr_resolve(hosts[i], 1, &addr, &err), -1);
		assert_true(err.code == PL_ERR_INVALID || err.code == PL_ERR_NETWORK);
	}
	struct pl_err err = PL_ERR_INIT;
	struct io_addr addr;
	memset(longest, 'a', sizeof(longest) - 1);
	longest[sizeof(longest) - 1] = '\0';
	assert_int_equal(io_addr_resolve(longest, 1, &addr, &err), -1);
	assert_int_equal(err.code, PL_ERR_INVALID);
}

static void test_io_sock__both_ends_are_set_up(void **state)
{
	struct pair pair;

	(void)state;
	pair_open(&pair);
	const int fds[] = { pair.client, pair.server };
	for (size_t i = 0; i < PL_ARRAY_SIZE(fds); i++) {
		int on = 0;
		socklen_t len = sizeof(on);
		assert_true(fcntl(fds[i], F_GETFL) & O_NONBLOCK);
		assert_true(fcntl(fds[i], F_GETFD) & FD_CLOEXEC);
		assert_int_equal(getsockopt(fds[i], IPPROTO_TCP, TCP_NODELAY, &on, &len), 0);
		assert_int_equal(on, 1);
	}
	assert_true(fcntl(pair.listener, F_GETFL) & O_NONBLOCK);
	assert_true(fcntl(pair.listener, F_GETFD) & FD_CLOEXEC);
	assert_int_equal(io_sock_accept(pair.listener), -1);
	assert_int_equal(errno, EAGAIN);
	pair_close(&pair);
}

static void test_io_sock__reading(void **state)
{
	struct pair pair;
	int64_t stamp_ns = -1;
	char data[16];

	(void)state;
	pair_open(&pair);
	assert_int_equal(io_sock_recv(pair.client, data, sizeof(data), &stamp_ns), -1);
	assert_int_equal(errno, EAGAIN);
	assert_true(stamp_ns == 0);
	assert_int_equal(write(pair.server, "hello", 5), 5);
	wait_for(pair.client, POLLIN);
	assert_int_equal(io_sock_recv(pair.client, data, 3, &stamp_ns), 3);
	assert_memory_equal(data, "hel", 3);
	assert_int_equal(io_sock_recv(pair.client, data, sizeof(data), &stamp_ns), 2);
	shutdown(pair.server, SHUT_WR);
	wait_for(pair.client, POLLIN);
	assert_int_equal(io_sock_recv(pair.client, data, sizeof(data), &stamp_ns), 0);
	pair_close(&pair);
}

/*
 * The kernel turns stamping on a moment after the first socket asks for it, so the first segments
 * may come without; from then on each has one, between the send and the read.
 */
static void test_io_sock__kernel_stamps(void **state)
{
	struct pair pair;
	int64_t stamp_ns = 0;
	int64_t give_up_ns = pl_clock_now_ns() + 10 * PL_NS_PER_S;

	(void)state;
	pair_open(&pair);
	while (stamp_ns == 0 && pl_clock_now_ns() < give_up_ns) {
		char c = 'x';
		int64_t before_ns = pl_clock_real_ns();
		assert_int_equal(write(pair.server, &c, 1), 1);
		wait_for(pair.client, POLLIN);
		assert_int_equal(io_sock_recv(pair.client, &c, 1, &stamp_ns), 1);
		if (stamp_ns == 0)
			continue;
		assert_true(stamp_ns >= before_ns);
		assert_true(stamp_ns <= pl_clock_real_ns());
	}
	assert_true(stamp_ns > 0);
	pair_close(&pair);
}

/* Each stamp is between the call of write() and the following read, and is returned once. */
static void test_io_sock__stamps_of_sends(void **state)
{
	struct pair pair;

	(void)state;
	pair_open(&pair);
	io_sock_stamp_sends(pair.client);
	assert_int_equal(io_sock_sent_stamp(pair.client), 0);
	for (int i = 0; i < 3; i++) {
		struct pollfd notice = { .fd = pair.client };
		char c = 'x';
		int64_t before_ns = pl_clock_real_ns();
		assert_int_equal(write(pair.client, &c, 1), 1);
		wait_for(pair.server, POLLIN);
		int64_t after_ns = pl_clock_real_ns();
		assert_int_equal(poll(&notice, 1, 10000), 1);
		assert_int_equal(notice.revents & POLLERR, POLLERR);
		int64_t stamp_ns = io_sock_sent_stamp(pair.client);
		assert_in_range(stamp_ns, before_ns, after_ns);
		assert_int_equal(poll(&notice, 1, 0), 0);
		assert_int_equal(io_sock_sent_stamp(pair.client), 0);
		assert_int_equal(read(pair.server, &c, 1), 1);
	}
	pair_close(&pair);
}

static void test_io_sock__port_in_use(void **state)
{
	struct pl_err err = PL_ERR_INIT;
	struct io_addr addr;
	int listener = listen_loopback(&addr);
	int second = -1;
	char text[64];

	(void)state;
	assert_true(io_addr_port(&addr) != 0);
	assert_int_equal(io_sock_listen(&addr, 16, &second, &err), -1);
	assert_int_equal(err.code, PL_ERR_BUSY);
	io_addr_text(&addr, text, sizeof(text));
	assert_non_null(strstr(err.text, text));
	assert_int_equal(second, -1);
	close(listener);
	/* free at once, whatever connections it had */
	assert_int_equal(io_sock_listen(&addr, 16, &second, &err), 0);
	close(second);
}

static void test_io_sock__a_closed_port(void **state)
{
	struct pl_err err = PL_ERR_INIT;
	struct io_addr addr;
	int fd = -1;

	(void)state;
	close(listen_loopback(&addr));
	if (io_sock_connect(&addr, &fd, &err) < 0) {
		assert_int_equal(err.code, PL_ERR_NETWORK);
		return;
	}
	wait_for(fd, POLLOUT);
	assert_int_equal(io_sock_connect_result(fd), ECONNREFUSED);
	close(fd);
}

static void test_io_sock__a_listener_that_drops_new_ones(void **state)
{
	struct pl_err err = PL_ERR_INIT;
	struct pair pair;
	int waiting = -1, late = -1;
	char c;

	(void)state;
	pair_open(&pair);
	/* connected, not accepted yet */
	assert_int_equal(io_sock_connect(&pair.addr, &waiting, &err), 0);
	wait_for(waiting, POLLOUT);
	io_sock_drop_new(pair.listener);
	assert_int_equal(io_sock_connect(&pair.addr, &late, &err), 0);
	assert_int_equal(poll(&(struct pollfd){ .fd = late, .events = POLLOUT }, 1, 100), 0);

	close(pair.server);
	wait_for(pair.listener, POLLIN);
	pair.server = io_sock_accept(pair.listener);
	assert_true(pair.server >= 0);
	assert_int_equal(write(waiting, "x", 1), 1);
	wait_for(pair.server, POLLIN);
	assert_int_equal(read(pair.server, &c, 1), 1);
	assert_int_equal(io_sock_accept(pair.listener), -1);
	/* the next attempt of its kernel finds no listener */
	assert_int_equal(shutdown(pair.listener, SHUT_RDWR), 0);
	wait_for(late, POLLOUT);
	assert_int_equal(io_sock_connect_result(late), ECONNREFUSED);
	close(waiting);
	close(late);
	pair_close(&pair);
}

static void test_io_sock__unix_sockets(void **state)
{
	char folder[SCRATCH_PATH];
	struct pl_err err = PL_ERR_INIT;
	struct pair pair;
	int64_t stamp_ns;
	char text[256];
	char c;

	(void)state;
	scratch_folder(folder);
	auto_free char *path = pl_asprintf("%s/s", folder);
	assert_int_equal(io_addr_unix(path, &pair.addr, &err), 0);
	io_addr_text(&pair.addr, text, sizeof(text));
	assert_int_equal(strncmp(text, "unix:", 5), 0);
	assert_string_equal(text + 5, path);
	assert_int_equal(io_addr_port(&pair.addr), 0);
	assert_int_equal(io_sock_listen(&pair.addr, 16, &pair.listener, &err), 0);
	pair_connect(&pair);
	assert_int_equal(write(pair.client, "x", 1), 1);
	wait_for(pair.server, POLLIN);
	assert_int_equal(io_sock_recv(pair.server, &c, 1, &stamp_ns), 1);
	assert_int_equal(c, 'x');

	struct io_addr own;
	assert_int_equal(io_sock_local(pair.client, &own, &err), 0);
	io_addr_text(&own, text, sizeof(text));
	assert_string_equal(text, "unix:");
	int second;
	assert_int_equal(io_sock_listen(&pair.addr, 16, &second, &err), -1);
	assert_int_equal(err.code, PL_ERR_BUSY);
	pair_close(&pair);
}

#define SMALL_BYTES 100

/* One after the other, each read before the next is sent; what the client's kernel counted. */
static bool sends_unacked(struct pair *pair, size_t count, size_t bytes)
{
	char *data = calloc(1, bytes);
	struct io_segments from, to;
	int64_t stamp_ns;

	assert_int_equal(write(pair->client, "?", 1), 1);
	wait_for(pair->server, POLLIN);
	for (size_t i = 0; i < count; i++) {
		assert_int_equal(write(pair->server, data, bytes), (ssize_t)bytes);
		for (size_t got = 0; got < bytes;) {
			wait_for(pair->client, POLLIN);
			ssize_t len = io_sock_recv(pair->client, data, bytes - got, &stamp_ns);
			assert_true(len > 0);
			got += (size_t)len;
		}
		if (i > 0)
			continue;
		io_sock_delay_acks(pair->client);
		assert_true(io_sock_segments(pair->client, &from));
	}
	free(data);
	assert_true(io_sock_segments(pair->client, &to));
	assert_true(to.bytes_received - from.bytes_received == (count - 1) * bytes);
	return io_segments_came_unacked(&from, &to);
}

static void test_io_sock__does_the_peer_wait_for_acks(void **state)
{
	struct pair pair;
	int off = 0;

	(void)state;
	/* stopped for 40 ms within, we acknowledge each segment at once ever after: once in ten */
	bool seen = false;
	for (int i = 0; i < 10 && !seen; i++) {
		pair_open(&pair);
		seen = sends_unacked(&pair, 8, SMALL_BYTES);
		pair_close(&pair);
	}
	assert_true(seen);
	/* by Nagle's algorithm it does; full segments go out without */
	pair_open(&pair);
	assert_int_equal(setsockopt(pair.server, IPPROTO_TCP, TCP_NODELAY, &off, sizeof(off)), 0);
	assert_false(sends_unacked(&pair, 8, SMALL_BYTES));
	pair_close(&pair);
	pair_open(&pair);
	assert_int_equal(setsockopt(pair.server, IPPROTO_TCP, TCP_NODELAY, &off, sizeof(off)), 0);
	assert_false(sends_unacked(&pair, 4, 400000));
	pair_close(&pair);
}

static void test_io_sock__segments_and_acks(void **state)
{
	/* after 5 segments sent, 8 with data received, 3,000 bytes */
	static const struct {
		struct io_segments to;
		bool unacked;
	} rows[] = {
		{ { 5, 8, 3000, 536 }, false },  /* nothing came */
		{ { 5, 9, 3100, 536 }, false },  /* one was under way */
		{ { 5, 10, 3200, 536 }, true },  /* the second waited for nothing */
		{ { 6, 10, 3200, 536 }, false }, /* released by ours */
		{ { 8, 12, 3400, 536 }, false },
		{ { 8, 13, 3500, 536 }, true },
		{ { 5, 12, 3000 + 3 * 1448 + 9, 1448 }, false }, /* three of them full */
		{ { 5, 12, 3000 + 1448 + 300, 1448 }, true },    /* one */
		{ { UINT32_MAX, 10, 3200, 536 }, false },        /* counts that went round */
	};
	const struct io_segments from = { 5, 8, 3000, 536 };

	(void)state;
	for (size_t i = 0; i < PL_ARRAY_SIZE(rows); i++) {
		if (io_segments_came_unacked(&from, &rows[i].to) != rows[i].unacked)
			fail_msg("row %zu", i);
	}
}

static void test_io_sock__segments_are_tcp(void **state)
{
	struct io_segments segments;
	int ends[2];

	(void)state;
	assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, ends), 0);
	assert_false(io_sock_segments(ends[0], &segments));
	io_sock_delay_acks(ends[0]);
	close(ends[0]);
	close(ends[1]);
}

static void test_io_sock__unix_path_must_fit(void **state)
{
	struct pl_err err = PL_ERR_INIT;
	struct io_addr addr;
	char path[200];

	(void)state;
	memset(path, 'a', sizeof(path));
	path[108] = '\0';
	assert_int_equal(io_addr_unix(path, &addr, &err), -1);
	assert_int_equal(err.code, PL_ERR_INVALID);
	path[107] = '\0';
	assert_int_equal(io_addr_unix(path, &addr, &err), 0);
	assert_int_equal(io_addr_unix("", &addr, &err), -1);
}

static void test_io_sock__open_files_limit(void **state)
{
	struct rlimit limit;

	(void)state;
	uint64_t may = io_sock_raise_nofile();
	assert_int_equal(getrlimit(RLIMIT_NOFILE, &limit), 0);
	assert_true(may == limit.rlim_cur);
	assert_true(limit.rlim_cur == limit.rlim_max);
}

/* FDSize of /proc/self/status: how many descriptors the table has room for. */
static unsigned long files_room(void)
{
	FILE *file = fopen("/proc/self/status", "re");
	char line[256];
	unsigned long room = 0;

	assert_non_null(file);
	while (fgets(line, sizeof(line), file) != NULL) {
		if (strncmp(line, "FDSize:", 7) == 0)
			room = strtoul(line + 7, NULL, 10);
	}
	fclose(file);
	return room;
}

static void test_io_sock__room_for_files(void **state)
{
	uint64_t may = io_sock_raise_nofile();
	uint64_t wanted = may / 2;
	int before = dup(STDIN_FILENO);

	(void)state;
	wanted = wanted > 3000 ? 3000 : wanted;
	io_sock_reserve_files(wanted);
	assert_true(files_room() >= wanted);
	if (may <= 1 << 20)
		io_sock_reserve_files(may + 1); /* as far as may be opened, and no failure */
	int after = dup(STDIN_FILENO);
	assert_int_equal(after, before + 1); /* nothing stays open */
	close(before);
	close(after);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_io_sock__addresses_as_text),
		cmocka_unit_test(test_io_sock__addresses_of_this_host),
		cmocka_unit_test(test_io_sock__all_addresses_of_a_name),
		cmocka_unit_test(test_io_sock__bad_hosts),
		cmocka_unit_test(test_io_sock__both_ends_are_set_up),
		cmocka_unit_test(test_io_sock__reading),
		cmocka_unit_test(test_io_sock__kernel_stamps),
		cmocka_unit_test(test_io_sock__stamps_of_sends),
		cmocka_unit_test(test_io_sock__port_in_use),
		cmocka_unit_test(test_io_sock__a_closed_port),
		cmocka_unit_test(test_io_sock__a_listener_that_drops_new_ones),
		cmocka_unit_test(test_io_sock__unix_sockets),
		cmocka_unit_test(test_io_sock__does_the_peer_wait_for_acks),
		cmocka_unit_test(test_io_sock__segments_and_acks),
		cmocka_unit_test(test_io_sock__segments_are_tcp),
		cmocka_unit_test(test_io_sock__unix_path_must_fit),
		cmocka_unit_test(test_io_sock__open_files_limit),
		cmocka_unit_test(test_io_sock__room_for_files),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
