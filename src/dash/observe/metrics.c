/*
 * GET /metrics: the rows of tbl/dash_metrics.h in the text format of Prometheus (0.0.4), or as OpenMetrics 1.0 if the client
 * accepts it. Each row is written by one function, which opens it and writes its samples.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/text.h"
#include "dash/access/access.h"
#include "dash/live/live.h"
#include "dash/observe/monitor.h"
#include "dash/observe/process.h"
#include "dash/request.h"
#include "dash/routes.h"

#define TEXT_TYPE "text/plain; version=0.0.4; charset=utf-8"
#define OPEN_TYPE "application/openmetrics-text; version=1.0.0; charset=utf-8"

enum metric {
#define METRIC(ID, TYPE, name, unit, labels, help) METRIC_##ID,
#include "tbl/dash_metrics.h"
	METRIC_COUNT
};
enum type { COUNTER, GAUGE, HISTOGRAM };

static const struct {
	const char *name;
	const char *unit;
	const char *help;
	enum type type;
} rows[] = {
#define METRIC(ID, TYPE, name, unit, labels, help) { name, unit, help, TYPE },
#include "tbl/dash_metrics.h"
};
static const char *const type_names[] = { "counter", "gauge", "histogram" };

struct page {
	const struct dash_context *context;
	struct dash_state state;
	struct dash_server_counts counts;
	struct pl_buf *out;
	bool is_open; /* OpenMetrics */
	const char *name;
};

/* ---- text ------------------------------------------------------------------------------------ */

/* OpenMetrics names a counter without _total here. */
static void begin(struct page *page, enum metric metric)
{
	const char *name = rows[metric].name, *unit = rows[metric].unit;
	int len = (int)strlen(name);

	page->name = name;
	if (page->is_open && rows[metric].type == COUNTER)
		len -= (int)strlen("_total");
	pl_buf_addf(page->out, "# HELP %.*s %s\n# TYPE %.*s %s\n", len, name, rows[metric].help,
		    len, name, type_names[rows[metric].type]);
	if (page->is_open && unit[0] != '\0')
		pl_buf_addf(page->out, "# UNIT %.*s %s\n", len, name, unit);
}

static void add_number(struct page *page, double value)
{
	char text[PL_F64_TEXT_BYTES];

	if (!isfinite(value)) {
		pl_buf_add_text(page->out, isnan(value) ? "NaN" : value > 0 ? "+Inf" : "-Inf");
	} else {
		pl_text_from_f64(value, text);
		pl_buf_add_text(page->out, text);
	}
	pl_buf_add_char(page->out, '\n');
}

/* One sample without labels. */
static void put(struct page *page, enum metric metric, double value)
{
	begin(page, metric);
	pl_buf_addf(page->out, "%s ", page->name);
	add_number(page, value);
}

/* The value of a label: a backslash, a quote and a line feed are escaped. */
static void add_label(struct page *page, const char *key, const char *value, const char *before)
{
	pl_buf_addf(page->out, "%s%s=\"", before, key);
	for (const char *at = value; *at != '\0'; at++) {
		if (*at == '\n')
			pl_buf_add_text(page->out, "\\n");
		else if (*at == '\\' || *at == '"')
			pl_buf_addf(page->out, "\\%c", *at);
		else
			pl_buf_add_char(page->out, *at);
	}
	pl_buf_add_char(page->out, '"');
}

/* A sample with one label, or two. */
static void sample(struct page *page, const char *key, const char *value, double number)
{
	pl_buf_add_text(page->out, page->name);
	add_label(page, key, value, "{");
	pl_buf_add_text(page->out, "} ");
	add_number(page, number);
}

static void sample2(struct page *page, const char *key, const char *value, const char *key2,
		    const char *value2, double number)
{
	pl_buf_add_text(page->out, page->name);
	add_label(page, key, value, "{");
	add_label(page, key2, value2, ",");
	pl_buf_add_text(page->out, "} ");
	add_number(page, number);
}

/* ---- requests -------------------------------------------------------------------------------- */

static uint64_t load(const atomic_uint_fast64_t *counter)
{
	return atomic_load_explicit(counter, memory_order_relaxed);
}

static void put_requests(struct page *page)
{
	const struct dash_counters *counters = page->context->counters;
	const char *method, *path;

	begin(page, METRIC_REQUESTS);
	for (size_t i = 0; i < counters->route_count; i++) {
		counters->name(i, &method, &path);
		for (size_t k = 0; k < DASH_STATUS_COUNT; k++) {
			uint64_t count = load(&counters->routes[i].statuses[k]);
			int status = dash_counters_status(k);
			char text[16];
			if (count == 0)
				continue;
			snprintf(text, sizeof(text), "%d", status);
			pl_buf_addf(page->out,
				    "%s{method=\"%s\",route=\"%s\",status=\"%s\"} %llu\n",
				    page->name, method, path,
				    status == 0  ? "disconnected"
				    : status > 0 ? text
						 : "other",
				    (unsigned long long)count);
		}
	}
}

/* The count is the sum of the buckets, so that both fit together while requests end. */
static void put_duration(struct page *page, size_t at)
{
	const struct dash_route_counters *route = &page->context->counters->routes[at];
	const char *method, *path;
	char bound[PL_F64_TEXT_BYTES];
	double sum_s = (double)load(&route->duration_ns) / PL_NS_PER_S;
	uint64_t buckets[DASH_BOUND_COUNT + 1], count = 0;

	for (size_t i = 0; i <= DASH_BOUND_COUNT; i++)
		count = buckets[i] = count + load(&route->durations[i]);
	if (count == 0)
		return;
	page->context->counters->name(at, &method, &path);
	for (size_t i = 0; i <= DASH_BOUND_COUNT; i++) {
		if (i < DASH_BOUND_COUNT)
			pl_text_from_f64(dash_counters_bound(i), bound);
		pl_buf_addf(page->out, "%s_bucket{method=\"%s\",route=\"%s\",le=\"%s\"} %llu\n",
			    page->name, method, path, i < DASH_BOUND_COUNT ? bound : "+Inf",
			    (unsigned long long)buckets[i]);
	}
	pl_buf_addf(page->out, "%s_sum{method=\"%s\",route=\"%s\"} ", page->name, method, path);
	add_number(page, sum_s);
	pl_buf_addf(page->out, "%s_count{method=\"%s\",route=\"%s\"} %llu\n", page->name, method,
		    path, (unsigned long long)count);
}

static void put_http(struct page *page)
{
	const struct dash_counters *counters = page->context->counters;

	put_requests(page);
	begin(page, METRIC_DURATION);
	for (size_t i = 0; i < counters->route_count; i++)
		put_duration(page, i);
	put(page, METRIC_SENT, (double)load(&counters->sent_bytes));
	put(page, METRIC_IN_FLIGHT, page->counts.in_flight);
	put(page, METRIC_CONNECTIONS, page->counts.connections);
	put(page, METRIC_BODIES, (double)page->counts.body_bytes);
}

static void put_queues(struct page *page)
{
	static const enum metric metrics[] = { METRIC_QUEUED,     METRIC_QUEUE_AGE,
					       METRIC_RUNNING,    METRIC_QUEUE_FULL,
					       METRIC_CACHE_HITS, METRIC_CACHE_MISSES,
					       METRIC_CACHE_BYTES };
	const size_t first_of_cache = 4;

	for (size_t m = 0; m < PL_ARRAY_SIZE(metrics); m++) {
		begin(page, metrics[m]);
		for (size_t i = 0; i < DASH_QUEUE_COUNT; i++) {
			const struct dash_work_counts *work = &page->counts.queues[i].work;
			const double values[] = {
				(double)work->waiting,    (double)work->oldest_ns / PL_NS_PER_S,
				(double)work->running,    (double)work->refused,
				(double)work->hits,       (double)work->misses,
				(double)work->cache_bytes
			};
			if (m < first_of_cache || page->counts.queues[i].has_cache)
				sample(page, m < first_of_cache ? "queue" : "cache",
				       page->counts.queues[i].name, values[m]);
		}
	}
}

/* ---- data ------------------------------------------------------------------------------------ */

static void put_store(struct page *page)
{
	const struct dash_state *state = &page->state;

	begin(page, METRIC_RESULTS);
	sample(page, "state", "live", (double)state->live);
	if (state->deleted >= 0)
		sample(page, "state", "deleted", (double)state->deleted);
	put(page, METRIC_RESULTS_BYTES, (double)state->memory_bytes);
	struct store_memory_state memory = store_memory_state(page->context->store);
	begin(page, METRIC_START_RESULTS);
	sample(page, "source", "column_snapshot", (double)memory.from_snapshot);
	sample(page, "source", "database", (double)memory.from_database);
	begin(page, METRIC_DATABASE_UP);
	sample(page, "kind", store_database_kind(page->context->store), state->is_lost ? 0 : 1);
	put(page, METRIC_DATABASE_AGE, (double)state->age_ns / PL_NS_PER_S);
	put(page, METRIC_DATABASE_QUERY, (double)state->query_ns / PL_NS_PER_S);
	put(page, METRIC_VERSION, (double)state->data_version);
	put(page, METRIC_BEHIND, (double)state->behind);
	put(page, METRIC_BEHIND_TIME, (double)state->behind_ns / PL_NS_PER_S);
	begin(page, METRIC_DISK_FREE);
	for (size_t i = 0; i < state->disk_count; i++)
		sample(page, "directory", state->disks[i].directory,
		       (double)state->disks[i].free_bytes);
	begin(page, METRIC_DISK_SIZE);
	for (size_t i = 0; i < state->disk_count; i++)
		sample(page, "directory", state->disks[i].directory,
		       (double)state->disks[i].size_bytes);
}

static void put_ingest(struct page *page)
{
	begin(page, METRIC_DOCUMENTS);
	for (size_t i = 0; i < DASH_FORM_COUNT; i++) {
		const char *producer = i < STORE_FORM_COUNT ? store_form_name((enum store_form)i)
							    : "unknown";
		for (unsigned k = 0; k < STORE_OUTCOME_COUNT; k++) {
			uint64_t count = load(&page->context->counters->documents[i][k]);
			if (count > 0)
				sample2(page, "producer", producer, "outcome",
					store_outcome_name((enum store_outcome)k), (double)count);
		}
	}
	put(page, METRIC_JOBS, (double)page->state.job_count);
	put(page, METRIC_JOBS_AGE, (double)page->state.oldest_job_ns / PL_NS_PER_S);
}

static void put_users(struct page *page)
{
	auto_free struct dash_access_entry *entries = NULL;
	size_t count = dash_access_list(page->context->access, &entries);
	int64_t now_s = pl_clock_real_ns() / PL_NS_PER_S;
	size_t roles[DASH_ROLE_COUNT] = { 0 }, sessions = 0;
	unsigned runs, streams;

	for (size_t i = 0; i < count; i++) {
		roles[entries[i].role] += entries[i].expires_s > now_s;
		sessions += entries[i].sessions;
	}
	begin(page, METRIC_TOKENS);
	for (enum dash_role role = DASH_ROLE_READ; role < DASH_ROLE_COUNT; role++)
		sample(page, "role", dash_role_name(role), (double)roles[role]);
	put(page, METRIC_SESSIONS, (double)sessions);
	dash_live_count(page->context->live, &runs, &streams);
	put(page, METRIC_LIVE_RUNS, runs);
	put(page, METRIC_LIVE_STREAMS, streams);
	begin(page, METRIC_LOG_LINES);
	sample(page, "level", "error", (double)dash_log_count(PL_LOG_ERROR));
	sample(page, "level", "warning", (double)dash_log_count(PL_LOG_WARNING));
}

/* ---- watches --------------------------------------------------------------------------------- */

/* The first one is that of a watch that was not evaluated yet. */
static const char *const watch_states[] = { "unknown", "stable", "suspect", "regression", "error" };

static const char *state_of(const json_t *watch)
{
	const char *state = pl_json_get_text(json_object_get(watch, "state"), "state");

	for (size_t i = 0; i < PL_ARRAY_SIZE(watch_states); i++) {
		if (pl_text_equal(state, watch_states[i]))
			return watch_states[i];
	}
	return watch_states[0];
}

/* Returns the ratio that is farthest from 1 by its logarithm; 0: there is none. */
static double worst_ratio(const json_t *watch)
{
	double worst = 0;

	PL_JSON_EACH(series, json_object_get(json_object_get(watch, "state"), "series")) {
		const json_t *value = json_object_get(series, "ratio");
		double ratio = json_is_number(value) ? json_number_value(value) : 0;
		if (ratio > 0 && (worst == 0 || fabs(log(ratio)) > fabs(log(worst))))
			worst = ratio;
	}
	return worst;
}

static void put_watches(struct page *page)
{
	auto_json json_t *watches = dash_monitor_watches(page->context->monitor);

	begin(page, METRIC_WATCH_STATE);
	PL_JSON_EACH(watch, watches) {
		for (size_t i = 0; i < PL_ARRAY_SIZE(watch_states); i++)
			sample2(page, "watch", pl_json_get_text(watch, "name"), "state",
				watch_states[i], strcmp(state_of(watch), watch_states[i]) == 0);
	}
	begin(page, METRIC_WATCH_FAILED);
	PL_JSON_EACH(watch, watches)
		sample(page, "watch", pl_json_get_text(watch, "name"),
		       pl_json_get_true(json_object_get(watch, "state"), "failed"));
	begin(page, METRIC_WATCH_SERIES);
	PL_JSON_EACH(watch, watches) {
		static const char *const counted[] = { "regression", "suspect" };
		const json_t *counts = json_object_get(json_object_get(watch, "state"), "counts");
		for (size_t i = 0; i < PL_ARRAY_SIZE(counted); i++)
			sample2(page, "watch", pl_json_get_text(watch, "name"), "state", counted[i],
				(double)pl_json_get_i64(counts, counted[i]));
	}
	begin(page, METRIC_WATCH_RATIO);
	PL_JSON_EACH(watch, watches) {
		double ratio = worst_ratio(watch);
		if (ratio > 0)
			sample(page, "watch", pl_json_get_text(watch, "name"), ratio);
	}
}

/* ---- page ------------------------------------------------------------------------------------ */

static void put_server(struct page *page)
{
	begin(page, METRIC_BUILD_INFO);
	sample(page, "version", PROFLLM_VERSION, 1);
	put(page, METRIC_READY, page->state.is_ready);
	begin(page, METRIC_UNREADY);
	for (enum dash_unready i = 0; i < DASH_UNREADY_COUNT; i++)
		sample(page, "reason", dash_unready_name(i), page->state.unready[i]);
}

static void put_process(struct page *page)
{
	struct dash_process process;

	dash_process_read(&process);
	put(page, METRIC_MEMORY, (double)process.resident_bytes);
	put(page, METRIC_CPU, process.cpu_s);
	put(page, METRIC_FILES, (double)process.files);
	put(page, METRIC_FILES_MAX,
	    process.files_max == UINT64_MAX ? INFINITY : (double)process.files_max);
	put(page, METRIC_START, (double)page->state.started_real_ns / PL_NS_PER_S);
}

void dash_get_metrics(const struct dash_request *request, struct dash_answer *answer)
{
	const char *accept = request->head->accept;
	auto_buf text = PL_BUF(DASH_ANSWER_BYTES_MAX);
	struct page page = { .context = request->context,
			     .out = &text,
			     .is_open = accept != NULL &&
					strstr(accept, "application/openmetrics-text") != NULL };

	dash_monitor_get(request->context->monitor, &page.state);
	dash_monitor_count(request->context->monitor, &page.counts);
	put_server(&page);
	put_http(&page);
	put_queues(&page);
	put_store(&page);
	put_ingest(&page);
	put_users(&page);
	put_watches(&page);
	put_process(&page);
	if (page.is_open)
		pl_buf_add_text(&text, "# EOF\n");
	size_t len = text.len;
	answer->status = 200;
	answer->cache = "no-store";
	dash_answer_bytes(answer, page.is_open ? OPEN_TYPE : TEXT_TYPE, pl_buf_take(&text), len);
}
