/* Charts of the telemetry in the measured run. */
#include <math.h>
#include <stdio.h>

#include "base/text.h"
#include "report/report_priv.h"
#include "series/series.h"

#define BINS        160
#define GAP_FACTOR  2.5
#define TEXT_BYTES  256
#define HEIGHT      110.0
#define BYTES_OF_GB 1e9
#define TABLE_STEP  8 /* bins of one row of the table */

/* The series of a report, in its order. */
static const struct strip {
	const char *source;
	const char *name;
	const char *title;
} strips[] = {
	{ "load", "in_flight", "Requests in flight" },
	{ "server_metrics", "running", "Requests running in the server" },
	{ "server_metrics", "waiting", "Requests waiting in the server" },
	{ "server_metrics", "kv_cache_usage", "KV cache in use" },
	{ "gpu", "utilization", "GPU utilization" },
	{ "gpu", "memory_used_bytes", "GPU memory" },
	{ "gpu", "power_w", "GPU power" },
	{ "gpu", "temperature_c", "GPU temperature" },
	{ "server", "cpu_share", "CPUs of the server" },
	{ "host", "cpu_share", "CPU of the host" },
};

static const json_t *find(const json_t *bins, const struct strip *strip)
{
	PL_JSON_EACH(series, json_object_get(bins, "series")) {
		if (pl_text_equal(pl_json_get_text(series, "source"), strip->source) &&
		    pl_text_equal(pl_json_get_text(series, "name"), strip->name))
			return series;
	}
	return NULL;
}

/* Factor and unit in which a series is shown. */
static double scale_of(const char *unit, const char **ret_unit)
{
	*ret_unit = unit;
	if (pl_text_equal(unit, "share")) {
		*ret_unit = "%";
		return 100;
	}
	if (pl_text_equal(unit, "B")) {
		*ret_unit = "GB";
		return 1 / BYTES_OF_GB;
	}
	return 1;
}

static double at(const json_t *series, const char *list, size_t i)
{
	return report_json_number(json_array_get(json_object_get(series, list), i));
}

/* Values between two samples are not known: a bin without a sample is not a gap if it is shorter than their distance. */
static void add_points(const json_t *bins, const json_t *series, double scale, json_t *line,
		       double *ret_high)
{
	const json_t *times = json_object_get(bins, "t_s");
	size_t count = json_array_size(times);
	double interval = report_json_number(json_object_get(series, "interval_s"));
	double step = count > 1 ? report_json_number(json_array_get(times, 1)) -
					  report_json_number(json_array_get(times, 0))
				: 1;
	double gap = GAP_FACTOR * fmax(step, isnan(interval) ? 0 : interval);
	double last = NAN;

	*ret_high = -INFINITY;
	for (size_t i = 0; i < count; i++) {
		double t = report_json_number(json_array_get(times, i));
		double value = at(series, "values", i);
		if (isnan(value))
			continue;
		if (t - last > gap) {
			report_push(line, "x", (t + last) / 2);
			report_push(line, "y", NAN);
			report_push(line, "low", NAN);
			report_push(line, "high", NAN);
		}
		report_push(line, "x", t);
		report_push(line, "y", scale * value);
		report_push(line, "low", scale * at(series, "min", i));
		report_push(line, "high", scale * at(series, "max", i));
		*ret_high = fmax(*ret_high, scale * at(series, "max", i));
		last = t;
	}
}

/* A row summarizes several bins. */
static void add_rows(const json_t *bins, const json_t *series, double scale, json_t *table)
{
	const json_t *times = json_object_get(bins, "t_s");
	size_t count = json_array_size(times);

	for (size_t from = 0; from < count; from += TABLE_STEP) {
		double low = INFINITY, high = -INFINITY, sum = 0;
		size_t to = from + TABLE_STEP < count ? from + TABLE_STEP : count, known = 0;
		for (size_t i = from; i < to; i++) {
			double value = at(series, "values", i);
			if (isnan(value))
				continue;
			sum += value;
			known++;
			low = fmin(low, at(series, "min", i));
			high = fmax(high, at(series, "max", i));
		}
		if (known == 0)
			continue;
		json_t *row = report_add_row(table);
		report_add_number_cell(row, report_json_number(json_array_get(times, from)), false);
		report_add_number_cell(row, scale * sum / (double)known, false);
		report_add_number_cell(row, scale * low, false);
		report_add_number_cell(row, scale * high, false);
	}
}

static void add_strip(const json_t *bins, const struct strip *strip, const json_t *series,
		      double length_s, json_t *charts)
{
	const char *unit = "";
	double scale = scale_of(pl_json_get_text(series, "unit"), &unit), high = NAN;
	int64_t tracks = pl_json_get_i64(series, "tracks");
	char text[TEXT_BYTES];

	if (tracks > 1)
		snprintf(text, sizeof(text), "Mean of %lld, and their range, which the band shows.",
			 (long long)tracks);
	else
		snprintf(text, sizeof(text), "Mean per bin; the band is the range of its samples.");
	json_t *chart = report_add_chart(charts, strip->title, text, "s after the first send →",
					 unit);
	json_object_set_new(chart, "height", json_real(HEIGHT));
	json_object_set_new(chart, "zero", json_true());
	json_object_set_new(chart, "x_low", json_real(0));
	json_object_set_new(chart, "x_high", json_real(length_s));
	add_points(bins, series, scale, report_add_line(chart, strip->title, "line"), &high);
	if (pl_text_equal(unit, "%"))
		json_object_set_new(chart, "y_high", json_real(fmax(high, 1)));
	auto_free char *columns = pl_asprintf("From, s>!|Mean, %s>!|Smallest, %s>!|Largest, %s>!",
					      unit, unit, unit);
	add_rows(bins, series, scale, report_chart_table(chart, columns));
}

void report_add_telemetry(const struct report_input *input, json_t *blocks)
{
	const struct report_data *data = input->data;
	auto_json json_t *charts = json_array();
	const json_t *section = json_object_get(input->document, "series");
	struct series_span span = {
		.from_ns = pl_json_get_i64(section, "measured_begin_ns"),
		.to_ns = pl_json_get_i64(section, "measured_end_ns"),
		.bins = BINS,
	};

	if (data == NULL || data->series == NULL)
		return;
	if (!(span.from_ns > 0 && span.to_ns > span.from_ns) &&
	    (!series_range(data->series, &span.from_ns, &span.to_ns) || span.to_ns <= span.from_ns))
		return;
	auto_json json_t *bins = series_bins(data->series, &span);
	for (size_t i = 0; i < PL_ARRAY_SIZE(strips); i++) {
		const json_t *series = find(bins, &strips[i]);
		if (series != NULL)
			add_strip(bins, &strips[i], series,
				  (double)(span.to_ns - span.from_ns) / 1e9, charts);
	}
	if (json_array_size(charts) > 0)
		json_array_append_new(blocks,
				      json_pack("{s:s, s:O}", "kind", "charts", "items", charts));
}
