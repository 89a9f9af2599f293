#include "result/quality_facts.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/clock.h"
#include "base/mem.h"

#define EVENTS_MAX 8

struct event {
	int64_t tokens; /* 0: no more events */
	unsigned flags; /* added to RES_EVENT_CONTENT */
};

/* A request of which every event comes 10 ms after the one before. */
static void make_record(struct res_record *record, uint64_t index, const struct event *events,
			int64_t output_tokens)
{
	res_record_init(record, index);
	record->ok = true;
	record->acted_ns = (int64_t)index * PL_NS_PER_S;
	record->end_ns = record->acted_ns;
	record->token_source = RES_TOKENS_USAGE;
	record->output_tokens = output_tokens;
	record->events = pl_alloc_array(EVENTS_MAX, sizeof(*record->events));
	for (size_t i = 0; i < EVENTS_MAX && events[i].tokens > 0; i++) {
		record->event_count += res_event_encode(
			record->events + record->event_count, EVENTS_MAX - record->event_count,
			10 * PL_NS_PER_MS, events[i].tokens, events[i].flags | RES_EVENT_CONTENT);
		record->end_ns += 10 * PL_NS_PER_MS;
	}
}

static struct res_quality_facts facts_of(struct res_record *records, size_t count)
{
	struct res_outcome outcome = { .records = records,
				       .count = count,
				       .end_ns = 100 * PL_NS_PER_S };
	struct res_how how = { .min_tokens = OPTION_NO_I64,
			       .max_tokens = OPTION_NO_I64,
			       .max_concurrency = OPTION_NO_I64 };
	struct res_quality_facts facts;
	auto_json json_t *results = json_object();

	res_quality_init(&facts);
	res_quality_facts(&outcome, results, &how, &facts);
	for (size_t i = 0; i < count; i++)
		res_record_done(&records[i]);
	return facts;
}

static void the_share_of_merged_tokens(void **state)
{
	static const struct {
		struct event events[EVENTS_MAX];
		int64_t output_tokens; /* by the server's usage */
		double share;
	} cases[] = {
		/* a token alone in its read has a time of its own */
		{ { { 1, 0 }, { 1, 0 }, { 1, 0 }, { 1, 0 } }, 4, 0 },
		/* two of four tokens came in one event */
		{ { { 1, 0 }, { 2, 0 }, { 1, 0 } }, 4, 0.5 },
		/* two of four events came in one read */
		{ { { 1, 0 }, { 1, 0 }, { 1, RES_EVENT_COALESCED }, { 1, 0 } }, 4, 0.5 },
		/* two more than the events count: with one event at least they came in the same read */
		{ { { 1, RES_EVENT_GUESSED }, { 1, RES_EVENT_GUESSED } }, 4, 0.75 },
		/* another one after two of one read */
		{ { { 1, RES_EVENT_GUESSED },
		    { 1, RES_EVENT_GUESSED },
		    { 1, RES_EVENT_GUESSED | RES_EVENT_COALESCED } },
		  4,
		  0.75 },
		/* the counts of events that report one are used */
		{ { { 1, 0 }, { 1, 0 } }, 4, 0 },
	};

	(void)state;
	for (size_t i = 0; i < PL_ARRAY_SIZE(cases); i++) {
		struct res_record record;
		make_record(&record, 0, cases[i].events, cases[i].output_tokens);
		struct res_quality_facts facts = facts_of(&record, 1);
		assert_float_equal(facts.merged_token_share, cases[i].share, 1e-12);
	}
}

/* Failed requests, and those that were not sent, have no part in it. */
static void merged_tokens_of_several_requests(void **state)
{
	static const struct event merged[EVENTS_MAX] = { { 2, 0 } },
				  alone[EVENTS_MAX] = { { 1, 0 } };
	struct res_record records[4];

	(void)state;
	make_record(&records[0], 0, merged, 2);
	make_record(&records[1], 1, alone, 1);
	make_record(&records[2], 2, merged, 2);
	make_record(&records[3], 3, merged, 2);
	records[2].ok = false;
	records[3].ok = false;
	records[3].acted_ns = RES_NO_TIME;
	struct res_quality_facts facts = facts_of(records, 4);
	assert_float_equal(facts.merged_token_share, 2.0 / 3, 1e-12);
	facts = facts_of(NULL, 0);
	assert_true(facts.merged_token_share != facts.merged_token_share);
}

/* A template or special tokens add as many tokens to each prompt of a request. */
static void prompts_of_a_list_have_the_same_offset(void **state)
{
	static const struct {
		int64_t sequences[4]; /* 0: a request that generates */
		int64_t offsets[4];
		double share, disagreement;
	} rows[] = {
		{ { 4, 4, 4, 1 }, { 8, 8, 8, 2 }, 0, 0 },
		{ { 4, 4, 4, 1 }, { 8, 8, 8, 8 }, 0.25, 6 / 432.0 },
		{ { 0, 0, 0, 0 }, { 2, 2, 2, 2 }, 0, 0 },
		{ { 0, 0, 0, 0 }, { 2, 2, 2, 5 }, 0.25, 3 / 411.0 },
	};
	static const struct event none[EVENTS_MAX];

	(void)state;
	for (size_t i = 0; i < PL_ARRAY_SIZE(rows); i++) {
		struct res_record records[4];
		for (size_t k = 0; k < 4; k++) {
			make_record(&records[k], k, none, RES_NO_COUNT);
			records[k].input_sequences = rows[i].sequences[k];
			records[k].prompt_tokens_requested = 100;
			records[k].prompt_tokens = 100 + rows[i].offsets[k];
		}
		struct res_quality_facts facts = facts_of(records, 4);
		assert_true(fabs(facts.prompt_off_share - rows[i].share) < 1e-12);
		assert_true(fabs(facts.prompt_token_disagreement - rows[i].disagreement) < 1e-12);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_share_of_merged_tokens),
		cmocka_unit_test(merged_tokens_of_several_requests),
		cmocka_unit_test(prompts_of_a_list_have_the_same_offset),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
