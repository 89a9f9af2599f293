/*
 * Where the time went: means of both sides are split exactly where their requests are the same, and the limits hold the
 * truth of synthetic requests where they are not.
 */
#include "result/breakdown.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "base/mem.h"
#include "base/rng.h"
#include "base/text.h"

#define REQUESTS_MAX 64
#define NS(ms)       ((int64_t)((ms)*1e6))

/* One request, in milliseconds. `arrival`: the part of the front end before its arrival is noted. */
struct truth {
	double client, network, arrival, front_end, queue, prefill, decode;
};

/* Requests of this client, followed by those of others, and both sides' records of them. */
struct play {
	struct truth truths[REQUESTS_MAX];
	size_t count;
	size_t others;
	double round_trip_ms;
	struct res_record records[REQUESTS_MAX];
	struct res_event events[REQUESTS_MAX][2];
	struct res_outcome outcome;
	struct res_breakdown_facts facts;
	json_t *results;
	json_t *json;
};

static void observe(struct play *play, enum res_server_latency id, double ms)
{
	static const double bounds[] = { 0.001, 0.01, 0.1, 0.3, 0.5, 1, 5 };
	struct pl_buckets *latency = &play->facts.latency[id];

	for (size_t i = 0; i < PL_ARRAY_SIZE(bounds); i++)
		pl_buckets_add(latency, bounds[i], ms / 1e3 <= bounds[i]);
	latency->count++;
	latency->sum += ms / 1e3;
	play->facts.known[id] = true;
}

static void serve(struct play *play, const struct truth *truth)
{
	double inside = truth->front_end - truth->arrival;
	double ttft = inside + truth->queue + truth->prefill;

	observe(play, RES_SERVER_TTFT, ttft);
	observe(play, RES_SERVER_E2EL, ttft + truth->decode);
	observe(play, RES_SERVER_QUEUE, truth->queue);
	observe(play, RES_SERVER_PREFILL, truth->prefill);
	observe(play, RES_SERVER_DECODE, truth->decode);
	observe(play, RES_SERVER_INFERENCE, truth->prefill + truth->decode);
}

static double ttft_of(const struct truth *truth)
{
	return truth->client + truth->network + truth->front_end + truth->queue + truth->prefill;
}

static void set_results(struct play *play)
{
	double ttft = 0, e2el = 0, n = (double)play->count;

	for (size_t i = 0; i < play->count; i++) {
		ttft += ttft_of(&play->truths[i]);
		e2el += ttft_of(&play->truths[i]) + play->truths[i].decode;
	}
	play->results = json_pack("{s:f, s:f}", "mean_ttft_ms", ttft / n, "mean_e2el_ms", e2el / n);
}

static void record(struct play *play, size_t i)
{
	const struct truth *truth = &play->truths[i];
	struct res_record *record = &play->records[i];

	res_record_init(record, i);
	record->planned_ns = record->acted_ns = NS(1000);
	record->sent_ns = record->acted_ns + NS(truth->client);
	record->ok = true;
	record->events = play->events[i];
	record->event_count += res_event_encode(record->events, 1, NS(ttft_of(truth)), 1,
						RES_EVENT_CONTENT);
	record->event_count += res_event_encode(record->events + 1, 1, NS(truth->decode), 1,
						RES_EVENT_CONTENT);
	record->end_ns = record->acted_ns + NS(ttft_of(truth) + truth->decode);
}

static void play_it(struct play *play)
{
	for (size_t i = 0; i < play->count + play->others; i++)
		serve(play, &play->truths[i]);
	for (size_t i = 0; i < play->count; i++)
		record(play, i);
	play->outcome = (struct res_outcome){ .records = play->records,
					      .count = play->count,
					      .min_round_trip_ns = NS(play->round_trip_ms) };
	play->facts.has_pages = true;
	set_results(play);
}

static void split(struct play *play)
{
	json_decref(play->json);
	play->json = res_breakdown(&play->outcome, play->results, &play->facts);
}

static void play_done(struct play *play)
{
	json_decref(play->results);
	json_decref(play->json);
}

static double at(const struct play *play, const char *path)
{
	const json_t *value = pl_json_get_path(play->json, path);

	return json_is_number(value) ? json_number_value(value) : NAN;
}

static void assert_near(const struct play *play, const char *path, double expected)
{
	double found = at(play, path);

	if (!(fabs(found - expected) < 1e-4))
		fail_msg("%s: found %g, expected %g", path, found, expected);
}

static void assert_state(const struct play *play, const char *state, const char *reason)
{
	const char *found = pl_json_get_text(play->json, "reason");

	assert_string_equal(pl_json_get_text(play->json, "state"), state);
	assert_true(pl_text_equal(found, reason));
	assert_true((reason == NULL) == (res_breakdown_reason_text(found) == NULL));
}

static struct play two_requests(void)
{
	return (struct play){
		.count = 2,
		.round_trip_ms = 1,
		.truths = { { 0.5, 2, 3, 8, 100, 20, 400 }, { 0.1, 4, 1, 6, 300, 40, 600 } },
	};
}

static void test_result_breakdown__equal_counts_are_exact(void **state)
{
	struct play play = two_requests();

	(void)state;
	play_it(&play);
	split(&play);
	assert_state(&play, "exact", NULL);
	assert_near(&play, "ttft.client_low_ms", 0.3);
	assert_near(&play, "ttft.queue_low_ms", 200);
	assert_near(&play, "ttft.queue_high_ms", 200);
	assert_near(&play, "ttft.prefill_high_ms", 30);
	assert_near(&play, "e2el.decode_low_ms", 500);
	/* of 7 ms in the front end, 2 ms are before the arrival: they may be the network's */
	assert_near(&play, "ttft.front_end_low_ms", 5);
	assert_near(&play, "ttft.front_end_high_ms", 7 + 3 - 1);
	assert_near(&play, "ttft.network_low_ms", 1);
	assert_near(&play, "ttft.network_high_ms", 3 + 2);
	assert_near(&play, "ttft.unattributed_ms", 4);
	assert_near(&play, "ttft.total_ms", 240.3);
	assert_near(&play, "server.queue.mean_ms", 200);
	assert_near(&play, "server.queue.count", 2);
	assert_near(&play, "server.queue.median_high_ms", 100);
	assert_near(&play, "server.queue.p99_low_ms", 100);
	play_done(&play);
}

static void test_result_breakdown__a_local_server_has_no_network(void **state)
{
	struct play play = two_requests();

	(void)state;
	play.truths[0].network = play.truths[1].network = play.round_trip_ms = 0.01;
	play.facts.is_local = true;
	play_it(&play);
	split(&play);
	assert_near(&play, "ttft.network_high_ms", 0.01);
	assert_near(&play, "ttft.front_end_low_ms", 7);
	assert_near(&play, "e2el.front_end_high_ms", 7);
	assert_near(&play, "ttft.unattributed_ms", 0);
	play_done(&play);
}

/* The rest of parts that cancel out is 0, not 1.4e-14 ms. */
static void test_result_breakdown__a_part_without_time_is_zero(void **state)
{
	(void)state;
	for (int i = 1; i <= 20; i++) {
		struct play play = two_requests();
		play.round_trip_ms = 0;
		play.facts.is_local = true;
		for (size_t k = 0; k < play.count; k++)
			play.truths[k] = (struct truth){ .client = 0.1 * i,
							 .queue = 7.3 * i,
							 .prefill = 49.1 / i,
							 .decode = 64.7 * i };
		play_it(&play);
		split(&play);
		assert_true(at(&play, "ttft.front_end_low_ms") <= 0);
		assert_true(at(&play, "e2el.front_end_high_ms") <= 0);
		assert_true(at(&play, "e2el.unattributed_ms") <= 0);
		play_done(&play);
	}
}

static void test_result_breakdown__nothing_is_invented(void **state)
{
	struct play play = two_requests();

	(void)state;
	play_it(&play);
	play.facts.is_busy_after = true;
	split(&play);
	assert_state(&play, "none", "not_settled");
	assert_true(isnan(at(&play, "ttft.total_ms")) && isnan(at(&play, "e2el.queue_low_ms")));
	assert_near(&play, "server.queue.mean_ms", 200);
	play.facts.has_choices = true;
	split(&play);
	assert_state(&play, "none", "choices");
	play.facts.known[RES_SERVER_QUEUE] = false;
	split(&play);
	assert_state(&play, "none", "no_histograms");
	assert_true(isnan(at(&play, "server.queue.mean_ms")));
	play.facts.is_restarted = true;
	split(&play);
	assert_state(&play, "none", "restarted");
	assert_true(isnan(at(&play, "server.prefill.mean_ms")));
	play.facts.has_pages = false;
	split(&play);
	assert_state(&play, "none", "no_page");
	assert_true(json_is_null(json_object_get(play.json, "busy_before")));
	for (size_t i = 0; i < play.count; i++)
		play.records[i].ok = false;
	split(&play);
	assert_state(&play, "none", "no_requests");
	play_done(&play);
}

static void test_result_breakdown__contradictions(void **state)
{
	struct play play = two_requests();

	(void)state;
	play_it(&play);
	/* one request that the server did not count */
	play.outcome.count = play.count = 2;
	play.facts.latency[RES_SERVER_DECODE].count = 1;
	split(&play);
	assert_state(&play, "none", "counted_less");
	play.facts.latency[RES_SERVER_DECODE].count = 2;
	play.facts.latency[RES_SERVER_TTFT].sum *= 2;
	split(&play);
	assert_state(&play, "none", "contradiction");
	assert_true(isnan(at(&play, "ttft.queue_low_ms")));
	play_done(&play);
}

/* The server's own times of each request need neither its page nor its counts. */
static void test_result_breakdown__times_of_each_request(void **state)
{
	struct play play = two_requests();

	(void)state;
	play.others = 1;
	play.truths[2] = (struct truth){ 0, 0, 0, 0, 4000, 10, 10 };
	play_it(&play);
	split(&play);
	assert_state(&play, "bounded", "counted_more");
	assert_true(at(&play, "ttft.queue_low_ms") < 200 && at(&play, "ttft.queue_high_ms") > 200);
	for (size_t i = 0; i < play.count; i++) {
		play.records[i].server_queue_s = play.truths[i].queue / 1e3;
		play.records[i].server_ttft_s = play.truths[i].prefill / 1e3;
	}
	split(&play);
	assert_string_equal(pl_json_get_text(play.json, "source"), "requests");
	assert_near(&play, "ttft.queue_low_ms", 200);
	assert_near(&play, "e2el.prefill_high_ms", 30);
	/* decode by the histogram, which counted another request, until the server reports it, too */
	assert_true(at(&play, "e2el.decode_low_ms") < at(&play, "e2el.decode_high_ms") - 1);
	double decode_ms = 0;
	for (size_t i = 0; i < play.count; i++) {
		play.records[i].server_decode_s = play.truths[i].decode / 1e3;
		decode_ms += play.truths[i].decode / (double)play.count;
	}
	split(&play);
	assert_near(&play, "e2el.decode_low_ms", decode_ms);
	assert_near(&play, "e2el.decode_high_ms", decode_ms);
	play.facts.has_pages = false;
	split(&play);
	assert_near(&play, "e2el.decode_high_ms", decode_ms);
	play.records[0].server_decode_s = NAN;
	split(&play);
	assert_state(&play, "bounded", "no_page");
	assert_near(&play, "ttft.queue_high_ms", 200);
	assert_near(&play, "ttft.front_end_low_ms", 0);
	assert_near(&play, "ttft.front_end_high_ms", 7 + 3 - 1);
	assert_true(isnan(at(&play, "e2el.total_ms")));
	play_done(&play);
}

static void assert_holds(const struct play *play, const char *latency, const char *part,
			 double truth)
{
	auto_free char *low = pl_asprintf("%s.%s_low_ms", latency, part);
	auto_free char *high = pl_asprintf("%s.%s_high_ms", latency, part);

	if (!(at(play, low) <= truth + 1e-4 && truth <= at(play, high) + 1e-4))
		fail_msg("%s.%s: %g is not in [%g, %g]", latency, part, truth, at(play, low),
			 at(play, high));
}

/* Any requests, also of other clients: every limit holds, and the lower ones with the rest are the total. */
static void test_result_breakdown__limits_hold_the_truth(void **state)
{
	struct pl_nplegacy rng;

	(void)state;
	pl_nplegacy_seed(&rng, 5);
	for (int round = 0; round < 400; round++) {
		struct play play = { .count = 1 + (size_t)(pl_nplegacy_double(&rng) * 30) };
		struct truth mean = { 0 };
		play.others = round % 2 == 0 ? 0 : (size_t)(pl_nplegacy_double(&rng) * 20);
		play.round_trip_ms = 0.5;
		for (size_t i = 0; i < play.count + play.others; i++) {
			struct truth *truth = &play.truths[i];
			double n = (double)play.count;
			truth->client = pl_nplegacy_double(&rng);
			truth->network = 0.5 + pl_nplegacy_double(&rng) * 3;
			truth->front_end = pow(10, pl_nplegacy_double(&rng) * 2);
			truth->arrival = truth->front_end * pl_nplegacy_double(&rng);
			truth->queue = pow(10, pl_nplegacy_double(&rng) * 4 - 1);
			truth->prefill = pow(10, pl_nplegacy_double(&rng) * 2);
			truth->decode = pow(10, pl_nplegacy_double(&rng) * 3);
			if (i >= play.count)
				continue;
			mean.client += truth->client / n;
			mean.network += truth->network / n;
			mean.front_end += truth->front_end / n;
			mean.queue += truth->queue / n;
			mean.prefill += truth->prefill / n;
			mean.decode += truth->decode / n;
		}
		play_it(&play);
		split(&play);
		assert_state(&play, play.others == 0 ? "exact" : "bounded",
			     play.others == 0 ? NULL : "counted_more");
		static const char *const latencies[] = { "ttft", "e2el" };
		for (size_t i = 0; i < 2; i++) {
			assert_holds(&play, latencies[i], "client", mean.client);
			assert_holds(&play, latencies[i], "network", mean.network);
			assert_holds(&play, latencies[i], "front_end", mean.front_end);
			assert_holds(&play, latencies[i], "queue", mean.queue);
			assert_holds(&play, latencies[i], "prefill", mean.prefill);
		}
		assert_holds(&play, "e2el", "decode", mean.decode);
		if (play.others == 0)
			assert_near(&play, "e2el.queue_high_ms", mean.queue);
		play_done(&play);
	}
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_result_breakdown__equal_counts_are_exact),
		cmocka_unit_test(test_result_breakdown__a_local_server_has_no_network),
		cmocka_unit_test(test_result_breakdown__a_part_without_time_is_zero),
		cmocka_unit_test(test_result_breakdown__nothing_is_invented),
		cmocka_unit_test(test_result_breakdown__contradictions),
		cmocka_unit_test(test_result_breakdown__times_of_each_request),
		cmocka_unit_test(test_result_breakdown__limits_hold_the_truth),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
