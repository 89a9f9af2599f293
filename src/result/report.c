/*
 * The printed summary of a run. The table equals vLLM's in labels, widths and order, because
 * scripts parse it. Additional lines are above or below it, or on separate lines for values that
 * vLLM lacks.
 */
#include "result/report.h"

#include <math.h>
#include <string.h>

#include "base/file.h"
#include "base/text.h"
#include "experiment/kinds.h"
#include "experiment/values.h"
#include "result/document.h"
#include "result/flat/offline.h"

#define TABLE_WIDTH  50
#define LABEL_WIDTH  40
#define VALUE_WIDTH  10
#define FAILURES_MAX 10
#define TAIL_LINES   10 /* of the server's log, below the table */

/* vLLM's choice where percentile_metrics is not given. */
#define SHOWN_DEFAULT   "ttft,tpot,itl"
#define SHOWN_BY_POOLED "e2el"

/*
 * Maximum relative difference of a metric from its value by planned send time without showing both.
 */
#define PLANNED_SHARE 0.05

struct section {
	const char *key;
	const char *title;
	const char *label;
	bool ours;
};

#define ORIGIN_VLLM false
#define ORIGIN_OURS true
#define ORIGIN_KIND true

/* In vLLM's order; families without a label are never in the table. */
static const struct section sections[] = {
#define FAMILY(id, key, title, label, direction, origin, headline, formula, text) \
	{ key, title, label, ORIGIN_##origin },
#include "tbl/metrics.h"
};

static double number(const json_t *results, const char *key)
{
	const json_t *value = json_object_get(results, key);

	return json_is_number(value) ? json_number_value(value) : NAN;
}

/* Centers `text` in a line of `fill`; an odd remainder goes to the right. */
static void add_title(struct pl_buf *buf, const char *text, char fill)
{
	size_t len = strlen(text);
	size_t room = len < TABLE_WIDTH ? TABLE_WIDTH - len : 0;

	for (size_t i = 0; i < room / 2; i++)
		pl_buf_add_char(buf, fill);
	pl_buf_add_text(buf, text);
	for (size_t i = 0; i < room - room / 2; i++)
		pl_buf_add_char(buf, fill);
	pl_buf_add_char(buf, '\n');
}

static void add_line(struct pl_buf *buf, const char *label, const char *value)
{
	pl_buf_addf(buf, "%-*s %-*s\n", LABEL_WIDTH, label, VALUE_WIDTH, value);
}

static void add_number(struct pl_buf *buf, const char *label, double value)
{
	char text[400];

	snprintf(text, sizeof(text), "%.2f", value);
	add_line(buf, label, isnan(value) ? "n/a" : text);
}

static void add_count(struct pl_buf *buf, const char *label, double value)
{
	char text[400];

	snprintf(text, sizeof(text), "%.0f", value);
	add_line(buf, label, isnan(value) ? "n/a" : text);
}

/*
 * Adds vLLM's lines in vLLM's order; without a tokenizer it omits tokens that it would have to
 * count.
 */
static void add_totals(const json_t *results, const struct vllm_bench *bench, struct pl_buf *buf)
{
	bool counted = !bench->skip_tokenizer_init;
	bool pools = exp_backend_has(bench->backend, EXP_BACKEND_POOLS);

	add_count(buf, "Successful requests:", number(results, "completed"));
	add_count(buf, "Failed requests:", number(results, "failed"));
	if (bench->max_concurrency != OPTION_NO_I64)
		add_count(buf, "Maximum request concurrency:", (double)bench->max_concurrency);
	if (isfinite(bench->request_rate))
		add_number(buf, "Request rate configured (RPS):", bench->request_rate);
	add_number(buf, "Benchmark duration (s):", number(results, "duration"));
	add_count(buf, "Total input tokens:", number(results, "total_input_tokens"));
	if (counted && !pools)
		add_count(buf, "Total generated tokens:", number(results, "total_output_tokens"));
	add_number(buf, "Request throughput (req/s):", number(results, "request_throughput"));
	if (pools)
		add_number(buf, "Input throughput (inputs/s):",
			   number(results, "input_sequence_throughput"));
	/* vLLM shows none for pooling; here it counts end-to-end latencies */
	if (json_array_size(bench->goodput) > 0 &&
	    (!pools || !isnan(number(results, "request_goodput"))))
		add_number(buf, "Request goodput (req/s):", number(results, "request_goodput"));
	if (counted && !pools) {
		add_number(buf, "Output token throughput (tok/s):",
			   number(results, "output_throughput"));
		add_number(buf, "Peak output token throughput (tok/s):",
			   number(results, "max_output_tokens_per_s"));
	}
	if (!pools)
		add_number(buf,
			   "Peak concurrent requests:", number(results, "max_concurrent_requests"));
	/* vLLM's peak counts by seconds and can lie above the cap; this one shows that it held */
	if (bench->max_concurrency != OPTION_NO_I64)
		add_count(buf, "Peak requests in flight:", number(results, "peak_in_flight"));
	if (number(results, "rtfx") > 0)
		add_number(buf, "RTFx (Inverse Real-Time Factor):", number(results, "rtfx"));
	if (counted)
		add_number(buf, "Total token throughput (tok/s):",
			   number(results, "total_token_throughput"));
}

/* The family `key` ("ttft_ms") by its name in percentile_metrics ("ttft"), among comma-separated
 * names that vLLM does not trim. */
static bool is_requested(const char *names, const char *key)
{
	size_t len = strlen(key) - strlen("_ms");

	for (const char *at = names; at != NULL; at = strchr(at, ',')) {
		at += *at == ',';
		if (strcspn(at, ",") == len && strncmp(at, key, len) == 0)
			return true;
	}
	return false;
}

static bool is_of_vllm(const char *key)
{
	for (size_t i = 0; i < PL_ARRAY_SIZE(sections); i++) {
		if (pl_text_equal(sections[i].key, key))
			return !sections[i].ours;
	}
	return false;
}

/* Such metrics are of tokens, which pooling has none of. */
static bool needs_tokenizer(const char *key)
{
	return pl_text_equal(key, "ttft_ms") || pl_text_equal(key, "tpot_ms") ||
	       pl_text_equal(key, "itl_ms");
}

bool res_report_shows(const char *key, const struct vllm_bench *bench)
{
	bool pools = exp_backend_has(bench->backend, EXP_BACKEND_POOLS);
	const char *shown = pools ? SHOWN_BY_POOLED : SHOWN_DEFAULT;
	const char *names = bench->percentile_metrics ? bench->percentile_metrics : shown;

	if (!is_of_vllm(key) || !is_requested(names, key))
		return false;
	if ((bench->skip_tokenizer_init || pools) && needs_tokenizer(key))
		return false;
	if (pl_text_equal(key, "client_queue_time_ms"))
		return bench->max_concurrency != OPTION_NO_I64;
	if (pl_text_equal(key, "e2el_including_client_queue_ms"))
		return bench->max_concurrency != OPTION_NO_I64 && isfinite(bench->request_rate);
	return true;
}

static void add_statistic(const json_t *results, const struct section *section, const char *key,
			  const char *word, struct pl_buf *buf)
{
	char name[160], label[160];

	snprintf(name, sizeof(name), "%s_%s", key, section->key);
	snprintf(label, sizeof(label), "%s %s (ms):", word, section->label);
	add_number(buf, label, number(results, name));
}

/* "p99.9" */
static void percentile_key(double percentile, char key[PL_F64_TEXT_BYTES + 2])
{
	char text[PL_F64_TEXT_BYTES];

	exp_percentile_text(percentile, text);
	snprintf(key, PL_F64_TEXT_BYTES + 2, "p%s", text);
}

static void add_section(const json_t *results, const struct section *section,
			const double *percentiles, size_t count, struct pl_buf *buf)
{
	add_title(buf, section->title, '-');
	add_statistic(results, section, "mean", "Mean", buf);
	add_statistic(results, section, "median", "Median", buf);
	for (size_t i = 0; i < count; i++) {
		char key[PL_F64_TEXT_BYTES + 2], word[PL_F64_TEXT_BYTES + 2];
		percentile_key(percentiles[i], key);
		snprintf(word, sizeof(word), "P%s", key + 1);
		add_statistic(results, section, key, word, buf);
	}
}

static bool is_apart(const json_t *results, const char *statistic)
{
	auto_free char *sent_key = pl_asprintf("%s_ttft_ms", statistic);
	auto_free char *planned_key = pl_asprintf("%s_ttft_planned_ms", statistic);
	double sent = number(results, sent_key);

	return fabs(number(results, planned_key) - sent) > PLANNED_SHARE * sent;
}

/*
 * Returns whether requests were sent late: the TTFT then lacks a part of a user's wait for the
 * first token.
 */
static bool planned_is_apart(const json_t *results, const double *percentiles, size_t count)
{
	bool apart = is_apart(results, "mean") || is_apart(results, "median");

	for (size_t i = 0; i < count && !apart; i++) {
		char key[PL_F64_TEXT_BYTES + 2];
		percentile_key(percentiles[i], key);
		apart = is_apart(results, key);
	}
	return apart;
}

/* At rate inf under max_concurrency, planned latencies are mostly the wait for a free slot. */
static bool is_closed_loop(const struct vllm_bench *bench)
{
	return isinf(bench->request_rate) && bench->max_concurrency != OPTION_NO_I64;
}

static void add_probes(const json_t *results, struct pl_buf *buf)
{
	if (isnan(number(results, "probe_completed")))
		return;
	add_title(buf, "Probe Requests", '-');
	add_count(buf, "Probe requests completed:", number(results, "probe_completed"));
	add_count(buf, "Probe requests failed:", number(results, "probe_failed"));
	add_number(buf, "Median probe E2EL (ms):", number(results, "probe_median_e2el_ms"));
	add_number(buf, "P99 probe E2EL (ms):", number(results, "probe_p99_e2el_ms"));
	add_number(buf, "Max probe E2EL (ms):", number(results, "probe_max_e2el_ms"));
}

static void add_spec_decode(const json_t *results, struct pl_buf *buf)
{
	const json_t *rates = json_object_get(results, "spec_decode_per_position_acceptance_rates");

	if (isnan(number(results, "spec_decode_acceptance_rate")))
		return;
	add_title(buf, "Speculative Decoding", '-');
	add_number(buf, "Acceptance rate (%):", number(results, "spec_decode_acceptance_rate"));
	add_number(buf, "Acceptance length:", number(results, "spec_decode_acceptance_length"));
	add_count(buf, "Drafts:", number(results, "spec_decode_num_drafts"));
	add_count(buf, "Draft tokens:", number(results, "spec_decode_draft_tokens"));
	add_count(buf, "Accepted tokens:", number(results, "spec_decode_accepted_tokens"));
	if (json_array_size(rates) > 0)
		pl_buf_add_text(buf, "Per-position acceptance (%):\n");
	PL_JSON_EACH(rate, rates) {
		auto_free char *label = pl_asprintf("  Position %zu:", rate_at);
		add_number(buf, label, 100 * json_number_value(rate));
	}
}

/* The first turns of sessions; the result has all. */
#define TURNS_SHOWN 10

static void add_turn(const json_t *turn, struct pl_buf *buf)
{
	double cached = number(turn, "cached_prompt_share");
	int place = (int)pl_json_get_i64(turn, "turn") + 1;
	auto_free char *median = pl_asprintf("Turn %d median TTFT (ms):", place);
	auto_free char *p99 = pl_asprintf("Turn %d P99 TTFT (ms):", place);
	auto_free char *share = pl_asprintf("Turn %d cached prompt tokens (%%):", place);

	add_number(buf, median, number(turn, "median_ttft_ms"));
	add_number(buf, p99, number(turn, "p99_ttft_ms"));
	if (!isnan(cached))
		add_number(buf, share, 100 * cached);
}

static void add_sessions(const json_t *results, struct pl_buf *buf)
{
	const json_t *sessions = json_object_get(results, "sessions");

	if (!json_is_object(sessions))
		return;
	add_title(buf, "Sessions", '-');
	add_count(buf, "Completed sessions:", number(sessions, "completed"));
	add_count(buf, "Failed sessions:", number(sessions, "failed"));
	add_number(buf, "Mean turns per session:", number(sessions, "mean_turns"));
	add_number(buf, "Median session duration (ms):", number(sessions, "median_duration_ms"));
	add_number(buf, "P99 session duration (ms):", number(sessions, "p99_duration_ms"));
	add_number(buf, "Mean share waiting for the server (%):",
		   100 * number(sessions, "mean_wait_share"));
	PL_JSON_EACH(turn, json_object_get(results, "by_turn")) {
		if (turn_at < TURNS_SHOWN)
			add_turn(turn, buf);
	}
}

void res_report_table(const json_t *results, const struct vllm_bench *bench, struct pl_buf *buf)
{
	auto_free double *percentiles = NULL;
	size_t count = 0;

	/* Checked before the run; a wrong list shows none. */
	if (bench->metric_percentiles == NULL ||
	    exp_percentiles_parse(bench->metric_percentiles, &percentiles, &count, PL_ERR_IGNORED) <
		    0)
		count = 0;
	add_title(buf, " Serving Benchmark Result ", '=');
	add_totals(results, bench, buf);
	add_probes(results, buf);
	bool planned = res_report_shows("ttft_ms", bench) && !is_closed_loop(bench) &&
		       planned_is_apart(results, percentiles, count);
	for (size_t i = 0; i < PL_ARRAY_SIZE(sections); i++) {
		if (res_report_shows(sections[i].key, bench) ||
		    (planned && pl_text_equal(sections[i].key, "ttft_planned_ms")))
			add_section(results, &sections[i], percentiles, count, buf);
	}
	add_spec_decode(results, buf);
	add_sessions(results, buf);
	add_title(buf, "", '=');
}

/* One line of a message that may have many. */
static void add_message(struct pl_buf *buf, const char *text)
{
	/* a peer's text may hold a terminal's escapes */
	for (; *text != '\0'; text++)
		pl_buf_add_char(buf, (unsigned char)*text < ' ' ? ' ' : *text);
}

/* Entries of results.errors whose `key`, "count" or "retried", is above 0, under a title. */
static void add_errors(const json_t *errors, const char *key, const char *title, struct pl_buf *buf)
{
	size_t kinds = 0, shown = 0;

	PL_JSON_EACH(entry, errors)
		kinds += pl_json_get_i64(entry, key) > 0;
	if (kinds > 0)
		pl_buf_addf(buf, "%s%s:\n", title, kinds > FAILURES_MAX ? " (the first ten)" : "");
	PL_JSON_EACH(entry, errors) {
		json_int_t count = pl_json_get_i64(entry, key);
		const json_t *status = json_object_get(entry, "status");
		const char *kind = pl_json_get_text(entry, "kind");
		const char *sample = pl_json_get_text(entry, "sample");
		if (count <= 0 || shown++ >= FAILURES_MAX)
			continue;
		pl_buf_addf(buf, "  %lld x %s", (long long)count, kind != NULL ? kind : "unknown");
		if (json_is_integer(status))
			pl_buf_addf(buf, " %lld", (long long)json_integer_value(status));
		pl_buf_add_text(buf, sample != NULL ? ": " : "");
		add_message(buf, sample != NULL ? sample : "");
		pl_buf_add_char(buf, '\n');
	}
}

void res_report_failures(const json_t *results, struct pl_buf *buf)
{
	const json_t *errors = json_object_get(results, "errors");

	add_errors(errors, "count", "Failed requests by kind", buf);
	add_errors(errors, "retried", "Failed attempts that were retried, by kind", buf);
}

void res_report_first_failures(const struct res_record *records, size_t count, struct pl_buf *buf)
{
	int shown = 0;

	for (size_t i = 0; i < count && shown < FAILURES_MAX; i++) {
		if (records[i].ok)
			continue;
		if (shown == 0)
			pl_buf_addf(buf,
				    "Failed requests during benchmark run detected (capping to "
				    "%d):\n",
				    FAILURES_MAX);
		pl_buf_addf(buf, "Error %d: ", shown++);
		add_message(buf, records[i].error != NULL ? records[i].error : "");
		pl_buf_add_char(buf, '\n');
	}
}

static void add_tail(const json_t *result, bool color, struct pl_buf *buf)
{
	const json_t *tail = pl_json_get_path(result, "error.log_tail");
	size_t count = json_array_size(tail);

	for (size_t i = count > TAIL_LINES ? count - TAIL_LINES : 0; i < count; i++)
		pl_buf_addf(buf, "  %s| %s%s\n", color ? "\033[2m" : "",
			    json_string_value(json_array_get(tail, i)), color ? "\033[0m" : "");
}

static void add_error(const json_t *result, const char *path, bool color, struct pl_buf *buf)
{
	const char *cause = pl_json_path_text(result, "error.cause");
	const char *line = pl_json_path_text(result, "error.log_line");

	pl_buf_addf(buf, "Status: %s", pl_json_path_text(result, "status"));
	if (cause != NULL)
		pl_buf_addf(buf, " (%s)", cause);
	pl_buf_add_char(buf, '\n');
	if (pl_json_path_text(result, "error.message") == NULL)
		return;
	if (line != NULL)
		pl_buf_addf(buf, "Log line: %s\n", line);
	/* not if metrics were printed */
	if (json_is_null(json_object_get(result, "results")))
		add_tail(result, color, buf);
	/* Path of the server log; artifacts are in the directory of the result. */
	auto_free char *folder = path != NULL ? pl_file_dir(path) : NULL;
	bool is_here = path == NULL || strchr(path, '/') == NULL;
	PL_JSON_EACH(artifact, json_object_get(result, "artifacts")) {
		if (pl_text_equal(pl_json_path_text(artifact, "kind"), "server_log"))
			pl_buf_addf(buf, "Server log: %s%s%s\n", is_here ? "" : folder,
				    is_here ? "" : "/", pl_json_path_text(artifact, "name"));
	}
}

void res_report_run(const json_t *result, const struct vllm_bench *bench, const char *path,
		    const char *failures, bool color, struct pl_buf *buf)
{
	const json_t *results = json_object_get(result, "results");

	const json_t *engine = pl_json_get_path(result, "environment.engine");
	auto_free char *name = res_engine_text(engine);
	if (pl_json_get_true(engine, "simulated"))
		pl_buf_addf(
			buf,
			"SIMULATED: %s sent the responses, so no model ran and no GPU was used.\n",
			name != NULL ? name : "a simulator");
	if (json_is_object(results)) {
		if (failures != NULL)
			pl_buf_add_text(buf, failures);
		else
			res_report_failures(results, buf);
		if (pl_text_equal(bench->kind, "serve"))
			res_report_table(results, bench, buf);
		else
			res_offline_report(bench->kind, results, buf);
	}
	if (!json_is_object(results) || pl_text_equal(bench->kind, "serve") ||
	    pl_json_path_text(result, "quality.verdict") != NULL)
		res_report_verdict(result, color, buf);
	add_error(result, path, color, buf);
	if (path != NULL)
		pl_buf_addf(buf, "Result: %s\n", path);
}
