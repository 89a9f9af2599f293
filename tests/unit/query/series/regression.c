/* From results to verdicts: which results a series has and in which order, its cleaning, incidents, and the cache. */
#include "query/series/series.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/mem.h"
#include "base/rng.h"
#include "request_contract.h"

#define ANSWER_BYTES_MAX (4u << 20)
#define CACHE_BYTES      (1u << 20)
#define TTFT             "results.median_ttft_ms"
#define REGRESSION       "/api/analysis/regression"

/* ---- results ----------------------------------------------------------------------------------- */

/* A history: results in the order of their ids. */
struct history {
	json_t *documents;
	struct pl_nplegacy rng;
	struct res_fields *fields;
	struct mirror *mirror;
	struct query_series_cache *cache;
};

static void history_init(struct history *history)
{
	*history = (struct history){ .documents = json_array() };
	pl_nplegacy_seed(&history->rng, 11);
}

static void history_done(struct history *history)
{
	mirror_free(history->mirror);
	res_fields_free(history->fields);
	query_series_cache_free(history->cache);
	json_decref(history->documents);
}
#define auto_history __attribute__((cleanup(history_done))) struct history

/* Adds a result of day `day` and returns it, borrowed. value NaN: it lacks the metric. */
static json_t *add(struct history *history, int day, int max_num_seqs, double value)
{
	size_t number = json_array_size(history->documents);
	char run_id[32], time[32];

	snprintf(run_id, sizeof(run_id), "exp_%04zu", number);
	snprintf(time, sizeof(time), "2026-%02d-%02dT00:00:00Z", 1 + day / 28, 1 + day % 28);
	json_t *results = json_object();
	if (!isnan(value))
		json_object_set_new(results, "median_ttft_ms", json_real(value));
	json_t *document = json_pack(
		"{s:s, s:s, s:s, s:{s:{s:s, s:i}, s:[s, s]}, s:{s:s, s:{s:s, s:s, s:b}, s:s}, s:o}",
		"run_id", run_id, "timestamp", time, "status", "completed", "config", "server",
		"model", "some/model", "max_num_seqs", max_num_seqs, "server_explicit", "model",
		"max_num_seqs", "environment", "hostname", "node", "engine", "name", "vllm",
		"version", "0.31.0", "simulated", 0, "torch", "2.9.0", "results", results);
	assert_non_null(document);
	json_array_append_new(history->documents, document);
	return document;
}

static double noisy(struct history *history, double level)
{
	return level * (1 + 0.02 * pl_nplegacy_gauss(&history->rng));
}

static void set_text(json_t *document, const char *section, const char *key, const char *value)
{
	json_object_set_new(json_object_get(document, section), key, json_string(value));
}

static void set_version(json_t *document, const char *version)
{
	json_t *engine = json_object_get(json_object_get(document, "environment"), "engine");

	json_object_set_new(engine, "version", json_string(version));
}

static int read_document(void *context, int64_t id, const char *member, json_t **ret,
			 int64_t *ret_changed, struct pl_err *err)
{
	const struct history *history = context;

	(void)member;
	(void)err;
	*ret_changed = 0;
	*ret = json_incref(json_array_get(history->documents, (size_t)id - 1));
	return 0;
}

/* Stores the results in the order of their documents, or in the reverse order. */
static void store(struct history *history, bool is_reversed)
{
	size_t count = json_array_size(history->documents);

	history->fields = res_fields_new(NULL);
	history->mirror = mirror_new(history->fields, read_document, history);
	history->cache = query_series_cache_new(CACHE_BYTES);
	for (size_t i = 0; is_reversed && i < count / 2; i++) {
		json_t *one = json_incref(json_array_get(history->documents, i));
		json_array_set(history->documents, i,
			       json_array_get(history->documents, count - 1 - i));
		json_array_set_new(history->documents, count - 1 - i, one);
	}
	for (size_t i = 0; i < count; i++) {
		auto_row row = { .id = 0 };
		mirror_row_of_document(history->fields, json_array_get(history->documents, i),
				       &row);
		row.id = (int64_t)i + 1;
		mirror_append(history->mirror, &row);
	}
	mirror_publish(history->mirror);
}

static json_t *ask(struct history *history, const char *text)
{
	auto_snapshot struct mirror_snapshot *snapshot = mirror_snapshot_take(history->mirror);
	auto_json json_t *request = json_loads(text, 0, NULL);
	auto_buf answer = PL_BUF(ANSWER_BYTES_MAX);
	auto_schema_faults faults = { 0 };
	struct query_regression_inputs inputs = { .cache = history->cache };
	struct pl_err err = PL_ERR_INIT;

	assert_non_null(request);
	assert_true(request_fits(REGRESSION, request, &faults));
	if (query_regression(snapshot, request, &inputs, &answer, &faults, &err) < 0)
		fail_msg("%s", err.text);
	json_t *json = json_loadb(answer.data, answer.len, 0, NULL);
	assert_non_null(json);
	return json;
}

static const json_t *series_at(const json_t *answer, size_t i)
{
	return json_array_get(json_object_get(answer, "series"), i);
}

/* Asks for the only series, with its points. */
static json_t *ask_points(struct history *history, const char *order)
{
	auto_json json_t *answer = ask(history, "{\"metrics\": [\"" TTFT "\"]}");
	const json_t *verdict = series_at(answer, 0);
	auto_free char *text = pl_asprintf("{\"metrics\": [\"" TTFT "\"], \"series\": \"%s\"%s}",
					   pl_json_get_text(verdict, "key"), order);

	assert_int_equal(json_array_size(json_object_get(answer, "series")), 1);
	return ask(history, text);
}

/* ---- cleaning ---------------------------------------------------------------------------------- */

static void test_query_series_regression__excluded_results_are_counted(void **state)
{
	auto_history history;

	(void)state;
	history_init(&history);
	for (int day = 0; day < 40; day++)
		add(&history, day, 16, noisy(&history, 80));
	json_object_del(add(&history, 40, 16, 1000), "timestamp");
	json_object_set_new(
		json_object_get(json_object_get(add(&history, 41, 16, 1000), "environment"),
				"engine"),
		"simulated", json_true());
	add(&history, 42, 16, NAN);
	store(&history, false);
	auto_json json_t *answer = ask_points(&history, "");
	const json_t *verdict = series_at(answer, 0),
		     *excluded = json_object_get(answer, "excluded");
	assert_string_equal(pl_json_get_text(verdict, "state"), "stable");
	assert_int_equal(pl_json_get_i64(excluded, "simulated"), 1);
	assert_int_equal(pl_json_get_i64(excluded, "no_time"), 1);
	assert_int_equal(pl_json_get_i64(excluded, "no_metric"), 1);
	/* the result without the metric is a gap of the series */
	assert_int_equal(json_array_size(json_object_get(verdict, "points")), 41);
	assert_true(json_is_null(
		json_object_get(json_array_get(json_object_get(verdict, "points"), 40), "value")));
}

static void test_query_series_regression__outliers_are_marked_and_alarm_nothing(void **state)
{
	auto_history history;
	size_t count = 0;

	(void)state;
	history_init(&history);
	for (int day = 0; day < 60; day++)
		add(&history, day, 16, day == 20 || day == 45 ? 400 : noisy(&history, 80));
	store(&history, false);
	auto_json json_t *answer = ask_points(&history, "");
	const json_t *verdict = series_at(answer, 0);
	assert_string_equal(pl_json_get_text(verdict, "state"), "stable");
	PL_JSON_EACH(point, json_object_get(verdict, "points")) {
		bool is_outlier = json_is_true(json_object_get(point, "outlier"));
		assert_true(is_outlier || (point_at != 20 && point_at != 45));
		count += is_outlier;
	}
	/* of few neighbors, noise may be far from the median, too */
	assert_true(count >= 2 && count <= 6);
}

static void test_query_series_regression__zero_is_not_comparable(void **state)
{
	auto_history history;

	(void)state;
	history_init(&history);
	for (int day = 0; day < 40; day++)
		add(&history, day, 16, day == 7 ? 0 : noisy(&history, 80));
	store(&history, false);
	auto_json json_t *answer = ask(&history, "{\"metrics\": [\"" TTFT "\"]}");
	assert_string_equal(pl_json_get_text(series_at(answer, 0), "state"), "not_comparable");
}

/* ---- the order of the axis ---------------------------------------------------------------------- */

/* Asserts that the labels of the points begin with these texts, three points each. */
static void assert_labels(const json_t *verdict, const char *const *labels, size_t count)
{
	const json_t *points = json_object_get(verdict, "points");

	assert_int_equal(json_array_size(points), 3 * count);
	PL_JSON_EACH(point, points)
		assert_string_equal(pl_json_get_text(point, "label"), labels[point_at / 3]);
}

static void test_query_series_regression__releases_have_an_order_of_their_own(void **state)
{
	static const char *const rising[] = { "0.9.2", "0.10.0rc1", "0.10.0", "0.10.0.post1",
					      "0.11.0" };
	static const int day_of[] = { 3, 4, 1, 0, 2 };
	static const char by_version[] = ", \"order\": {\"by\": \"version\"}";

	(void)state;
	for (int is_reversed = 0; is_reversed < 2; is_reversed++) {
		auto_history history;
		history_init(&history);
		for (size_t i = 0; i < PL_ARRAY_SIZE(rising); i++) {
			for (int k = 0; k < 3; k++)
				set_version(
					add(&history, 3 * day_of[i] + k, 16, noisy(&history, 80)),
					rising[i]);
		}
		store(&history, is_reversed);
		auto_json json_t *answer = ask_points(&history, by_version);
		assert_labels(series_at(answer, 0), rising, PL_ARRAY_SIZE(rising));
		/* results of one version are in the order of time */
		const char *last = "";
		PL_JSON_EACH(point, json_object_get(series_at(answer, 0), "points")) {
			const char *time = pl_json_get_text(point, "time");
			assert_true(point_at % 3 == 0 || strcmp(last, time) < 0);
			last = time;
		}
	}
}

/* Versions that are not all releases are in the order of their first results. */
static void test_query_series_regression__commits_are_in_the_order_of_time(void **state)
{
	static const char *const first[] = { "c0ffee", "0.31.0", "abcdef", "0badcafe" };

	(void)state;
	for (int is_reversed = 0; is_reversed < 2; is_reversed++) {
		auto_history history;
		history_init(&history);
		for (size_t i = 0; i < PL_ARRAY_SIZE(first); i++) {
			for (int k = 0; k < 3; k++)
				set_version(add(&history, 3 * (int)i + k, 16, noisy(&history, 80)),
					    first[i]);
		}
		store(&history, is_reversed);
		auto_json json_t *answer = ask_points(&history,
						      ", \"order\": {\"by\": \"version\"}");
		assert_labels(series_at(answer, 0), first, PL_ARRAY_SIZE(first));
	}
}

/* ---- incidents --------------------------------------------------------------------------------- */

enum { CONFIGURATIONS = 4, DAYS = 60, STEP = 35 };

/* Two of four configurations became slower on the same day, when torch changed on their host. */
static void add_incident(struct history *history)
{
	history_init(history);
	for (int day = 0; day < DAYS; day++) {
		for (int i = 0; i < CONFIGURATIONS; i++) {
			bool is_slower = i < 2 && day >= STEP;
			json_t *document = add(history, day, 16 << i,
					       noisy(history, is_slower ? 92 : 80));
			if (is_slower)
				set_text(document, "environment", "torch", "2.10.0");
		}
	}
}

static void test_query_series_regression__one_cause_is_one_incident(void **state)
{
	auto_history history;

	(void)state;
	add_incident(&history);
	store(&history, false);
	auto_json json_t *answer = ask(&history, "{\"metrics\": [\"" TTFT "\"]}");
	const json_t *incidents = json_object_get(answer, "incidents");
	const json_t *incident = json_array_get(incidents, 0);
	const json_t *cause = json_array_get(json_object_get(incident, "causes"), 0);
	assert_int_equal(json_array_size(incidents), 1);
	assert_string_equal(pl_json_get_text(incident, "state"), "regression");
	assert_int_equal(json_array_size(json_object_get(incident, "series")), 2);
	assert_string_equal(pl_json_get_text(cause, "field"), "environment.torch");
	assert_string_equal(pl_json_get_text(cause, "before"), "2.9.0");
	assert_string_equal(pl_json_get_text(cause, "after"), "2.10.0");
	assert_int_equal(pl_json_get_i64(cause, "affected_count"), 2);
	for (size_t i = 0; i < CONFIGURATIONS; i++)
		assert_string_equal(pl_json_get_text(series_at(answer, i), "state"),
				    i < 2 ? "regression" : "stable");
}

static void test_query_series_regression__the_order_of_results_does_not_count(void **state)
{
	json_t *answers[2];

	(void)state;
	for (int i = 0; i < 2; i++) {
		auto_history history;
		add_incident(&history);
		store(&history, i == 1);
		auto_json json_t *answer = ask(&history, "{\"metrics\": [\"" TTFT "\"]}");
		PL_JSON_EACH(verdict, json_object_get(answer, "series")) {
			json_object_del(verdict, "experiments");
			PL_JSON_EACH(change, json_object_get(verdict, "changes")) {
				json_object_del(change, "id_before");
				json_object_del(change, "id_after");
				json_object_del(change, "before_ids");
				json_object_del(change, "after_ids");
			}
		}
		answers[i] = json_deep_copy(answer);
	}
	assert_true(json_equal(json_object_get(answers[0], "series"),
			       json_object_get(answers[1], "series")));
	assert_true(json_equal(json_object_get(answers[0], "incidents"),
			       json_object_get(answers[1], "incidents")));
	json_decref(answers[0]);
	json_decref(answers[1]);
}

/* ---- the cache --------------------------------------------------------------------------------- */

static void test_query_series_regression__a_budget_is_continued_and_gives_the_same(void **state)
{
	static const char text[] = "{\"metrics\": [\"" TTFT "\"], \"budget_ms\": 1}";
	auto_history history;
	size_t calls = 1;

	(void)state;
	add_incident(&history);
	store(&history, false);
	auto_json json_t *at_once = ask(&history, "{\"metrics\": [\"" TTFT "\"]}");
	struct query_series_counts before = query_series_cache_counts(history.cache);
	assert_int_equal(before.analyzed, CONFIGURATIONS);
	query_series_cache_free(history.cache);
	history.cache = query_series_cache_new(CACHE_BYTES);
	json_t *answer = ask(&history, text);
	/* each call analyzes at least one series */
	for (; json_array_size(json_object_get(answer, "incomplete")) > 0; calls++) {
		assert_int_equal(json_array_size(json_object_get(answer, "series")), 0);
		json_decref(answer);
		answer = ask(&history, text);
	}
	assert_true(calls <= CONFIGURATIONS);
	assert_true(json_equal(answer, at_once));
	json_decref(answer);
	assert_int_equal(query_series_cache_counts(history.cache).analyzed, CONFIGURATIONS);
	/* again: no series is analyzed */
	json_decref(ask(&history, text));
	assert_int_equal(query_series_cache_counts(history.cache).analyzed, CONFIGURATIONS);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_query_series_regression__excluded_results_are_counted),
		cmocka_unit_test(
			test_query_series_regression__outliers_are_marked_and_alarm_nothing),
		cmocka_unit_test(test_query_series_regression__zero_is_not_comparable),
		cmocka_unit_test(test_query_series_regression__releases_have_an_order_of_their_own),
		cmocka_unit_test(test_query_series_regression__commits_are_in_the_order_of_time),
		cmocka_unit_test(test_query_series_regression__one_cause_is_one_incident),
		cmocka_unit_test(test_query_series_regression__the_order_of_results_does_not_count),
		cmocka_unit_test(
			test_query_series_regression__a_budget_is_continued_and_gives_the_same),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
