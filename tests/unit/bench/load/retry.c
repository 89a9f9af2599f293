#include "bench/load/load.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/clock.h"
#include "base/rng.h"
#include "bench/load/feed.h"
#include "play.h"

#define MS (SECOND / 1000)

static struct play play_one(const struct tiny_server *server, const char *order, int64_t retries,
			    int64_t delay_ns)
{
	struct play play = play_new(server, &order, 1, 1);

	play.load.retries = retries;
	play.load.retry_delay_ns = delay_ns;
	return play;
}

static void each_failed_try_is_a_record_and_the_clock_starts_at_the_first(void **state)
{
	struct tiny_server *server = tiny_server_start();
	struct play play = play_one(server, "late 2 0 503", 5, 3 * MS);

	(void)state;
	const struct res_outcome *outcome = play_run(&play);
	const struct res_record *record = &outcome->records[0];
	assert_true(record->ok);
	assert_int_equal(record->status, 200);
	assert_int_equal(record->output_tokens, 2);
	assert_int_equal(record->tries, 3);
	assert_int_equal(outcome->try_count, 2);
	for (size_t i = 0; i < 2; i++) {
		assert_string_equal(outcome->tries[i]->error_kind, "http_status");
		assert_string_equal(outcome->tries[i]->error, "no such luck");
		assert_int_equal(outcome->tries[i]->status, 503);
		assert_int_not_equal(outcome->tries[i]->headers_ns, RES_NO_TIME);
	}
	/* the pause is the delay times the number of the try */
	assert_true(outcome->tries[1]->acted_ns - outcome->tries[0]->end_ns >= 3 * MS);
	assert_true(record->sent_ns - outcome->tries[1]->end_ns >= 6 * MS);
	assert_true(res_record_first_event_ns(record) - record->acted_ns >= 9 * MS);
	/* an answer that was whole leaves its connection to the next try */
	assert_int_equal(outcome->connections, 1);
	assert_int_equal(record->connected_ns, RES_NO_TIME);
	assert_int_equal(server->requests, 3);
	play_done(&play);
	tiny_server_stop(server);
}

static void a_connection_that_breaks_before_an_answer_is_tried_again(void **state)
{
	struct tiny_server *server = tiny_server_start();
	struct play play = play_one(server, "late 3 0 0", 3, 0);

	(void)state;
	const struct res_outcome *outcome = play_run(&play);
	assert_true(outcome->records[0].ok);
	assert_int_equal(outcome->records[0].tries, 4);
	for (size_t i = 0; i < 3; i++) {
		assert_string_equal(outcome->tries[i]->error_kind, "reset");
		assert_int_equal(outcome->tries[i]->status, 0);
		assert_int_not_equal(outcome->tries[i]->connected_ns, RES_NO_TIME);
	}
	assert_int_equal(outcome->connections, 4);
	assert_int_equal(server->requests, 4);
	play_done(&play);
	tiny_server_stop(server);
}

static void a_refused_connection_is_tried_as_often_as_asked(void **state)
{
	struct tiny_server *server = tiny_server_start();
	struct play play = play_one(server, "ok 2", 3, MS);

	(void)state;
	tiny_server_stop(server);
	const struct res_outcome *outcome = play_run(&play);
	assert_failed(&outcome->records[0], "connect", "refused");
	assert_int_equal(outcome->records[0].tries, 4);
	assert_int_equal(outcome->try_count, 3);
	assert_string_equal(outcome->tries[2]->error_kind, "connect");
	play_done(&play);
}

static void only_transient_failures_are_retried(void **state)
{
	static const struct {
		const char *order;
		uint32_t tries;
	} cases[] = {
		{ "status 408", 3 }, { "status 425", 3 }, { "status 429", 3 }, { "status 502", 3 },
		{ "status 503", 3 }, { "status 504", 3 }, { "refuse", 3 },     { "status 500", 1 },
		{ "status 400", 1 }, { "status 404", 1 }, { "status 501", 1 }, { "reset", 1 },
		{ "cut", 1 },        { "error", 1 },      { "no_done", 1 },    { "bad_json", 1 },
		{ "empty", 1 },      { "html", 1 },       { "ok 2", 1 },
	};
	struct tiny_server *server = tiny_server_start();

	(void)state;
	for (size_t i = 0; i < PL_ARRAY_SIZE(cases); i++) {
		struct play play = play_one(server, cases[i].order, 2, 0);
		const struct res_outcome *outcome = play_run(&play);
		if (outcome->records[0].tries != cases[i].tries)
			fail_msg("'%s': %u tries", cases[i].order, outcome->records[0].tries);
		assert_int_equal(outcome->records[0].ok, strcmp(cases[i].order, "ok 2") == 0);
		play_done(&play);
	}
	tiny_server_stop(server);
}

static void without_retries_nothing_is_retried(void **state)
{
	struct tiny_server *server = tiny_server_start();
	struct play play = play_one(server, "late 1 0 503", 0, 0);

	(void)state;
	const struct res_outcome *outcome = play_run(&play);
	assert_failed(&outcome->records[0], "http_status", "no such luck");
	assert_int_equal(outcome->records[0].tries, 1);
	assert_int_equal(outcome->try_count, 0);
	assert_int_equal(server->requests, 1);
	play_done(&play);
	tiny_server_stop(server);
}

/* 503 and 429 name their own pause; of other statuses it is no such word. */
static void retry_after_takes_the_place_of_the_delay(void **state)
{
	static const char *const orders[] = { "late 3 0 503 0", "late 3 1 429 0" };
	struct tiny_server *server = tiny_server_start();
	struct play play = play_new(server, orders, 2, 2);

	(void)state;
	play.load.retries = 3;
	play.load.retry_delay_ns = 3600 * SECOND;
	play.load.request_timeout_ns = 36000 * SECOND;
	const struct res_outcome *outcome = play_run(&play);
	assert_true(outcome->records[0].ok && outcome->records[1].ok);
	assert_int_equal(outcome->try_count, 6);
	play_done(&play);
	play = play_one(server, "late 1 2 502 0", 1, 3600 * SECOND);
	outcome = play_run(&play);
	assert_failed(&outcome->records[0], "http_status", "no such luck");
	play_done(&play);
	tiny_server_stop(server);
}

/* A pause of a minute at most; one that request_timeout would end is none. */
static void retry_after_is_honoured_up_to_a_minute(void **state)
{
	struct tiny_server *server = tiny_server_start();
	struct play play = play_one(server, "late 1 0 503 9999", 1, 0);

	(void)state;
	play.load.request_timeout_ns = 60 * SECOND;
	const struct res_outcome *outcome = play_run(&play);
	assert_int_equal(outcome->end, RES_END_ALL);
	assert_failed(&outcome->records[0], "http_status", "no such luck");
	assert_int_equal(outcome->records[0].tries, 1);
	play_done(&play);
	play = play_one(server, "late 1 1 503 9999", 1, 0);
	play.load.request_timeout_ns = 62 * SECOND;
	play.load.run_timeout_ns = 2 * SECOND;
	outcome = play_run(&play);
	assert_int_equal(outcome->end, RES_END_RUN_TIMEOUT);
	assert_failed(&outcome->records[0], "abandoned",
		      "run_timeout ended the run; attempt 1 failed: no such luck");
	play_done(&play);
	tiny_server_stop(server);
}

static void request_timeout_runs_from_the_first_try(void **state)
{
	struct tiny_server *server = tiny_server_start();
	struct play play = play_one(server, "late 99 0 503", 90, 60 * SECOND);

	(void)state;
	/* a try that it would forestall is not waited for */
	play.load.request_timeout_ns = 60 * SECOND;
	const struct res_outcome *outcome = play_run(&play);
	assert_failed(&outcome->records[0], "http_status", "no such luck");
	assert_int_equal(outcome->records[0].tries, 1);
	play_done(&play);

	/* one that ran from the second try would end a second later, each time; a stall does once */
	bool in_time = false;
	for (int i = 0; i < 3 && !in_time; i++) {
		play = play_one(server, "late 1 1 503 -2", 1, SECOND);
		play.load.request_timeout_ns = 1500 * MS;
		outcome = play_run(&play);
		const struct res_record *record = &outcome->records[0];
		assert_failed(record, "timeout", "request_timeout");
		assert_int_equal(record->tries, 2);
		assert_true(record->end_ns - record->acted_ns >= 1500 * MS);
		in_time = record->end_ns - outcome->tries[0]->end_ns < 2500 * MS;
		play_done(&play);
	}
	assert_true(in_time);
	tiny_server_stop(server);
}

static void a_signal_ends_what_waits_for_its_next_try(void **state)
{
	struct tiny_server *server = tiny_server_start();
	struct play play = play_one(server, "late 1 0 503", 1, 1000 * SECOND);
	atomic_int stop = 0;

	(void)state;
	server->stop_when_held = &stop;
	play.load.stop_signal = &stop;
	play.load.request_timeout_ns = 9000 * SECOND;
	const struct res_outcome *outcome = play_run(&play);
	assert_int_equal(outcome->end, RES_END_STOPPED);
	assert_string_equal(outcome->records[0].error_kind, "abandoned");
	assert_int_equal(outcome->records[0].tries, 1);
	assert_int_equal(outcome->try_count, 0);
	play_done(&play);
	tiny_server_stop(server);
}

/* A server without open requests cannot stall. */
static void a_pause_is_no_stall(void **state)
{
	struct tiny_server *server = tiny_server_start();
	struct play play = play_one(server, "late 1 0 503", 1, 3 * SECOND);

	(void)state;
	play.load.stall_timeout_ns = 2 * SECOND;
	const struct res_outcome *outcome = play_run(&play);
	assert_int_equal(outcome->end, RES_END_ALL);
	assert_true(outcome->records[0].ok);
	play_done(&play);
	tiny_server_stop(server);
}

/* A request between two tries keeps its slot: the next request is sent after it has finished. */
static void the_limit_counts_waiting_requests(void **state)
{
	static const char *const orders[] = { "late 1 0 503", "ok 2", "ok 2" };
	struct tiny_server *server = tiny_server_start();
	struct play play = play_new(server, orders, 3, 3);

	(void)state;
	play.load.max_concurrency = 1;
	play.load.retries = 1;
	play.load.retry_delay_ns = 5 * MS;
	const struct res_outcome *outcome = play_run(&play);
	for (size_t i = 0; i < 3; i++)
		assert_true(outcome->records[i].ok);
	assert_int_equal(outcome->records[0].tries, 2);
	assert_true(outcome->records[1].acted_ns >= outcome->records[0].end_ns);
	assert_int_equal(outcome->inflight_peak, 1);
	play_done(&play);
	tiny_server_stop(server);
}

/* The events that a reader of the feed saw: the start of each request, its tries in order, its
 * end. */
struct seen {
	struct bench_feed *feed;
	atomic_int run_is_over;
	uint32_t *tries; /* [count] */
	bool *over;
	size_t wrong, tried, ended;
};

static void on_acted(void *data, const struct res_record *record)
{
	struct seen *seen = data;

	seen->wrong += seen->tries[record->index] != 0 || seen->over[record->index];
	seen->tries[record->index] = 1;
}

static void on_tried(void *data, const struct res_record *record)
{
	struct seen *seen = data;

	seen->wrong += record->tries != seen->tries[record->index] || seen->over[record->index] ||
		       !record->retried || record->end_ns == RES_NO_TIME;
	seen->tries[record->index]++;
	seen->tried++;
}

static void on_over(void *data, const struct res_record *record)
{
	struct seen *seen = data;

	seen->wrong += record->tries != seen->tries[record->index] || seen->over[record->index];
	seen->over[record->index] = true;
	seen->ended++;
}

static void *follow(void *data)
{
	struct seen *seen = data;
	const struct bench_feed_reader reader = {
		.data = data, .acted = on_acted, .tried = on_tried, .over = on_over
	};

	while (atomic_load(&seen->run_is_over) == 0)
		bench_feed_take(seen->feed, &reader);
	bench_feed_take(seen->feed, &reader);
	return NULL;
}

static void play_followed(struct play *play)
{
	auto_feed struct bench_feed *feed = bench_feed_new();
	struct seen seen = { .feed = feed };
	pthread_t thread;

	seen.tries = pl_alloc_array(play->load.count, sizeof(*seen.tries));
	seen.over = pl_alloc_array(play->load.count, sizeof(*seen.over));
	play->load.feed = feed;
	assert_int_equal(pthread_create(&thread, NULL, follow, &seen), 0);
	play_run(play);
	atomic_store(&seen.run_is_over, 1);
	pthread_join(thread, NULL);
	assert_int_equal(seen.wrong, 0);
	assert_int_equal(seen.tried, play->outcome->try_count);
	assert_int_equal(seen.ended, play->load.count);
	free(seen.tries);
	free(seen.over);
}

/* Plays one random run. Each reset closes every connection, so that none looks like the end of
 * an idle one. */
static void play_random(struct tiny_server *server, struct pl_pyrandom *rng, size_t count)
{
	static const int statuses[] = { 408, 425, 429, 502, 503, 504 };
	char(*orders)[64] = pl_alloc_array(count, sizeof(*orders));
	const char **list = pl_alloc_array(count, sizeof(*list));
	unsigned faults[64], sum = 0, expected = 0, before = server->requests;
	bool resets = pl_pyrandom_below(rng, 2) == 0;
	int64_t retries = (int64_t)pl_pyrandom_below(rng, 4);

	for (size_t i = 0; i < count; i++) {
		faults[i] = (unsigned)pl_pyrandom_below(rng, 5);
		snprintf(orders[i], sizeof(orders[i]), "late %u %zu %d", faults[i], i,
			 resets ? 0 : statuses[pl_pyrandom_below(rng, PL_ARRAY_SIZE(statuses))]);
		list[i] = orders[i];
		expected += (faults[i] > retries ? (unsigned)retries : faults[i]) + 1;
	}
	struct play play = play_new(server, list, count, count);
	play.load.retries = retries;
	play.load.retry_delay_ns = (int64_t)pl_pyrandom_below(rng, 3) * MS / 2;
	play.load.threads = 1 + (unsigned)pl_pyrandom_below(rng, 3);
	if (pl_pyrandom_below(rng, 3) > 0)
		play.load.max_concurrency = 1 + (int64_t)pl_pyrandom_below(rng, 8);
	play_followed(&play);
	for (size_t i = 0; i < count; i++) {
		const struct res_record *record = &play.outcome->records[i];
		assert_int_equal(record->ok, faults[i] <= retries);
		sum += record->tries;
	}
	assert_int_equal(sum, expected);
	assert_int_equal(server->requests - before, expected);
	play_done(&play);
	free(list);
	free(orders);
}

static void whatever_fails_the_sums_agree(void **state)
{
	struct pl_pyrandom rng;

	(void)state;
	pl_pyrandom_seed(&rng, 20260102);
	for (int i = 0; i < 60; i++) {
		struct tiny_server *server = tiny_server_start();
		play_random(server, &rng, 1 + (size_t)pl_pyrandom_below(&rng, 48));
		tiny_server_stop(server);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_failed_try_is_a_record_and_the_clock_starts_at_the_first),
		cmocka_unit_test(a_connection_that_breaks_before_an_answer_is_tried_again),
		cmocka_unit_test(a_refused_connection_is_tried_as_often_as_asked),
		cmocka_unit_test(only_transient_failures_are_retried),
		cmocka_unit_test(without_retries_nothing_is_retried),
		cmocka_unit_test(retry_after_takes_the_place_of_the_delay),
		cmocka_unit_test(retry_after_is_honoured_up_to_a_minute),
		cmocka_unit_test(request_timeout_runs_from_the_first_try),
		cmocka_unit_test(a_signal_ends_what_waits_for_its_next_try),
		cmocka_unit_test(a_pause_is_no_stall),
		cmocka_unit_test(the_limit_counts_waiting_requests),
		cmocka_unit_test(whatever_fails_the_sums_agree),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
