/* Charts of one result: percentiles, latency over time, histograms, phases of the start. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/stats.h"
#include "base/text.h"
#include "plot/axes.h"
#include "report/report_priv.h"

#define DOTS_MAX      1500
#define TIME_BINS     40
#define COLUMNS       40
#define CURVE_STEPS   120
#define NINES_MAX     4.0
#define PHASE_BYTES   64
#define TEXT_BYTES    512
#define CLIPPED_SHARE 1.5 /* a histogram ends at this multiple of p99, if values are above it */
#define HEIGHT        190.0

/* ---- building ------------------------------------------------------------------------------ */

json_t *report_add_chart(json_t *charts, const char *title, const char *text, const char *x,
			 const char *y)
{
	json_t *chart = json_pack("{s:o, s:o, s:o, s:o, s:[], s:f}", "title", pl_json_text(title),
				  "text", pl_json_text(text), "x", pl_json_text(x), "y",
				  pl_json_text(y), "series", "height", HEIGHT);

	json_array_append_new(charts, chart);
	return chart;
}

json_t *report_add_line(json_t *chart, const char *name, const char *mark)
{
	json_t *series = json_object_get(chart, "series");

	json_array_append_new(series, json_pack("{s:o, s:s, s:[], s:[]}", "name",
						pl_json_text(name), "mark", mark, "x", "y"));
	return json_array_get(series, json_array_size(series) - 1);
}

void report_push(json_t *series, const char *list, double value)
{
	json_t *values = json_object_get(series, list);

	if (values == NULL) {
		values = json_array();
		json_object_set_new(series, list, values);
	}
	json_array_append_new(values, pl_json_number(value));
}

double report_nines(double percentile)
{
	return -log10(1 - percentile / 100);
}

static const struct nine {
	double percentile;
	const char *label;
} nines[] = {
	{ 0, "0" },    { 50, "p50" },     { 90, "p90" },
	{ 99, "p99" }, { 99.9, "p99.9" }, { 99.99, "p99.99" },
};

void report_set_percentile_axis(json_t *chart, double highest)
{
	json_t *ticks = json_array();

	for (size_t i = 0; i < PL_ARRAY_SIZE(nines); i++) {
		if (nines[i].percentile <= highest + 1e-9)
			json_array_append_new(ticks,
					      json_pack("[f, s]", report_nines(nines[i].percentile),
							nines[i].label));
	}
	json_object_set_new(chart, "x_ticks", ticks);
	json_object_set_new(chart, "x_low", json_real(0));
	json_object_set_new(chart, "x_high", json_real(report_nines(highest)));
}

/* ---- samples ------------------------------------------------------------------------------- */

enum which { TTFT, TPOT, E2EL };

static const struct latency {
	enum which which;
	const char *name;
	const char *key;
} latencies[] = {
	{ TTFT, "TTFT", "ttft_ms" },
	{ TPOT, "TPOT", "tpot_ms" },
	{ E2EL, "E2EL", "e2el_ms" },
};

static double value_of(const struct report_request *request, enum which which)
{
	if (!request->ok)
		return NAN;
	return which == TTFT   ? request->ttft_ms
	       : which == TPOT ? request->tpot_ms
			       : request->e2el_ms;
}

struct samples {
	double *x;
	size_t count;
};

static void samples_done(struct samples *samples)
{
	free(samples->x);
}
#define auto_samples __attribute__((cleanup(samples_done), unused)) struct samples

/* Returns the finite values of requests with these indexes, sorted. */
static struct samples samples_of(const struct report_requests *requests, enum which which,
				 size_t from, size_t to)
{
	struct samples samples = { pl_alloc_array(to - from + 1, sizeof(double)), 0 };

	for (size_t i = from; i < to; i++) {
		double value = value_of(&requests->items[i], which);
		if (isfinite(value))
			samples.x[samples.count++] = value;
	}
	pl_stats_sort(samples.x, samples.count);
	return samples;
}

static double percentile(const struct samples *samples, double p)
{
	return pl_stats_percentile_sorted(samples->x, samples->count, p);
}

/* ---- percentile curves ---------------------------------------------------------------------- */

static const double listed[] = { 0, 1, 10, 25, 50, 75, 90, 95, 99, 99.9, 99.99, 100 };

static void percentile_text(double p, char text[PHASE_BYTES])
{
	if (p == 0 || p == 100)
		snprintf(text, PHASE_BYTES, p == 0 ? "minimum" : "maximum");
	else
		snprintf(text, PHASE_BYTES, "p%.4g", p);
}

static void add_curve(const struct report_requests *requests, const struct latency *latency,
		      json_t *charts)
{
	auto_samples samples = samples_of(requests, latency->which, 0, requests->count);
	char title[TEXT_BYTES], text[TEXT_BYTES], label[PHASE_BYTES];

	if (samples.count < 2)
		return;
	/* the last position has one sample above it */
	double last = fmin(log10((double)samples.count), NINES_MAX);
	snprintf(title, sizeof(title), "%s percentiles", latency->name);
	snprintf(text, sizeof(text),
		 "%s of %zu requests: half are at or below %.4g ms, 99 %% at or below %.4g ms.",
		 latency->name, samples.count, percentile(&samples, 50), percentile(&samples, 99));
	json_t *chart = report_add_chart(charts, title, text, "percentile →", "ms ↓");
	json_t *line = report_add_line(chart, latency->name, "line");
	for (size_t i = 0; i <= CURVE_STEPS; i++) {
		double at = last * (double)i / CURVE_STEPS;
		report_push(line, "x", at);
		report_push(line, "y", percentile(&samples, 100 * (1 - pow(10, -at))));
	}
	report_set_percentile_axis(chart, 100 * (1 - pow(10, -last)));
	json_object_set_new(chart, "zero", json_true());
	json_t *table = report_chart_table(chart, "Percentile<!|ms>!");
	for (size_t i = 0; i < PL_ARRAY_SIZE(listed); i++) {
		if (listed[i] < 100 && report_nines(listed[i]) > last + 1e-9)
			continue;
		json_t *row = report_add_row(table);
		percentile_text(listed[i], label);
		report_add_cell(row, label);
		report_add_number_cell(row, percentile(&samples, listed[i]), false);
	}
}

/* From the percentiles in the result, if its requests are unknown. */
static void add_recorded_curve(const json_t *document, const struct latency *latency,
			       json_t *charts)
{
	auto_json json_t *list = json_array();
	const json_t *results = json_object_get(document, "results");
	char title[TEXT_BYTES], label[PHASE_BYTES];
	size_t count = 0;

	snprintf(title, sizeof(title), "%s percentiles", latency->name);
	json_t *chart = report_add_chart(list, title,
					 "The percentiles that the result records; the band is "
					 "their 95 % confidence interval.",
					 "percentile →", "ms ↓");
	json_t *line = report_add_line(chart, latency->name, "line");
	json_t *table = report_chart_table(chart, "Percentile<!|ms>!|95 % CI, low>|95 % CI, high>");
	double highest = 50;
	for (size_t i = 1; i + 1 < PL_ARRAY_SIZE(listed); i++) {
		percentile_text(listed[i], label);
		auto_free char *key = listed[i] == 50 ? pl_asprintf("median_%s", latency->key)
						      : pl_asprintf("%s_%s", label, latency->key);
		auto_free char *interval_key = pl_asprintf("%s_ci95", key);
		double value = report_json_number(json_object_get(results, key));
		const json_t *interval = json_object_get(results, interval_key);
		double low = report_json_number(json_array_get(interval, 0));
		double high = report_json_number(json_array_get(interval, 1));
		if (isnan(value))
			continue;
		count++;
		highest = fmax(highest, listed[i]);
		report_push(line, "x", report_nines(listed[i]));
		report_push(line, "y", value);
		report_push(line, "low", low);
		report_push(line, "high", high);
		json_t *row = report_add_row(table);
		report_add_cell(row, label);
		report_add_number_cell(row, value, false);
		report_add_number_cell(row, low, false);
		report_add_number_cell(row, high, false);
	}
	report_set_percentile_axis(chart, highest);
	json_object_set_new(chart, "zero", json_true());
	if (count >= 2)
		json_array_append(charts, chart);
}

/* ---- over time ----------------------------------------------------------------------------- */

static void add_bins(const struct report_requests *requests, enum which which, json_t *chart)
{
	double length = requests->items[requests->count - 1].start_s;
	json_t *line = report_add_line(chart, "median per interval", "line");
	json_t *table = report_chart_table(
		chart, "From, s>!|To, s>!|Requests>!|Median, ms>!|p99, ms>!|Failed>");
	size_t from = 0;

	for (size_t bin = 0; bin < TIME_BINS; bin++) {
		double begin = length * (double)bin / TIME_BINS;
		double end = length * (double)(bin + 1) / TIME_BINS;
		size_t to = from, failed = 0;
		while (to < requests->count &&
		       (requests->items[to].start_s < end || bin + 1 == TIME_BINS)) {
			failed += !requests->items[to].ok;
			to++;
		}
		auto_samples samples = samples_of(requests, which, from, to);
		report_push(line, "x", (begin + end) / 2);
		report_push(line, "y", percentile(&samples, 50));
		if (to > from) {
			json_t *row = report_add_row(table);
			report_add_number_cell(row, begin, false);
			report_add_number_cell(row, end, false);
			report_add_number_cell(row, (double)(to - from), true);
			report_add_number_cell(row, percentile(&samples, 50), false);
			report_add_number_cell(row, percentile(&samples, 99), false);
			report_add_number_cell(row, (double)failed, true);
		}
		from = to;
	}
}

static void add_over_time(const struct report_requests *requests, const struct latency *latency,
			  json_t *charts)
{
	auto_samples samples = samples_of(requests, latency->which, 0, requests->count);
	char title[TEXT_BYTES], text[TEXT_BYTES];

	if (samples.count < 2 || !(requests->items[requests->count - 1].start_s > 0))
		return;
	size_t step = (samples.count + DOTS_MAX - 1) / DOTS_MAX;
	snprintf(title, sizeof(title), "%s over time", latency->name);
	snprintf(text, sizeof(text),
		 "One dot per request%s, at its start; %zu requests, %.4g to %.4g ms.",
		 step > 1 ? " of a sample" : "", samples.count, samples.x[0],
		 samples.x[samples.count - 1]);
	json_t *chart = report_add_chart(charts, title, text, "start, s →", "ms ↓");
	size_t shown = 0, at = 0;
	json_t *dots = report_add_line(chart, "", "dots");
	for (size_t i = 0; i < requests->count; i++) {
		double value = value_of(&requests->items[i], latency->which);
		if (!isfinite(value) || at++ % step != 0)
			continue;
		report_push(dots, "x", requests->items[i].start_s);
		report_push(dots, "y", value);
		shown++;
	}
	char name[PHASE_BYTES];
	snprintf(name, sizeof(name), step > 1 ? "%zu of %zu requests" : "request", shown,
		 samples.count);
	json_object_set_new(dots, "name", json_string(name));
	json_object_set_new(chart, "zero", json_true());
	json_object_set_new(chart, "x_low", json_real(0));
	add_bins(requests, latency->which, chart);
}

/* ---- histograms ---------------------------------------------------------------------------- */

static void add_histogram(const struct report_requests *requests, const struct latency *latency,
			  json_t *charts)
{
	auto_samples samples = samples_of(requests, latency->which, 0, requests->count);
	char title[TEXT_BYTES], text[TEXT_BYTES];

	if (samples.count < 2)
		return;
	double low = samples.x[0], high = samples.x[samples.count - 1];
	double clip = low + CLIPPED_SHARE * (percentile(&samples, 99) - low);
	high = clip > low ? fmin(high, clip) : high;
	if (!(high > low))
		return;
	/* bins between round values */
	struct pl_ticks ticks = plot_ticks_make(low, high, COLUMNS, false);
	double first = floor(low / ticks.step) * ticks.step;
	size_t above = samples.count - pl_stats_count_to(samples.x, samples.count, high);
	snprintf(title, sizeof(title), "%s histogram", latency->name);
	snprintf(text, sizeof(text), "%zu requests in bins of %.4g ms", samples.count, ticks.step);
	if (above > 0)
		snprintf(text + strlen(text), sizeof(text) - strlen(text),
			 "; not drawn: %zu above %.4g ms", above, high);
	strcat(text, ".");
	json_t *chart = report_add_chart(charts, title, text, "ms →", "requests");
	json_t *bars = report_add_line(chart, "requests", "bars");
	json_t *table = report_chart_table(chart, "From, ms>!|To, ms>!|Requests>!");
	json_object_set_new(chart, "zero", json_true());
	for (size_t i = 0; i < COLUMNS + 2; i++) {
		double from = first + (double)i * ticks.step, to = from + ticks.step;
		if (from > high)
			break;
		size_t count = pl_stats_count_below(samples.x, samples.count, to) -
			       pl_stats_count_below(samples.x, samples.count, from);
		report_push(bars, "x", (from + to) / 2);
		report_push(bars, "y", (double)count);
		report_push(bars, "left", from);
		report_push(bars, "right", to);
		if (count == 0)
			continue;
		json_t *row = report_add_row(table);
		report_add_number_cell(row, from, false);
		report_add_number_cell(row, to, false);
		report_add_number_cell(row, (double)count, true);
	}
}

static void add_charts(json_t *blocks, json_t *charts)
{
	if (json_array_size(charts) > 0)
		json_array_append_new(blocks,
				      json_pack("{s:s, s:O}", "kind", "charts", "items", charts));
}

void report_add_latencies(const struct report_input *input, json_t *blocks)
{
	const struct records *records = input->data != NULL ? input->data->records : NULL;
	auto_json json_t *charts = json_array();
	auto_report_requests requests = { 0 };

	if (records != NULL)
		report_requests_of(records, &requests);
	/* two per line: percentiles and histogram of each, and its course */
	for (size_t i = 0; i < PL_ARRAY_SIZE(latencies); i++) {
		if (requests.count == 0) {
			add_recorded_curve(input->document, &latencies[i], charts);
			continue;
		}
		add_curve(&requests, &latencies[i], charts);
		add_histogram(&requests, &latencies[i], charts);
	}
	for (size_t i = 0; requests.count > 0 && i < PL_ARRAY_SIZE(latencies); i++) {
		if (latencies[i].which != TPOT)
			add_over_time(&requests, &latencies[i], charts);
	}
	add_charts(blocks, charts);
	/* also if no line is left: the charts then show only what the result has */
	if (records != NULL && records->skipped > 0) {
		auto_free char *note = pl_asprintf(
			"The charts lack %zu lines of the artifact: they are not records, or "
			"repeat a request.",
			records->skipped);
		report_add_text(blocks, "note", note);
	}
}

/* ---- startup ------------------------------------------------------------------------------- */

static const struct phase {
	const char *key;
	const char *label;
} phases[] = {
	{ "spawn_s", "Process starts" },
	{ "first_line_s", "Modules load" },
	{ "engine_init_s", "Engine initializes" },
	{ "weights_begin_s", "Before the weights" },
	{ "weights_loaded_s", "Weights load" },
	{ "compiled_s", "torch.compile" },
	{ "kv_cache_s", "KV cache" },
	{ "graph_capture_s", "Graph capture" },
	{ "engine_ready_s", "Engine ready" },
	{ "listening_s", "API server starts" },
	{ "healthy_s", "Healthy" },
	{ "ready_s", "First response" },
};

void report_add_startup(const json_t *document, json_t *blocks)
{
	const json_t *times = pl_json_get_path(document, "launch.phases");
	auto_json json_t *charts = json_array();
	auto_json json_t *rows = json_array();
	double before = 0;

	json_t *chart = json_pack(
		"{s:s, s:s, s:s, s:b, s:O}", "title", "Phases of the start", "text",
		"Each bar is the time from the end of the previous phase to the "
		"end of this one.",
		"x", "s after the start of the process →", "bars", 1, "rows", rows);
	json_array_append_new(charts, chart);
	json_t *table = report_chart_table(chart, "Phase<!|From, s>|To, s>!|Duration, s>!");
	for (size_t i = 0; i < PL_ARRAY_SIZE(phases); i++) {
		double at = report_json_number(json_object_get(times, phases[i].key));
		char text[REPORT_NUMBER_BYTES];
		/* phases that begin and end with another one have no bar */
		if (isnan(at) || !(at > before))
			continue;
		report_number_text(at - before, false, text);
		auto_free char *value = pl_asprintf("%s s", text);
		json_array_append_new(rows,
				      json_pack("{s:s, s:s, s:f, s:f}", "label", phases[i].label,
						"value_text", value, "from", before, "value", at));
		json_t *row = report_add_row(table);
		report_add_cell(row, phases[i].label);
		report_add_number_cell(row, before, false);
		report_add_number_cell(row, at, false);
		report_add_number_cell(row, at - before, false);
		before = at;
	}
	if (json_array_size(rows) > 0)
		add_charts(blocks, charts);
}
