#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/stats.h"
#include "base/student.h"
#include "base/text.h"
#include "query/out_priv.h"
#include "query/series/set_priv.h"
#include "result/change/rank.h"

#define LINES_DEFAULT  50
#define POINTS_DEFAULT 5000
#define NEIGHBORS      7 /* on each side, for bands of single points */
#define SURE           0.05
#define DAY_US         86400000000LL
#define WEEK_DAYS      7
#define FIRST_WEEKDAY  3 /* days from Monday to 1970-01-01 */
#define LOW_PERCENT    10
#define HIGH_PERCENT   90

enum band { BAND_NONE, BAND_PERCENTILES, BAND_MAD, BAND_EXTREMES, BAND_MEAN, BAND_COUNT };
static const char *const band_names[] = { "none", "p10_p90", "mad", "minmax", "ci95" };

enum aggregate { AGGREGATE_NONE, AGGREGATE_MEDIAN, AGGREGATE_MEAN, AGGREGATE_COUNT };
static const char *const aggregate_names[] = { "none", "median", "mean" };

struct line_point {
	int64_t id, at, time_us;
	double value, low, high; /* NaN: none */
	size_t count;            /* results with a value */
	bool is_outlier;
};

struct line {
	const struct series_configuration *configuration;
	struct line_point *points;
	size_t count;
	size_t values, gaps; /* results with and without a value */
};

struct trends {
	struct series_set set;
	const struct mirror_column *metric;
	enum aggregate aggregate;
	enum band band;
	bool is_weekly;
	size_t points_max;
	struct line *lines;
	size_t count;
};

static void trends_done(struct trends *trends)
{
	for (size_t i = 0; i < trends->count; i++)
		free(trends->lines[i].points);
	free(trends->lines);
	query_series_set_done(&trends->set);
}
#define auto_trends __attribute__((cleanup(trends_done), unused)) struct trends

/* ---- one line ------------------------------------------------------------------------------------ */

/* Sorts the values. */
static void set_band(enum band band, double *values, size_t n, struct line_point *point)
{
	double center, half = NAN;

	point->low = point->high = NAN;
	if (n == 0 || band == BAND_NONE)
		return;
	pl_stats_sort(values, n);
	switch (band) {
	case BAND_PERCENTILES:
		point->low = pl_stats_percentile_sorted(values, n, LOW_PERCENT);
		point->high = pl_stats_percentile_sorted(values, n, HIGH_PERCENT);
		return;
	case BAND_EXTREMES:
		point->low = values[0];
		point->high = values[n - 1];
		return;
	case BAND_MAD:
		center = pl_stats_median_sorted(values, n);
		half = res_rank_spread(values, n);
		break;
	default:
		center = pl_stats_mean(values, n);
		if (n > 1)
			half = pl_student_t(SURE, (double)(n - 1)) * pl_stats_std(values, n) /
			       sqrt((double)(n - 1));
		break;
	}
	point->low = center - half;
	point->high = center + half;
}

static struct line_point point_of(const struct series_row *row)
{
	return (struct line_point){ .id = row->id,
				    .at = row->at,
				    .time_us = row->time_us,
				    .value = NAN,
				    .low = NAN,
				    .high = NAN };
}

/* Flags are of the values on the log scale if all are positive. */
static void flag_outliers(struct line *line)
{
	auto_free double *y = pl_alloc_array(line->count + 1, sizeof(*y));
	auto_free bool *flags = pl_alloc_array(line->count + 1, sizeof(*flags));
	bool is_positive = true;
	size_t n = 0;

	for (size_t i = 0; i < line->count; i++)
		is_positive &= !(line->points[i].value <= 0);
	for (size_t i = 0; i < line->count; i++) {
		if (isfinite(line->points[i].value))
			y[n++] = is_positive ? log(line->points[i].value) : line->points[i].value;
	}
	res_clean_outliers(y, n, flags);
	n = 0;
	for (size_t i = 0; i < line->count; i++) {
		if (isfinite(line->points[i].value))
			line->points[i].is_outlier = flags[n++];
	}
}

static void band_of_neighbors(const struct trends *trends, struct line *line)
{
	double values[2 * NEIGHBORS + 1];

	for (size_t i = 0; i < line->count; i++) {
		size_t from = i > NEIGHBORS ? i - NEIGHBORS : 0, n = 0;
		size_t end = i + NEIGHBORS + 1 < line->count ? i + NEIGHBORS + 1 : line->count;
		for (size_t k = from; k < end; k++) {
			if (isfinite(line->points[k].value))
				values[n++] = line->points[k].value;
		}
		if (isfinite(line->points[i].value))
			set_band(trends->band, values, n, &line->points[i]);
	}
}

static void take_each(const struct trends *trends, const double *numbers, struct line *line)
{
	for (size_t i = 0; i < line->configuration->count; i++) {
		const struct series_row *row = line->configuration->rows[i];
		struct line_point *point = &line->points[line->count++];
		*point = point_of(row);
		point->value = numbers[row->index];
		point->count = isfinite(point->value);
	}
	flag_outliers(line);
	if (trends->band != BAND_NONE)
		band_of_neighbors(trends, line);
}

/* The position of the combined point that the row belongs to. */
static int64_t bucket_of(const struct trends *trends, const struct series_row *row)
{
	int64_t day = row->time_us / DAY_US - (row->time_us % DAY_US < 0);

	if (trends->set.is_by_version)
		return row->at;
	if (!trends->is_weekly)
		return day * DAY_US;
	int64_t weekday = ((day + FIRST_WEEKDAY) % WEEK_DAYS + WEEK_DAYS) % WEEK_DAYS;
	return (day - weekday) * DAY_US;
}

static void combine(const struct trends *trends, const double *numbers, struct line *line)
{
	const struct series_configuration *configuration = line->configuration;
	auto_free double *values = pl_alloc_array(configuration->count + 1, sizeof(*values));
	size_t end;

	for (size_t i = 0; i < configuration->count; i = end) {
		int64_t at = bucket_of(trends, configuration->rows[i]);
		struct line_point *point = &line->points[line->count++];
		size_t n = 0;
		*point = point_of(configuration->rows[i]);
		for (end = i; end < configuration->count &&
			      bucket_of(trends, configuration->rows[end]) == at;
		     end++) {
			const struct series_row *row = configuration->rows[end];
			point->id = row->id;
			point->time_us = row->time_us > point->time_us ? row->time_us
								       : point->time_us;
			if (isfinite(numbers[row->index]))
				values[n++] = numbers[row->index];
		}
		point->at = at;
		point->count = n;
		pl_stats_sort(values, n);
		if (n > 0)
			point->value = trends->aggregate == AGGREGATE_MEDIAN
					       ? pl_stats_median_sorted(values, n)
					       : pl_stats_mean(values, n);
		set_band(trends->band, values, n, point);
	}
}

static struct line make_line(const struct trends *trends, size_t configuration,
			     const double *numbers)
{
	struct line line = { .configuration = &trends->set.configurations[configuration] };

	for (size_t i = 0; i < line.configuration->count; i++) {
		bool is_value = isfinite(numbers[line.configuration->rows[i]->index]);
		line.values += is_value;
		line.gaps += !is_value;
	}
	if (line.values == 0)
		return line;
	line.points = pl_alloc_array(line.configuration->count, sizeof(*line.points));
	if (trends->aggregate == AGGREGATE_NONE)
		take_each(trends, numbers, &line);
	else
		combine(trends, numbers, &line);
	return line;
}

static int compare_lines(const void *a, const void *b)
{
	const struct line *one = a, *other = b;

	if (one->values != other->values)
		return one->values > other->values ? -1 : 1;
	int difference = strcmp(one->configuration->label, other->configuration->label);
	return difference != 0 ? difference
			       : strcmp(one->configuration->key, other->configuration->key);
}

/* Keeps the least and the greatest point of each bin, or the gap if it has none. Returns the new number of points. */
static size_t thin(struct line *line, size_t points_max)
{
	size_t bins = points_max / 2, retained = 0;

	for (size_t bin = 0; bin < bins; bin++) {
		size_t from = bin * line->count / bins, end = (bin + 1) * line->count / bins;
		size_t least = SIZE_MAX, most = SIZE_MAX;
		for (size_t i = from; i < end; i++) {
			double value = line->points[i].value;
			if (!isfinite(value))
				continue;
			if (least == SIZE_MAX || value < line->points[least].value)
				least = i;
			if (most == SIZE_MAX || value > line->points[most].value)
				most = i;
		}
		size_t first = least < most ? least : most, second = least < most ? most : least;
		line->points[retained++] = line->points[least == SIZE_MAX ? from : first];
		if (second != first)
			line->points[retained++] = line->points[second];
	}
	return retained;
}

/* ---- the response -------------------------------------------------------------------------------- */

#define WRITE_LIST(out, name, line, write)                                   \
	do {                                                                 \
		query_out_key(out, name);                                    \
		pl_buf_add_char(out, '[');                                   \
		for (size_t i = 0; i < (line)->count; i++) {                 \
			const struct line_point *point = &(line)->points[i]; \
			query_out_next(out);                                 \
			write;                                               \
		}                                                            \
		pl_buf_add_char(out, ']');                                   \
	} while (0)

static void write_json(const char *key, json_t *json, struct pl_buf *out)
{
	query_out_key(out, key);
	pl_json_write(json, PL_JSON_COMPACT, out);
	json_decref(json);
}

static void write_line(const struct trends *trends, struct line *line, struct pl_buf *out)
{
	const char *metric = trends->metric->field->id;
	auto_free char *key = pl_asprintf("%s:%s", line->configuration->key, metric);
	size_t total = line->count;

	if (total > trends->points_max)
		line->count = thin(line, trends->points_max);
	query_out_next(out);
	pl_buf_add_char(out, '{');
	query_out_key(out, "key");
	query_out_text(out, key);
	query_out_key(out, "label");
	query_out_text(out, line->configuration->label);
	write_json("fields", json_incref(line->configuration->fields), out);
	query_out_key(out, "points");
	pl_buf_add_char(out, '{');
	WRITE_LIST(out, "id", line, query_out_i64(out, point->id));
	WRITE_LIST(out, "at", line, query_out_i64(out, point->at));
	WRITE_LIST(out, "time", line, query_out_i64(out, point->time_us / 1000));
	WRITE_LIST(out, "value", line, query_out_f64(out, point->value));
	WRITE_LIST(out, "count", line, query_out_i64(out, (int64_t)point->count));
	WRITE_LIST(out, "low", line, query_out_f64(out, point->low));
	WRITE_LIST(out, "high", line, query_out_f64(out, point->high));
	WRITE_LIST(out, "outlier", line,
		   pl_buf_add_text(out, point->is_outlier ? "true" : "false"));
	pl_buf_add_char(out, '}');
	query_out_key(out, "thinned");
	pl_buf_add_text(out, total > line->count ? "true" : "false");
	out_count(out, "total_count", total);
	out_count(out, "gap_count", line->gaps);
	pl_buf_add_char(out, '}');
}

static void write_axis(const struct series_set *set, struct pl_buf *out)
{
	json_t *labels = json_array();

	for (size_t i = 0; i < set->version_count; i++)
		json_array_append_new(
			labels,
			json_pack("{s:I, s:s}", "at",
				  (json_int_t)(set->is_by_version ? (int64_t)i
								  : set->versions[i].first_us),
				  "label", set->versions[i].label));
	write_json("axis",
		   json_pack("{s:s, s:o}", "by", set->is_by_version ? "version" : "time", "labels",
			     labels),
		   out);
}

static json_t *metric_json(const struct res_field *field)
{
	auto_json json_t *about = res_field_to_json(field);

	return json_pack("{s:s, s:O, s:O, s:O}", "field", field->id, "label",
			 json_object_get(about, "label"), "unit", json_object_get(about, "unit"),
			 "direction", json_object_get(about, "direction"));
}

static size_t count_without_number(const struct series_set *set, const double *numbers)
{
	size_t count = 0;

	for (size_t i = 0; i < set->row_count; i++)
		count += !isfinite(numbers[set->rows[i].index]);
	return count;
}

static int word_of(const json_t *request, const char *key, const char *const *words, int count)
{
	const char *word = pl_json_get_text(request, key);

	for (int i = 1; i < count; i++) {
		if (pl_text_equal(word, words[i]))
			return i;
	}
	return 0;
}

int query_trends(const struct mirror_snapshot *snapshot, const json_t *request,
		 struct pl_buf *ret_json, struct schema_faults *faults, struct pl_err *err)
{
	auto_trends trends = { .set = { .pointer = { .pointer = PL_BUF(POINTER_BYTES_MAX),
						     .faults = faults },
					.points_max = SIZE_MAX } };
	struct series_set *set = &trends.set;
	const json_t *filter = query_request_member(request, "filter");
	size_t limit = (size_t)query_request_number(request, "limit", LINES_DEFAULT);

	if (query_series_set_open(snapshot, request, set, err) < 0)
		return -1;
	bool fits = query_series_set_read(set, request);
	fits = query_request_field(&set->pointer, set->view, request, "metric", &trends.metric) &&
	       fits;
	if (!fits)
		return query_request_refuse(&set->pointer, err);
	trends.aggregate = (enum aggregate)word_of(request, "aggregate", aggregate_names,
						   AGGREGATE_COUNT);
	trends.band = (enum band)word_of(request, "band", band_names, BAND_COUNT);
	trends.is_weekly = pl_text_equal(pl_json_get_text(request, "bucket"), "week");
	trends.points_max = (size_t)query_request_number(request, "max_points", POINTS_DEFAULT);
	if (query_series_set_fill(set, request, err) < 0)
		return -1;
	auto_free double *numbers = pl_alloc_array(set->bitmap_count + 1, sizeof(*numbers));
	query_series_numbers(set, trends.metric, numbers);
	trends.lines = pl_alloc_array(set->configuration_count + 1, sizeof(*trends.lines));
	for (size_t i = 0; i < set->configuration_count; i++) {
		if (mirror_view_goes_on(set->view, err) < 0)
			return -1;
		struct line line = make_line(&trends, i, numbers);
		if (line.points != NULL)
			trends.lines[trends.count++] = line;
	}
	qsort(trends.lines, trends.count, sizeof(*trends.lines), compare_lines);
	pl_buf_add_char(ret_json, '{');
	if (filter != NULL)
		write_json("filter", json_incref((json_t *)filter), ret_json);
	write_json("metric", metric_json(trends.metric->field), ret_json);
	write_json("order", query_series_order_json(set), ret_json);
	query_out_key(ret_json, "aggregate");
	query_out_text(ret_json, aggregate_names[trends.aggregate]);
	query_out_key(ret_json, "band");
	query_out_text(ret_json, band_names[trends.band]);
	write_axis(set, ret_json);
	query_out_key(ret_json, "lines");
	pl_buf_add_char(ret_json, '[');
	for (size_t i = 0; i < trends.count && i < limit; i++)
		write_line(&trends, &trends.lines[i], ret_json);
	pl_buf_add_char(ret_json, ']');
	out_count(ret_json, "total_lines", trends.count);
	write_json("excluded", query_series_excluded_json(set, count_without_number(set, numbers)),
		   ret_json);
	write_json("incomplete", json_array(), ret_json);
	out_count(ret_json, "analysis_version", QUERY_ANALYSIS_VERSION);
	return query_out_end(ret_json, mirror_snapshot_version(snapshot), "; use a smaller limit",
			     err);
}
