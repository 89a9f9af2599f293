#include "bench/load/limits.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <errno.h>
#include <sys/epoll.h>
#include <sys/syscall.h>
#include <unistd.h>
#include <cmocka.h>

#include "base/clock.h"
#include "events.h"
#include "io/epoll.h"
#include "play.h"

#define KERNEL_SIGNALS 8 /* bytes of its sigset_t */

/* The calls of every event loop; those of the null adapter's run are its worker's alone. */
static _Atomic bool waits_fail;

static int wait_with(long call, int fd, struct epoll_event *events, int room, long timeout)
{
	if (!waits_fail)
		return (int)syscall(call, fd, events, room, timeout, NULL, KERNEL_SIGNALS);
	errno = EBADF;
	return -1;
}

int epoll_wait(int fd, struct epoll_event *events, int room, int timeout_ms)
{
	return wait_with(SYS_epoll_pwait, fd, events, room, timeout_ms);
}

int io_epoll_pwait2(int fd, struct epoll_event *events, int room, const struct timespec *timeout)
{
	return wait_with(SYS_epoll_pwait2, fd, events, room, (long)timeout);
}

static void connections_are_reused(void **state)
{
	static const char *const orders[] = { "ok 2" };
	struct tiny_server *server = tiny_server_start();
	struct play play = play_new(server, orders, 1, 50);

	(void)state;
	play.load.max_concurrency = 1;
	const struct res_outcome *outcome = play_run(&play);
	assert_int_equal(outcome->end, RES_END_ALL);
	assert_int_equal(outcome->connections, 1);
	assert_int_equal(server->accepted, 1);
	assert_int_equal(server->requests, 50);
	assert_int_equal(server->with_id, 50);
	assert_int_equal(outcome->inflight_peak, 1);
	assert_int_equal(play.progress.tokens, 100);
	for (size_t i = 0; i < 50; i++) {
		const struct res_record *record = &outcome->records[i];
		struct res_event_cursor cursor = res_record_cursor(record);
		struct res_event_at at;
		assert_true(record->ok);
		assert_int_equal(record->status, 200);
		assert_int_equal(record->output_tokens, 2);
		assert_int_equal(record->prompt_tokens, 3);
		assert_int_equal(record->token_source, RES_TOKENS_USAGE);
		assert_string_equal(record->finish_reason, "length");
		assert_int_equal(record->connected_ns == RES_NO_TIME, i > 0);
		assert_int_equal(record->queued_ns == RES_NO_TIME, i == 0);
		assert_true(record->sent_ns >= record->acted_ns);
		assert_true(res_record_next(&cursor, &at));
		assert_int_equal(at.flags & RES_EVENT_COALESCED, 0);
		assert_true(res_record_next(&cursor, &at));
		/* both events were sent in one piece */
		assert_int_equal(at.flags & RES_EVENT_COALESCED, RES_EVENT_COALESCED);
		assert_int_equal(at.flags & RES_EVENT_USER_STAMP, 0);
		assert_false(res_record_next(&cursor, &at));
	}
	play_done(&play);
	tiny_server_stop(server);
}

static void the_cap_is_reached_and_never_passed(void **state)
{
	static const char *const orders[] = { "gate 4" };
	struct tiny_server *server = tiny_server_start();
	struct play play = play_new(server, orders, 1, 40);

	(void)state;
	play.load.max_concurrency = 4;
	const struct res_outcome *outcome = play_run(&play);
	assert_int_equal(play.progress.completed, 40);
	assert_int_equal(outcome->inflight_peak, 4);
	assert_int_equal(outcome->connections, 4);
	assert_int_equal(server->gated_peak, 4);
	for (size_t i = 0; i < 40; i++) {
		const struct res_record *record = &outcome->records[i];
		assert_int_equal(record->queued_ns == RES_NO_TIME, i < 4);
		/* those that wait are served in their order */
		if (i > 0)
			assert_true(record->acted_ns >= outcome->records[i - 1].acted_ns);
	}
	play_done(&play);
	tiny_server_stop(server);
}

static void a_cap_is_split_among_workers(void **state)
{
	static const char *const orders[] = { "gate 192" };
	struct tiny_server *server = tiny_server_start();
	struct play play = play_new(server, orders, 1, 576);

	(void)state;
	play.load.max_concurrency = 192;
	play.load.threads = 8;
	const struct res_outcome *outcome = play_run(&play);
	assert_int_equal(play.progress.completed, 576);
	assert_int_equal(outcome->worker_count, 3);
	assert_int_equal(server->gated_peak, 192);
	assert_int_equal(outcome->connections, 192);
	play_done(&play);
	tiny_server_stop(server);
}

/* Two workers would have two of the slots and one of them, and half of the requests each. */
static void a_small_cap_is_one_workers(void **state)
{
	static const char *const orders[] = { "gate 3" };
	struct tiny_server *server = tiny_server_start();
	struct play play = play_new(server, orders, 1, 30);

	(void)state;
	play.load.max_concurrency = 3;
	play.load.threads = 2;
	/* the server answers each group of three only when the third request arrives: no slot
	 * may stay empty */
	const struct res_outcome *outcome = play_run(&play);
	assert_int_equal(play.progress.completed, 30);
	assert_int_equal(outcome->worker_count, 1);
	assert_int_equal(outcome->connections, 3);
	play_done(&play);
	tiny_server_stop(server);
}

static void everything_goes_out_at_once_without_a_cap(void **state)
{
	static const char *const orders[] = { "gate 300" };
	struct tiny_server *server = tiny_server_start();
	struct play play = play_new(server, orders, 1, 300);

	(void)state;
	const struct res_outcome *outcome = play_run(&play);
	assert_int_equal(play.progress.completed, 300);
	assert_int_equal(outcome->inflight_peak, 300);
	for (size_t i = 0; i < 300; i++)
		assert_int_equal(outcome->records[i].queued_ns, RES_NO_TIME);
	play_done(&play);
	tiny_server_stop(server);
}

struct failure_case {
	const char *order;
	const char *kind;
	const char *part;
	int status;
};

static const struct failure_case failure_cases[] = {
	{ "status 503", "http_status", "no such luck", 503 },
	{ "status 404", "http_status", "no such luck", 404 },
	{ "error", "stream_error", "engine died", 200 },
	{ "no_done", "truncated", "closing event", 200 },
	{ "bad_json", "protocol", "{\"choices\":[{]}", 200 },
	{ "empty", "no_output", "no event", 200 },
	{ "html", "protocol", "text/html", 200 },
	{ "cut", "truncated", "ended during", 200 },
	{ "refuse", "reset", "reset", 0 },
	{ "reset", "reset", "reset", 200 },
};

static void failures_are_named_and_hurt_no_one_else(void **state)
{
	const char *orders[2 * PL_ARRAY_SIZE(failure_cases)];
	struct tiny_server *server = tiny_server_start();
	size_t count = 10 * PL_ARRAY_SIZE(orders);

	(void)state;
	for (size_t i = 0; i < PL_ARRAY_SIZE(failure_cases); i++) {
		orders[2 * i] = failure_cases[i].order;
		orders[2 * i + 1] = "ok 3";
	}
	struct play play = play_new(server, orders, PL_ARRAY_SIZE(orders), count);
	/* new connections for all: a request on one that was kept may rightly go out twice */
	const struct res_outcome *outcome = play_run(&play);
	for (size_t i = 0; i < count; i++) {
		const struct res_record *record = &outcome->records[i];
		const struct failure_case *want =
			&failure_cases[i / 2 % PL_ARRAY_SIZE(failure_cases)];
		if (i % 2 == 1) {
			assert_true(record->ok);
			assert_int_equal(record->output_tokens, 3);
			continue;
		}
		/* a reset may overtake the head that was sent before it */
		if (strcmp(want->order, "reset") != 0) {
			assert_failed(record, want->kind, want->part);
			assert_int_equal(record->status, want->status);
		}
		assert_false(record->ok);
	}
	assert_int_equal(outcome->end, RES_END_ALL);
	play_done(&play);
	tiny_server_stop(server);
}

static void a_dead_kept_connection_is_replaced_once(void **state)
{
	/* drop answers well, then closes a connection that was promised to stay */
	static const char *const orders[] = { "drop 2", "ok 2" };
	struct tiny_server *server = tiny_server_start();
	struct play play = play_new(server, orders, 2, 60);

	(void)state;
	play.load.max_concurrency = 1;
	const struct res_outcome *outcome = play_run(&play);
	assert_int_equal(play.progress.completed, 60);
	assert_int_equal(server->requests, 60);
	assert_true(outcome->connections > 1);
	play_done(&play);
	tiny_server_stop(server);
}

static void a_refused_retry_fails_and_is_not_repeated(void **state)
{
	static const char *const orders[] = { "ok 1", "refuse" };
	struct tiny_server *server = tiny_server_start();
	struct play play = play_new(server, orders, 2, 2);

	(void)state;
	play.load.max_concurrency = 1;
	const struct res_outcome *outcome = play_run(&play);
	assert_true(outcome->records[0].ok);
	assert_failed(&outcome->records[1], "reset", "reset");
	/* once on the kept connection, once on a new one */
	assert_int_equal(server->requests, 3);
	assert_int_equal(outcome->connections, 2);
	assert_true(outcome->records[1].connected_ns >= outcome->records[1].acted_ns);
	play_done(&play);
	tiny_server_stop(server);
}

static void a_closed_port_fails_each_request(void **state)
{
	static const char *const orders[] = { "ok 1" };
	struct tiny_server *server = tiny_server_start();
	struct play play = play_new(server, orders, 1, 20);

	(void)state;
	tiny_server_stop(server);
	const struct res_outcome *outcome = play_run(&play);
	assert_int_equal(play.progress.failed, 20);
	for (size_t i = 0; i < 20; i++)
		assert_failed(&outcome->records[i], "connect", "refused");
	play_done(&play);
}

static void request_timeout_fails_its_request_only(void **state)
{
	static const char *const orders[] = { "hang", "ok 2", "slow" };
	struct tiny_server *server = tiny_server_start();
	struct play play = play_new(server, orders, 3, 12);

	(void)state;
	play.load.request_timeout_ns = 2 * SECOND;
	const struct res_outcome *outcome = play_run(&play);
	assert_int_equal(outcome->end, RES_END_ALL);
	for (size_t i = 0; i < 12; i++) {
		const struct res_record *record = &outcome->records[i];
		assert_int_equal(record->ok, i % 3 == 1);
		if (record->ok)
			continue;
		assert_failed(record, "timeout", "request_timeout");
		assert_true(record->end_ns - record->acted_ns >= 2 * SECOND);
		assert_int_equal(events_of(record), i % 3 == 2 ? 1 : 0);
	}
	play_done(&play);
	tiny_server_stop(server);
}

static void silence_on_all_streams_ends_the_run(void **state)
{
	static const char *const orders[] = { "ok 2", "hang", "slow" };
	struct tiny_server *server = tiny_server_start();
	struct play play = play_new(server, orders, 3, 9);

	(void)state;
	play.load.max_concurrency = 2;
	play.load.stall_timeout_ns = 2 * SECOND;
	const struct res_outcome *outcome = play_run(&play);
	assert_int_equal(outcome->end, RES_END_STALLED);
	assert_true(outcome->records[0].ok);
	assert_failed(&outcome->records[1], "stalled", "stall_timeout");
	assert_failed(&outcome->records[2], "stalled", "stall_timeout");
	assert_int_equal(events_of(&outcome->records[2]), 1);
	for (size_t i = 3; i < 9; i++) {
		assert_failed(&outcome->records[i], "not_sent", "before");
		assert_int_equal(outcome->records[i].acted_ns, RES_NO_TIME);
	}
	play_done(&play);
	tiny_server_stop(server);
}

static void run_timeout_ends_all_workers(void **state)
{
	static const char *const orders[] = { "hang" };
	struct tiny_server *server = tiny_server_start();
	struct play play = play_new(server, orders, 1, 8);

	(void)state;
	play.load.threads = 2;
	play.load.run_timeout_ns = 2 * SECOND;
	const struct res_outcome *outcome = play_run(&play);
	assert_int_equal(outcome->end, RES_END_RUN_TIMEOUT);
	for (size_t i = 0; i < 8; i++)
		assert_failed(&outcome->records[i], "abandoned", "run_timeout");
	play_done(&play);
	tiny_server_stop(server);
}

static void a_stop_abandons_open_requests_and_sends_no_more(void **state)
{
	static const char *const orders[] = { "ok 1", "hang" };
	static atomic_int stop;
	struct tiny_server *server = tiny_server_start();
	struct play play = play_new(server, orders, 2, 1000);

	(void)state;
	/* the rest is planned for an hour later */
	for (size_t i = 2; i < 1000; i++)
		play.requests[i].planned_ns = 3600 * SECOND;
	play.load.finite_rate = true;
	play.load.stop_signal = &stop;
	server->stop_when_held = &stop;
	const struct res_outcome *outcome = play_run(&play);
	assert_int_equal(outcome->end, RES_END_STOPPED);
	assert_true(outcome->records[0].ok);
	assert_failed(&outcome->records[1], "abandoned", "stopped");
	for (size_t i = 2; i < 1000; i++)
		assert_failed(&outcome->records[i], "not_sent", "before");
	play_done(&play);
	tiny_server_stop(server);
}

static void requests_go_out_by_the_schedule(void **state)
{
	static const char *const orders[] = { "ok 2" };
	struct tiny_server *server = tiny_server_start();
	struct play play = play_new(server, orders, 1, 200);

	(void)state;
	for (size_t i = 0; i < 200; i++)
		play.requests[i].planned_ns = (int64_t)i * PL_NS_PER_MS / 2;
	play.load.finite_rate = true;
	const struct res_outcome *outcome = play_run(&play);
	assert_int_equal(play.progress.completed, 200);
	assert_int_equal(outcome->last_send_ns, outcome->records[199].acted_ns);
	assert_true(outcome->end_ns >= outcome->start_ns + 199 * PL_NS_PER_MS / 2);
	/* one per response; on a busy host a read may take bytes whose time of arrival is unknown */
	assert_true(outcome->queueing_count >= 100);
	for (size_t i = 0; i < outcome->queueing_count; i++)
		assert_true(outcome->queueing_ms[i] >= 0);
	play_done(&play);
	tiny_server_stop(server);
}

static void bodies_larger_than_a_socket_buffer_arrive_whole(void **state)
{
	size_t len = 8 << 20;
	char *body = pl_alloc(len + 1);
	const char *const orders[] = { body };
	struct tiny_server *server = tiny_server_start();

	(void)state;
	/* the server keeps 1 MiB of a body and then breaks off: a send that fails half way */
	memset(body, ' ', len);
	memcpy(body, "ok 2", 4);
	struct play play = play_new(server, orders, 1, 3);
	const struct res_outcome *outcome = play_run(&play);
	for (size_t i = 0; i < 3; i++)
		assert_false(outcome->records[i].ok);
	play_done(&play);
	body[1000000] = '\0';
	play = play_new(server, orders, 1, 3);
	outcome = play_run(&play);
	for (size_t i = 0; i < 3; i++)
		assert_true(outcome->records[i].ok);
	play_done(&play);
	tiny_server_stop(server);
	free(body);
}

static void the_null_adapter_answers_by_itself(void **state)
{
	static const char *const orders[] = { "-" };
	struct play play = play_new(NULL, orders, 1, 10000);

	(void)state;
	for (size_t i = 0; i < 10000; i++)
		play.requests[i].output_tokens = 1 + (int64_t)(i % 16);
	play.load.max_concurrency = 3;
	const struct res_outcome *outcome = play_run(&play);
	assert_int_equal(outcome->end, RES_END_ALL);
	assert_int_equal(play.progress.completed, 10000);
	assert_int_equal(play.progress.tokens, 10000 / 16 * (16 * 17 / 2));
	assert_int_equal(outcome->connections, 0);
	assert_int_equal(outcome->inflight_peak, 1);
	for (size_t i = 0; i < 10000; i++) {
		const struct res_record *record = &outcome->records[i];
		assert_int_equal(record->output_tokens, 1 + (int64_t)(i % 16));
		assert_int_equal(events_of(record), 1 + i % 16);
		assert_int_equal(record->token_source, RES_TOKENS_IDS);
		assert_string_equal(record->finish_reason, "length");
	}
	play_done(&play);
}

/* A run whose event loop cannot wait has no result: the records that it has are a part of what was to be measured. */
static void a_loop_that_cannot_wait_fails_the_run(void **state)
{
	static const char *const orders[] = { "-" };
	struct play play = play_new(NULL, orders, 1, 4);
	struct pl_err err = PL_ERR_INIT;

	(void)state;
	waits_fail = true;
	int done = bench_load_run(&play.load, &play.outcome, &err);
	waits_fail = false;
	assert_int_equal(done, -1);
	assert_null(play.outcome);
	assert_int_equal(err.code, PL_ERR_IO);
	assert_non_null(strstr(err.text, "worker 0: could not wait for events: "));
	play_done(&play);
}

static void a_plan_out_of_order_is_refused(void **state)
{
	static const char *const orders[] = { "-" };
	struct play play = play_new(NULL, orders, 1, 3);
	struct pl_err err = PL_ERR_INIT;

	(void)state;
	play.requests[0].planned_ns = 2;
	play.requests[1].planned_ns = 1;
	assert_int_equal(bench_load_run(&play.load, &play.outcome, &err), -1);
	assert_non_null(strstr(err.text, "request 1"));
	assert_null(play.outcome);
	play_done(&play);
}

static void a_large_plan_is_checked_in_linear_time(void **state)
{
	enum { COUNT = 200000 };
	static const char *const orders[] = { "-" };
	struct play play = play_new(NULL, orders, 1, COUNT);
	struct pl_err err = PL_ERR_INIT;
	int64_t start_ns = pl_clock_cpu_thread_ns();

	(void)state;
	play.requests[COUNT - 2].planned_ns = 1;
	assert_int_equal(bench_load_run(&play.load, &play.outcome, &err), -1);
	assert_non_null(strstr(err.text, "request 199999"));
	assert_true(pl_clock_cpu_thread_ns() - start_ns < 2 * SECOND);
	play_done(&play);
}

static void an_empty_plan_finishes_at_once(void **state)
{
	static const char *const orders[] = { "-" };
	struct play play = play_new(NULL, orders, 1, 0);

	(void)state;
	const struct res_outcome *outcome = play_run(&play);
	assert_int_equal(outcome->end, RES_END_ALL);
	play_done(&play);
}

static void limits_are_named_before_the_start(void **state)
{
	static const char *const orders[] = { "-" };
	struct tiny_server *server = tiny_server_start();
	struct play play = play_new(server, orders, 1, 1);
	struct pl_err err = PL_ERR_INIT;

	(void)state;
	assert_int_equal(bench_load_check_limits(&play.load, &err), 0);
	/* the plan is not read, only counted */
	play.load.count = 70000;
	assert_int_equal(bench_load_check_limits(&play.load, &err), -1);
	assert_true(strstr(err.text, "nofile") != NULL ||
		    strstr(err.text, "ip_local_port_range") != NULL);
	assert_int_equal(err.code, PL_ERR_INVALID);
	play.load.count = (size_t)1 << 40;
	assert_int_equal(bench_load_check_limits(&play.load, &err), -1);
	assert_non_null(strstr(err.text, "nofile"));
	play.load.max_concurrency = 10;
	assert_int_equal(bench_load_check_limits(&play.load, &err), 0);
	play.load.max_concurrency = OPTION_NO_I64;
	play.load.finite_rate = true; /* how many will be open cannot be known */
	assert_int_equal(bench_load_check_limits(&play.load, &err), 0);
	play_done(&play);
	tiny_server_stop(server);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(connections_are_reused),
		cmocka_unit_test(the_cap_is_reached_and_never_passed),
		cmocka_unit_test(a_cap_is_split_among_workers),
		cmocka_unit_test(a_small_cap_is_one_workers),
		cmocka_unit_test(everything_goes_out_at_once_without_a_cap),
		cmocka_unit_test(failures_are_named_and_hurt_no_one_else),
		cmocka_unit_test(a_dead_kept_connection_is_replaced_once),
		cmocka_unit_test(a_refused_retry_fails_and_is_not_repeated),
		cmocka_unit_test(a_closed_port_fails_each_request),
		cmocka_unit_test(request_timeout_fails_its_request_only),
		cmocka_unit_test(silence_on_all_streams_ends_the_run),
		cmocka_unit_test(run_timeout_ends_all_workers),
		cmocka_unit_test(a_stop_abandons_open_requests_and_sends_no_more),
		cmocka_unit_test(requests_go_out_by_the_schedule),
		cmocka_unit_test(bodies_larger_than_a_socket_buffer_arrive_whole),
		cmocka_unit_test(the_null_adapter_answers_by_itself),
		cmocka_unit_test(a_loop_that_cannot_wait_fails_the_run),
		cmocka_unit_test(a_plan_out_of_order_is_refused),
		cmocka_unit_test(an_empty_plan_finishes_at_once),
		cmocka_unit_test(limits_are_named_before_the_start),
		cmocka_unit_test(a_large_plan_is_checked_in_linear_time),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
