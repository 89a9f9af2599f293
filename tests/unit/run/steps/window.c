#include "run/steps/window.h"

#include <fcntl.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/clock.h"
#include "base/text.h"
#include "run/stop.h"
#include "run/target.h"

/* Whatever fails ends by this, and not by a wish. */
#define LONG_NS (60 * PL_NS_PER_S)

/* A server that never comes to rest: one request runs on each page. */
struct busy {
	int listen_fd;
	pthread_t thread;
	struct io_addr addr;
	struct run_stop *stop; /* once asked it wishes for the end, and answers nothing */
	int requested;         /* read after busy_stop() */
};

static void *serve(void *data)
{
	static const char page[] = "HTTP/1.1 200 OK\r\ncontent-length: 56\r\n\r\n"
				   "vllm:num_requests_running 1\n"
				   "vllm:num_requests_waiting 0\n";
	struct busy *busy = data;
	char request[4096];
	int fd;

	while ((fd = accept(busy->listen_fd, NULL, NULL)) >= 0) {
		/* the client may have given up before it asked */
		bool asks = recv(fd, request, sizeof(request), 0) > 0;
		busy->requested += asks;
		if (asks && busy->stop != NULL) {
			run_stop_by_signal(busy->stop, SIGINT);
			/* until the client has closed it */
			asks = recv(fd, request, sizeof(request), 0) > 0;
		}
		if (asks)
			(void)!send(fd, page, sizeof(page) - 1, MSG_NOSIGNAL);
		close(fd);
	}
	return NULL;
}

static struct run_target busy_start(struct busy *busy, struct run_stop *wished_by_it,
				    const struct run_stop *stop)
{
	struct pl_err err = PL_ERR_INIT;
	struct io_addr any;

	*busy = (struct busy){ .stop = wished_by_it };
	assert_int_equal(io_addr_resolve("127.0.0.1", 0, &any, &err), 0);
	assert_int_equal(io_sock_listen(&any, 32, &busy->listen_fd, &err), 0);
	assert_int_equal(io_sock_local(busy->listen_fd, &busy->addr, &err), 0);
	fcntl(busy->listen_fd, F_SETFL, fcntl(busy->listen_fd, F_GETFL) & ~O_NONBLOCK);
	assert_int_equal(pthread_create(&busy->thread, NULL, serve, busy), 0);
	return (struct run_target){ .addr = busy->addr, .prefix = pl_strdup(""), .stop = stop };
}

static void busy_stop(struct busy *busy, struct run_target *target)
{
	shutdown(busy->listen_fd, SHUT_RDWR);
	pthread_join(busy->thread, NULL);
	close(busy->listen_fd);
	run_target_done(target);
}

static void test_run_steps_window__a_stop_takes_effect_at_once(void **state)
{
	struct run_stop none = { 0 }, requested = { 0 };
	struct host_metrics_sample sample;
	struct busy busy;

	(void)state;
	/* a second is given to a server that has not come to rest */
	struct run_target target = busy_start(&busy, NULL, &none);
	run_window_settled(&target, &sample, NULL);
	busy_stop(&busy, &target);
	assert_true(sample.known);
	assert_in_range(busy.requested, 2, 1000);
	/* and nothing but its word where the run was asked to end */
	run_stop_by_signal(&requested, SIGINT);
	target = busy_start(&busy, NULL, &requested);
	run_window_settled(&target, &sample, NULL);
	busy_stop(&busy, &target);
	assert_true(sample.known);
	assert_int_equal(busy.requested, 1);
}

static void test_run_steps_window__open_requests_are_abandoned(void **state)
{
	struct run_stop stop = { 0 };
	struct host_metrics_sample sample;
	struct pl_err err = PL_ERR_INIT;
	auto_reply reply = { 0 };
	struct busy busy;

	(void)state;
	struct run_target target = busy_start(&busy, &stop, &stop);
	run_window_settled(&target, &sample, NULL);
	assert_false(sample.known);
	stop = (struct run_stop){ 0 };
	assert_int_equal(run_target_fetch(&target, "/x", LONG_NS, &reply, &err), -1);
	assert_int_equal(err.code, PL_ERR_INTERRUPTED);
	/* a second request gets no response either */
	run_stop_by_signal(&stop, SIGINT);
	assert_int_equal(run_target_fetch(&target, "/x", LONG_NS, &reply, &err), -1);
	assert_int_equal(err.code, PL_ERR_INTERRUPTED);
	busy_stop(&busy, &target);
	/* after the first stop request, a request has half a second; without a stop request, it
	 * has all its time */
	stop = (struct run_stop){ .reason = SIGINT };
	target.stop = &stop;
	assert_int_equal(run_target_patience(&target, LONG_NS).timeout_ns, PL_NS_PER_S / 2);
	assert_int_equal(run_target_patience(&target, 1).timeout_ns, 1);
	target.stop = NULL;
	assert_int_equal(run_target_patience(&target, LONG_NS).timeout_ns, LONG_NS);
	assert_null(run_target_patience(&target, LONG_NS).stop_signal);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_run_steps_window__a_stop_takes_effect_at_once),
		cmocka_unit_test(test_run_steps_window__open_requests_are_abandoned),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
