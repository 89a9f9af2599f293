#include "bench/load/feed.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <pthread.h>
#include <cmocka.h>

#include "base/clock.h"
#include "bench/load/load.h"
#include "vllm/bench_options.h"

/* The records that a reader saw: each is active once, then finished, in this order. */
struct seen {
	struct bench_feed *feed;
	const atomic_int *run_is_over;
	size_t count;
	unsigned char *acted;
	unsigned char *over;
	uint64_t tokens;
	size_t wrong;
	size_t looks;
};

static void on_acted(void *data, const struct res_record *record)
{
	struct seen *seen = data;

	seen->wrong += record->index >= seen->count || seen->acted[record->index]++ != 0 ||
		       seen->over[record->index] != 0 || record->acted_ns == RES_NO_TIME;
}

static void on_over(void *data, const struct res_record *record)
{
	struct seen *seen = data;
	struct res_event_cursor cursor = res_record_cursor(record);
	struct res_event_at at;

	seen->wrong += record->index >= seen->count || seen->acted[record->index] != 1 ||
		       seen->over[record->index]++ != 0 || record->end_ns == RES_NO_TIME;
	while (res_record_next(&cursor, &at))
		seen->tokens += (uint64_t)at.tokens;
}

static const struct bench_feed_reader reader = { .acted = on_acted, .over = on_over };

static struct bench_feed_reader reader_of(struct seen *seen)
{
	struct bench_feed_reader own = reader;

	own.data = seen;
	return own;
}

static void *follow(void *data)
{
	struct seen *seen = data;
	struct bench_feed_reader own = reader_of(seen);

	while (atomic_load(seen->run_is_over) == 0) {
		bench_feed_take(seen->feed, &own);
		seen->looks++;
	}
	bench_feed_take(seen->feed, &own);
	return NULL;
}

static void play(unsigned threads, size_t count)
{
	struct bench_request *requests = pl_alloc_array(count, sizeof(*requests));
	auto_feed struct bench_feed *feed = bench_feed_new();
	PL_AUTO(res_outcome_free) struct res_outcome *outcome = NULL;
	struct pl_err err = PL_ERR_INIT;
	atomic_int over = 0;
	struct seen seen = { .feed = feed, .run_is_over = &over, .count = count };
	pthread_t thread;

	seen.acted = pl_alloc(count);
	seen.over = pl_alloc(count);
	for (size_t i = 0; i < count; i++)
		requests[i] =
			(struct bench_request){ .body = "x", .body_len = 1, .output_tokens = 5 };
	struct bench_load load = {
		.adapter = bench_adapter_find("null"),
		.host_header = "x",
		.path = "/",
		.headers = "",
		.requests = requests,
		.count = count,
		.max_concurrency = OPTION_NO_I64,
		.threads = threads,
		.request_timeout_ns = 60 * PL_NS_PER_S,
		.stall_timeout_ns = 60 * PL_NS_PER_S,
		.run_timeout_ns = OPTION_NO_I64,
		.feed = feed,
	};
	assert_true(bench_feed_start_ns(feed) == RES_NO_TIME);
	assert_int_equal(pthread_create(&thread, NULL, follow, &seen), 0);
	assert_int_equal(bench_load_run(&load, &outcome, &err), 0);
	atomic_store(&over, 1);
	pthread_join(thread, NULL);
	assert_true(bench_feed_start_ns(feed) == outcome->start_ns);
	assert_int_equal(seen.wrong, 0);
	uint64_t tokens = 0;
	for (size_t i = 0; i < count; i++) {
		assert_int_equal(seen.acted[i], 1);
		assert_int_equal(seen.over[i], 1);
		tokens += (uint64_t)outcome->records[i].output_tokens;
	}
	assert_true(seen.tokens == tokens);
	assert_true(tokens > 0);
	/* another reader has positions of its own */
	memset(seen.acted, 0, count);
	memset(seen.over, 0, count);
	struct bench_feed_reader other = reader_of(&seen);
	other.index = 1;
	assert_int_equal(bench_feed_take(feed, &other), count);
	assert_int_equal(bench_feed_take(feed, &other), 0);
	assert_int_equal(seen.wrong, 0);
	assert_true(seen.tokens == 2 * tokens);
	free(seen.acted);
	free(seen.over);
	free(requests);
}

static void test_bench_load_feed__reader_with_one_worker(void **state)
{
	(void)state;
	play(1, 20000);
}

static void test_bench_load_feed__reader_with_several_workers(void **state)
{
	(void)state;
	play(3, 20001);
	/* fewer requests than threads */
	play(4, 2);
}

/* The sockets could not be opened: the run fails, and takes its records back before the reader
 * sees them. */
static void test_bench_load_feed__a_run_that_cannot_start_takes_its_records_back(void **state)
{
	(void)state;
	struct bench_request request = { .body = "x", .body_len = 1, .output_tokens = 1 };
	auto_feed struct bench_feed *feed = bench_feed_new();
	struct res_outcome *outcome = NULL;
	struct pl_err err = PL_ERR_INIT;
	auto_free char *huge = pl_alloc(3u << 20);
	struct seen seen = { .count = 1 };
	struct bench_feed_reader own = reader_of(&seen);

	memset(huge, 'a', (3u << 20) - 1);
	struct bench_load load = {
		.adapter = bench_adapter_find("null"),
		.host_header = "x",
		.path = huge,
		.headers = "",
		.requests = &request,
		.count = 1,
		.max_concurrency = OPTION_NO_I64,
		.threads = 1,
		.request_timeout_ns = PL_NS_PER_S,
		.stall_timeout_ns = PL_NS_PER_S,
		.run_timeout_ns = OPTION_NO_I64,
		.feed = feed,
	};
	assert_int_equal(bench_load_run(&load, &outcome, &err), -1);
	assert_int_equal(bench_feed_take(feed, &own), 0);
	assert_int_equal(seen.wrong, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_bench_load_feed__reader_with_one_worker),
		cmocka_unit_test(test_bench_load_feed__reader_with_several_workers),
		cmocka_unit_test(
			test_bench_load_feed__a_run_that_cannot_start_takes_its_records_back),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
