#include "host/sampler.h"

#include <fcntl.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/clock.h"

#define LONG_NS (60 * PL_NS_PER_S)

/* Answers each connection with a page whose counter goes up, then with `bad` ones. */
struct page_server {
	int listen_fd;
	struct io_addr addr;
	pthread_t thread;
	atomic_int served;
	atomic_int bad; /* 1: answer 500 */
};

static void *serve(void *data)
{
	struct page_server *server = data;

	for (;;) {
		char request[4096], page[512];
		int fd = accept(server->listen_fd, NULL, NULL);
		if (fd < 0)
			return NULL;
		ssize_t got = recv(fd, request, sizeof(request), 0);
		int number = atomic_fetch_add(&server->served, 1);
		char body[128];
		int len = snprintf(body, sizeof(body),
				   "vllm:num_requests_running 2\nvllm:request_success_total %d\n",
				   number);
		int page_len = snprintf(
			page, sizeof(page),
			"HTTP/1.1 %s\r\ncontent-length: %d\r\nconnection: close\r\n\r\n%s",
			atomic_load(&server->bad) ? "500 No" : "200 OK", len, body);
		if (got > 0)
			got = send(fd, page, (size_t)page_len, MSG_NOSIGNAL);
		close(fd);
	}
}

static void server_start(struct page_server *server)
{
	struct pl_err err = PL_ERR_INIT;
	struct io_addr any;

	atomic_init(&server->served, 0);
	atomic_init(&server->bad, 0);
	assert_int_equal(io_addr_resolve("127.0.0.1", 0, &any, &err), 0);
	assert_int_equal(io_sock_listen(&any, 16, &server->listen_fd, &err), 0);
	assert_int_equal(io_sock_local(server->listen_fd, &server->addr, &err), 0);
	/* accept() of the thread waits */
	fcntl(server->listen_fd, F_SETFL, fcntl(server->listen_fd, F_GETFL) & ~O_NONBLOCK);
	assert_int_equal(pthread_create(&server->thread, NULL, serve, server), 0);
}

static void server_stop(struct page_server *server)
{
	shutdown(server->listen_fd, SHUT_RDWR);
	pthread_join(server->thread, NULL);
	close(server->listen_fd);
}

static void wait_served(struct page_server *server, int count)
{
	int64_t due_ns = pl_clock_now_ns() + LONG_NS;

	while (atomic_load(&server->served) < count) {
		assert_true(pl_clock_now_ns() < due_ns);
		pl_clock_sleep_until(pl_clock_now_ns() + PL_NS_PER_MS);
	}
}

static void test_host_sampler__samples_in_order(void **state)
{
	(void)state;
	struct page_server server;
	struct host_sampler *sampler = NULL;
	struct pl_err err = PL_ERR_INIT;
	size_t count;

	server_start(&server);
	struct host_sampler_spec spec = { .addr = &server.addr, .interval_ns = 5 * PL_NS_PER_MS };
	assert_int_equal(host_sampler_start(&spec, &sampler, &err), 0);
	wait_served(&server, 5);
	host_sampler_stop(sampler);
	const struct host_metrics_sample *samples = host_sampler_samples(sampler, &count);
	assert_true(count >= 5);
	for (size_t i = 0; i < count; i++) {
		assert_true(samples[i].known);
		assert_true(samples[i].metrics.running == 2);
		assert_true(samples[i].metrics.request_success == (double)i);
		assert_true(samples[i].asked_ns < samples[i].answered_ns);
		assert_true(i == 0 || samples[i].asked_ns >= samples[i - 1].answered_ns);
	}
	host_sampler_stop(sampler);
	host_sampler_free(sampler);
	server_stop(&server);
}

static void test_host_sampler__a_page_that_cannot_be_had_is_a_gap(void **state)
{
	(void)state;
	struct page_server server;
	struct host_sampler *sampler = NULL;
	struct pl_err err = PL_ERR_INIT;
	size_t count;

	server_start(&server);
	atomic_store(&server.bad, 1);
	struct host_sampler_spec spec = { .addr = &server.addr, .interval_ns = 5 * PL_NS_PER_MS };
	assert_int_equal(host_sampler_start(&spec, &sampler, &err), 0);
	wait_served(&server, 2);
	host_sampler_stop(sampler);
	const struct host_metrics_sample *samples = host_sampler_samples(sampler, &count);
	assert_true(count >= 2);
	for (size_t i = 0; i < count; i++)
		assert_false(samples[i].known);
	host_sampler_free(sampler);
	server_stop(&server);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_host_sampler__samples_in_order),
		cmocka_unit_test(test_host_sampler__a_page_that_cannot_be_had_is_a_gap),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
