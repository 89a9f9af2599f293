#include "demo/history.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "base/text.h"
#include "demo/history_priv.h"
#include "store/documents/document.h"
#include "unit/sanitizer.h"

/* with AddressSanitizer a document takes ten times as long */
#ifdef __SANITIZE_ADDRESS__
#define ROWS 240
#else
#define ROWS 1200
#endif
#define SWEEPS (ROWS / DEMO_SWEEP)

static struct demo *open_history(uint64_t seed, int64_t rows)
{
	struct demo *history = NULL;
	struct pl_err err = PL_ERR_INIT;

	if (demo_new(seed, rows, &history, &err) < 0)
		fail_msg("%s", err.text);
	return history;
}

static json_t *document(const struct demo *history, int64_t index)
{
	struct pl_err err = PL_ERR_INIT;
	json_t *made = NULL;

	if (demo_document(history, index, &made, &err) < 0)
		fail_msg("%s", err.text);
	return made;
}

static void assert_same(uint64_t seed, int64_t rows, int64_t index, const json_t *wanted, bool same)
{
	auto_history struct demo *history = open_history(seed, rows);
	auto_json json_t *found = document(history, index);

	assert_int_equal(json_equal(found, wanted), same);
}

static void test_demo_history__a_document_depends_on_its_numbers_alone(void **state)
{
	auto_history struct demo *history = open_history(7, ROWS);
	static const int64_t order[] = { 777, 3, 0, ROWS - 1, 10000000 };

	(void)state;
	for (size_t i = 0; i < PL_ARRAY_SIZE(order); i++) {
		auto_json json_t *first = document(history, order[i]);
		assert_same(7, ROWS, order[i], first, true);
		assert_same(8, ROWS, order[i], first, false);
		assert_same(7, ROWS * 2, order[i], first, false);
		assert_same(7, ROWS, order[i] + 1, first, false);
	}
}

static void assert_passes(const struct store_reader *reader, const json_t *made)
{
	auto_store_document read = { .len = 0 };
	auto_json json_t *faults = NULL;
	auto_free char *text = pl_json_to_text(made, PL_JSON_INDENT);
	struct pl_err err = PL_ERR_INIT;

	if (store_document_read(
		    reader,
		    &(struct store_source){
			    .bytes = text, .len = strlen(text), .name = "made.json", .line = 1 },
		    &read, &faults, &err) < 0)
		fail_msg("%s", err.text);
	assert_int_equal(read.form, STORE_FORM_NATIVE);
	if (json_array_size(read.notes) > 0) {
		auto_free char *notes = pl_json_to_text(read.notes, PL_JSON_COMPACT);
		fail_msg("%s", notes);
	}
	/* nothing was held back as a secret */
	assert_true(json_equal(read.json, made));
}

static void test_demo_history__results_pass_and_say_what_they_are(void **state)
{
	auto_fields struct res_fields *fields = res_fields_new(NULL);
	auto_store_reader struct store_reader *reader = NULL;
	auto_history struct demo *history = open_history(1, ROWS);
	struct pl_err err = PL_ERR_INIT;

	(void)state;
	if (store_reader_new(fields, &reader, &err) < 0)
		fail_msg("%s", err.text);
	for (int64_t i = 0; i < ROWS; i += 3) {
		auto_json json_t *made = document(history, i);
		assert_passes(reader, made);
		assert_true(json_is_true(pl_json_get_path(made, "environment.engine.simulated")));
		/* no request was sent twice */
		const json_t *results = json_object_get(made, "results");
		if (json_object_get(results, "retries") != NULL) {
			assert_int_equal(pl_json_get_i64(results, "retries"), 0);
			assert_int_equal(pl_json_get_i64(results, "retried_requests"), 0);
		}
		assert_true(json_is_true(pl_json_get_path(made, "system.hardware_info.simulated")));
		assert_string_equal(pl_json_path_text(made, "tags.synthetic"), "yes");
		assert_true(pl_text_starts(pl_json_get_text(made, "name"), "synthetic: "));
	}
}

/* Counts the members that differ; a missing one differs. */
static size_t differences(const json_t *one, const json_t *other)
{
	size_t count = 0;

	PL_JSON_EACH_MEMBER(name, value, one)
		count += !json_equal(value, json_object_get(other, name));
	return count;
}

static void test_demo_history__a_sweep_varies_one_or_two_things(void **state)
{
	auto_history struct demo *history = open_history(2, ROWS);

	(void)state;
	for (int64_t sweep = 0; sweep < SWEEPS; sweep++) {
		json_t *made[DEMO_SWEEP];
		for (int i = 0; i < DEMO_SWEEP; i++) {
			json_t *whole = document(history, sweep * DEMO_SWEEP + i);
			made[i] = json_incref(pl_json_get_path(whole, "config.experiment"));
			json_decref(whole);
		}
		for (int i = 0; i < DEMO_SWEEP; i++) {
			for (int j = 0; j < i; j++) {
				size_t count = differences(json_object_get(made[i], "server"),
							   json_object_get(made[j], "server")) +
					       differences(json_object_get(made[i], "benchmark"),
							   json_object_get(made[j], "benchmark"));
				/* and the number of requests that goes with them */
				assert_in_range(count, 1, 3);
			}
			assert_string_equal(pl_json_get_text(made[i], "name"),
					    pl_json_get_text(made[0], "name"));
		}
		for (int i = 0; i < DEMO_SWEEP; i++)
			json_decref(made[i]);
	}
}

/* How often a history contains each of these. */
struct tally {
	size_t completed, launch_failed, other_ends;
	size_t trusted, degraded, limited, without_verdict;
	size_t narrow, newer, modes, infinite, null_figures, releases, single;
};

static void count_ends(const json_t *made, struct tally *tally)
{
	const char *status = pl_json_get_text(made, "status");
	const char *verdict = pl_json_path_text(made, "quality.verdict");

	tally->completed += pl_text_equal(status, "completed");
	tally->launch_failed += pl_text_equal(status, "launch_failed");
	tally->other_ends += !pl_text_equal(status, "completed") &&
			     !pl_text_equal(status, "launch_failed");
	tally->trusted += pl_text_equal(verdict, "trusted");
	tally->degraded += pl_text_equal(verdict, "degraded");
	tally->limited += pl_text_equal(verdict, "client_limited");
	tally->without_verdict += verdict == NULL;
	if (pl_text_equal(status, "launch_failed"))
		assert_non_null(pl_json_path_text(made, "error.cause"));
}

static double figure(const json_t *made, const char *path)
{
	return json_number_value(pl_json_get_path(made, path));
}

static bool is_whole(const json_t *made)
{
	return pl_text_equal(pl_json_get_text(made, "status"), "completed");
}

/* Fails unless the total lies within the limits of its parts, and returns it. */
static double assert_adds_up(const json_t *split)
{
	double total = figure(split, "total_ms"), low = 0, high = 0;

	PL_JSON_EACH_MEMBER(name, value, split) {
		double ms = json_number_value(value);
		if (json_is_null(value))
			fail_msg("%s is null", name);
		if (ms < 0)
			fail_msg("%s: %g of %g ms", name, ms, total);
		low += pl_text_ends(name, "_low_ms") ? ms : 0;
		high += pl_text_ends(name, "_high_ms") ? ms : 0;
	}
	assert_true(low <= total * (1 + 1e-9) && total <= high * (1 + 1e-9));
	return total;
}

static void assert_time_went_somewhere(const json_t *made)
{
	const json_t *parts = pl_json_get_path(made, "results.latency_breakdown");

	assert_string_equal(pl_json_get_text(parts, "state"), "exact");
	double first = assert_adds_up(json_object_get(parts, "ttft"));
	double all = assert_adds_up(json_object_get(parts, "e2el"));
	assert_true(first == figure(made, "results.mean_ttft_ms"));
	assert_true(all == figure(made, "results.mean_e2el_ms"));
	/* the server's times lie between the client's */
	assert_true(figure(parts, "server.ttft.mean_ms") < first);
	assert_true(figure(parts, "server.e2el.mean_ms") < all);
	assert_true(figure(parts, "server.queue.median_low_ms") <=
		    figure(parts, "server.queue.p99_low_ms"));
}

/* All checks of single rows in one pass, because most of the time goes into making the documents. */
static void test_demo_history__has_what_histories_have(void **state)
{
	auto_history struct demo *history = open_history(0, ROWS);
	struct tally tally = { .completed = 0 };
	size_t most = 0;
	const char *first = NULL;

	(void)state;
	auto_json json_t *begin = document(history, 0);
	first = pl_json_path_text(begin, "launch.target.version");
	for (int64_t i = 0; i < ROWS; i++) {
		auto_json json_t *made = document(history, i);
		const json_t *server = pl_json_get_path(made, "config.server");
		count_ends(made, &tally);
		if (is_whole(made))
			assert_time_went_somewhere(made);
		most = json_object_size(server) > most ? json_object_size(server) : most;
		tally.narrow += json_object_size(server) < 380;
		tally.newer += json_object_get(server, "prefill_lookahead_tokens") != NULL;
		tally.modes += pl_json_get_path(server, "compilation_config.mode") != NULL;
		tally.single += pl_json_get_path(made, "config.experiment.server"
						       ".tensor_parallel_size") == NULL;
		tally.infinite += pl_text_equal(
			pl_json_path_text(made, "config.benchmark.request_rate"), "inf");
		tally.null_figures += json_is_null(
			pl_json_get_path(made, "results.request_goodput"));
		tally.releases += !pl_text_equal(first,
						 pl_json_path_text(made, "launch.target.version"));
	}
	assert_true(most >= 392);
	assert_in_range(tally.completed, ROWS * 8 / 10, ROWS * 99 / 100);
	const size_t some[] = { tally.launch_failed, tally.other_ends, tally.degraded,
				tally.limited,       tally.narrow,     tally.newer,
				tally.modes,         tally.infinite,   tally.null_figures,
				tally.single };
	for (size_t i = 0; i < PL_ARRAY_SIZE(some); i++)
		assert_in_range(some[i], 1, ROWS - 1);
	assert_true(tally.trusted > ROWS / 2 && tally.releases > ROWS / 2);
	/* only what was measured has one */
	assert_true(tally.without_verdict >= tally.launch_failed);
}

/* More at once: more tokens a second in all, each of them later. */
static void test_demo_history__figures_follow_the_load(void **state)
{
	auto_history struct demo *history = open_history(0, ROWS);
	size_t seen = 0;

	(void)state;
	for (int64_t sweep = 0; sweep < SWEEPS; sweep++) {
		auto_json json_t *few = document(history, sweep * DEMO_SWEEP);
		auto_json json_t *many = document(history, sweep * DEMO_SWEEP + 5);
		if (!pl_text_starts(pl_json_get_text(few, "name"), "synthetic: concurrency") ||
		    !is_whole(few) || !is_whole(many))
			continue;
		seen++;
		assert_true(figure(many, "results.output_throughput") >
			    2 * figure(few, "results.output_throughput"));
		assert_true(figure(many, "results.median_tpot_ms") >
			    figure(few, "results.median_tpot_ms"));
		assert_true(figure(many, "results.p99_ttft_ms") >
			    figure(many, "results.median_ttft_ms"));
	}
	assert_true(seen > 0);
}

/* Processors are threads of whole cores, and each GPU has as many as the others. */
static void test_demo_history__hosts_are_possible(void **state)
{
	(void)state;
	for (size_t i = 0; i < demo_host_count(); i++) {
		const struct demo_host *host = demo_host_at(i);
		assert_true(host->gpus > 0 && host->cpus > 0);
		assert_int_equal(host->cpus % (2 * host->gpus), 0);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_demo_history__hosts_are_possible),
		cmocka_unit_test(test_demo_history__a_document_depends_on_its_numbers_alone),
		cmocka_unit_test(test_demo_history__results_pass_and_say_what_they_are),
		cmocka_unit_test(test_demo_history__a_sweep_varies_one_or_two_things),
		cmocka_unit_test(test_demo_history__has_what_histories_have),
		cmocka_unit_test(test_demo_history__figures_follow_the_load),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
