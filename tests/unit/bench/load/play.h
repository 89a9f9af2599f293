/*
 * A run of the load generator against a tiny server, and what must hold of every one.
 */
#pragma once

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "bench/load/load.h"
#include "tiny_server.h"
#include "vllm/bench_options.h"

#define SECOND INT64_C(1000000000)

/* A plan whose bodies are the tiny server's orders. */
struct play {
	struct bench_load load;
	struct bench_request *requests;
	struct bench_progress progress;
	struct res_outcome *outcome;
};

static inline struct play play_new(const struct tiny_server *server, const char *const *orders,
				   size_t order_count, size_t count)
{
	struct play play = { .requests = pl_alloc_array(count, sizeof(*play.requests)) };

	for (size_t i = 0; i < count; i++) {
		struct bench_request *request = &play.requests[i];
		const char *order = orders[i % order_count];
		request->body = order;
		request->body_len = strlen(order);
		request->prompt_tokens = 3;
		request->output_tokens = 2;
		request->request_id = (struct res_request_id){ "r-", (int64_t)i };
	}
	play.load = (struct bench_load){
		.adapter = bench_adapter_find(server != NULL ? "openai" : "null"),
		.host_header = "127.0.0.1",
		.path = "/v1/completions",
		.headers = "Authorization: Bearer x\r\n",
		.requests = play.requests,
		.count = count,
		.max_concurrency = OPTION_NO_I64,
		.threads = 1,
		.request_timeout_ns = 60 * SECOND,
		.stall_timeout_ns = 60 * SECOND,
		.run_timeout_ns = OPTION_NO_I64,
	};
	if (server != NULL)
		play.load.addr = server->addr;
	return play;
}

static inline void play_done(struct play *play)
{
	res_outcome_free(play->outcome);
	free(play->requests);
}

/* Checks the failed tries of `record`, from index *at of the outcome's: consecutive, and none is
 * lost. */
static inline void assert_tries(const struct res_outcome *outcome, size_t *at,
				const struct res_record *record)
{
	int64_t before_ns = record->acted_ns;

	for (uint32_t number = 1; number < record->tries; number++, (*at)++) {
		assert_true(*at < outcome->try_count);
		const struct res_record *one = outcome->tries[*at];
		assert_int_equal(one->index, record->index);
		assert_int_equal(one->tries, number);
		assert_true(one->retried && !one->ok && one->error_kind != NULL);
		assert_int_equal(one->planned_ns, record->planned_ns);
		assert_int_equal(one->request_id.number, record->request_id.number);
		assert_true(number > 1 || one->acted_ns == record->acted_ns);
		assert_true(one->acted_ns >= before_ns && one->end_ns >= one->acted_ns);
		assert_int_equal(one->event_count, 0);
		before_ns = one->end_ns;
	}
	assert_true(record->end_ns >= before_ns);
}

/* Checks what holds for every outcome, however the requests ended. */
static inline void assert_outcome_consistent(const struct play *play)
{
	const struct res_outcome *outcome = play->outcome;
	const struct bench_progress *progress = &play->progress;
	double sum_s = 0;
	uint64_t acted = 0, ok = 0;
	size_t tries = 0;

	assert_int_equal(outcome->count, play->load.count);
	for (size_t i = 0; i < outcome->count; i++) {
		const struct res_record *record = &outcome->records[i];
		assert_int_equal(record->index, i);
		assert_int_equal(record->planned_ns,
				 outcome->start_ns + play->requests[i].planned_ns);
		assert_int_equal(record->request_id.number, i);
		assert_int_equal(record->ok, record->error == NULL);
		assert_int_equal(record->ok, record->error_kind == NULL);
		ok += record->ok;
		assert_int_equal(record->tries == 0, record->acted_ns == RES_NO_TIME);
		assert_true(record->tries <= play->load.retries + 1);
		assert_false(record->retried);
		if (record->acted_ns == RES_NO_TIME)
			continue;
		assert_tries(outcome, &tries, record);
		acted++;
		assert_true(record->acted_ns >= record->planned_ns);
		assert_true(record->end_ns >= record->acted_ns);
		assert_true(record->end_ns <= outcome->end_ns);
		sum_s += (double)(record->end_ns - record->acted_ns) / SECOND;
	}
	assert_int_equal(tries, outcome->try_count);
	assert_int_equal(progress->in_flight, 0);
	assert_int_equal(progress->issued, acted);
	assert_int_equal(progress->completed, ok);
	assert_int_equal(progress->issued, progress->completed + progress->failed);
	assert_int_equal(outcome->inflight_count, 2 * acted);
	if (acted > 0)
		assert_int_equal(outcome->inflight[2 * acted - 1].in_flight, 0);
	assert_float_equal(outcome->inflight_integral_s, sum_s, 1e-6);
	if (play->load.max_concurrency != OPTION_NO_I64)
		assert_true(outcome->inflight_peak <= play->load.max_concurrency);
}

static inline const struct res_outcome *play_run(struct play *play)
{
	struct pl_err err = PL_ERR_INIT;

	play->load.progress = &play->progress;
	if (bench_load_run(&play->load, &play->outcome, &err) < 0)
		fail_msg("%s", err.text);
	assert_outcome_consistent(play);
	return play->outcome;
}

static inline void assert_failed(const struct res_record *record, const char *kind,
				 const char *part)
{
	assert_false(record->ok);
	assert_string_equal(record->error_kind, kind);
	if (strstr(record->error, part) == NULL)
		fail_msg("'%s' is not in '%s'", part, record->error);
}
