/* Statistics of groups, and counts in bins: bars, boxes, points of a line, and cells of a grid. */
#include "query/points/points_priv.h"

#include <stdlib.h>

#include "base/stats.h"
#include "base/student.h"
#include "base/text.h"
#include "query/facets/histogram.h"
#include "query/out_priv.h"

#define INTERVAL_P 0.05

#define STATUS_FIELD "run.status"
#define COMPLETED    "completed"

/* Groups by pairs of kinds. */
struct grouping {
	const struct points *points;
	const struct points_kinds *first, *second;
	const struct points_axis *value;
	bool *failed; /* by row */
};

/* ---- groups ------------------------------------------------------------------------------------------ */

struct group {
	uint32_t first, second; /* kinds */
	size_t begin;           /* index of the first of its numbers */
	size_t n;
	size_t failed;
	size_t nothing[POINTS_X_INFINITE - POINTS_X_MISSING + 1];
};

struct figures {
	double mean, std, min, p5, p25, p50, p75, p95, max, low, high;
};

static uint32_t position_in(const struct points_kinds *kinds, size_t row)
{
	return kinds->column != NULL ? kinds->of[row] : 0;
}

static size_t count_of(const struct points_kinds *kinds)
{
	return kinds->column != NULL ? kinds->count : 1;
}

/* Returns why a row has no finite number, relative to POINTS_X_MISSING. */
static unsigned reason_of(const struct points_cells *cells, size_t row)
{
	switch (mirror_column_value(cells->column, cells->codes[row])->class) {
	case MIRROR_MISSING:
		return POINTS_X_MISSING;
	case MIRROR_NULL:
		return POINTS_X_NULL;
	case MIRROR_NUMBER:
		return POINTS_X_INFINITE;
	default:
		return POINTS_X_WORD;
	}
}

/* Finds the rows whose run has a known status other than completed. */
static bool *find_failed(const struct points *points)
{
	const struct mirror_column *column = mirror_view_column(points->view, STATUS_FIELD);
	bool *failed = pl_alloc_array(points->row_count, sizeof(*failed));

	for (size_t row = 0; column != NULL && row < points->row_count; row++) {
		struct mirror_value value = mirror_column_at(column, points->rows[row]);
		failed[row] = value.class == MIRROR_TEXT && !pl_text_equal(value.text, COMPLETED);
	}
	return failed;
}

static struct group *group_of(const struct grouping *by, struct group *groups, size_t row)
{
	return &groups[position_in(by->first, row) * count_of(by->second) +
		       position_in(by->second, row)];
}

/* Returns the numbers of each group consecutively in *ret_numbers. */
static struct group *make_groups(const struct grouping *by, double **ret_numbers)
{
	size_t rows = by->points->row_count, seconds = count_of(by->second), begin = 0;
	size_t count = count_of(by->first) * seconds;
	struct group *groups = pl_alloc_array(count, sizeof(*groups));
	const double *at = by->value->at;

	for (size_t i = 0; i < count; i++)
		groups[i] = (struct group){ .first = (uint32_t)(i / seconds),
					    .second = (uint32_t)(i % seconds) };
	for (size_t row = 0; row < rows; row++) {
		struct group *group = group_of(by, groups, row);
		group->failed += by->failed[row];
		if (isnan(at[row]))
			group->nothing[reason_of(&by->value->cells, row) - POINTS_X_MISSING]++;
		else
			group->n++;
	}
	for (size_t i = 0; i < count; i++) {
		groups[i].begin = begin;
		begin += groups[i].n;
		groups[i].n = 0;
	}
	*ret_numbers = pl_alloc_array(begin, sizeof(**ret_numbers));
	for (size_t row = 0; row < rows; row++) {
		struct group *group = group_of(by, groups, row);
		if (!isnan(at[row]))
			(*ret_numbers)[group->begin + group->n++] = at[row];
	}
	return groups;
}

/* Sorts the numbers. */
static struct figures figures_of(double *numbers, size_t n)
{
	struct figures ret = { NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN };

	if (n == 0)
		return ret;
	ret.mean = pl_stats_mean(numbers, n);
	if (n > 1) {
		double count = (double)n;
		ret.std = pl_stats_std(numbers, n) * sqrt(count / (count - 1));
		double half = pl_student_t(INTERVAL_P, count - 1) * ret.std / sqrt(count);
		ret.low = ret.mean - half;
		ret.high = ret.mean + half;
	}
	pl_stats_sort(numbers, n);
	ret.min = numbers[0];
	ret.p5 = pl_stats_percentile_sorted(numbers, n, 5);
	ret.p25 = pl_stats_percentile_sorted(numbers, n, 25);
	ret.p50 = pl_stats_percentile_sorted(numbers, n, 50);
	ret.p75 = pl_stats_percentile_sorted(numbers, n, 75);
	ret.p95 = pl_stats_percentile_sorted(numbers, n, 95);
	ret.max = numbers[n - 1];
	return ret;
}

static const struct {
	const char *key;
	size_t at;
} figure_rows[] = {
	{ "mean", offsetof(struct figures, mean) }, { "std", offsetof(struct figures, std) },
	{ "min", offsetof(struct figures, min) },   { "p5", offsetof(struct figures, p5) },
	{ "p25", offsetof(struct figures, p25) },   { "p50", offsetof(struct figures, p50) },
	{ "p75", offsetof(struct figures, p75) },   { "p95", offsetof(struct figures, p95) },
	{ "max", offsetof(struct figures, max) },   { "low", offsetof(struct figures, low) },
	{ "high", offsetof(struct figures, high) },
};

static void begin_list(const char *key, struct pl_buf *out)
{
	query_out_key(out, key);
	pl_buf_add_char(out, '[');
}

static void write_counts(const char *key, const struct group *groups, size_t count, size_t offset,
			 struct pl_buf *out)
{
	begin_list(key, out);
	for (size_t i = 0; i < count; i++) {
		query_out_next(out);
		query_out_i64(out, (int64_t) * (const size_t *)((const char *)&groups[i] + offset));
	}
	pl_buf_add_char(out, ']');
}

static void write_kind_positions(const char *key, const struct points_kinds *kinds,
				 const struct group *groups, size_t count, size_t offset,
				 struct pl_buf *out)
{
	if (kinds->column == NULL) {
		query_out_key(out, key);
		pl_buf_add_text(out, "null");
		return;
	}
	begin_list(key, out);
	for (size_t i = 0; i < count; i++) {
		query_out_next(out);
		query_out_i64(out, *(const uint32_t *)((const char *)&groups[i] + offset));
	}
	pl_buf_add_char(out, ']');
}

/* Removes pairs of kinds without rows. */
static size_t drop_empty(struct group *groups, size_t count)
{
	size_t retained = 0;

	for (size_t i = 0; i < count; i++) {
		size_t rows = groups[i].n;
		for (size_t k = 0; k < PL_ARRAY_SIZE(groups[i].nothing); k++)
			rows += groups[i].nothing[k];
		if (rows > 0)
			groups[retained++] = groups[i];
	}
	return retained;
}

static void write_figures(const struct group *groups, size_t count, double *numbers,
			  struct pl_buf *out)
{
	auto_free struct figures *figures = pl_alloc_array(count, sizeof(*figures));

	for (size_t i = 0; i < count; i++)
		figures[i] = figures_of(numbers + groups[i].begin, groups[i].n);
	for (size_t i = 0; i < PL_ARRAY_SIZE(figure_rows); i++) {
		begin_list(figure_rows[i].key, out);
		for (size_t k = 0; k < count; k++) {
			query_out_next(out);
			query_out_f64(out, *(const double *)((const char *)&figures[k] +
							     figure_rows[i].at));
		}
		pl_buf_add_char(out, ']');
	}
}

/* `second`: name of the second kinds in the response. */
static void write_groups(struct grouping *by, const char *second, struct pl_buf *out)
{
	static const char *const nothings[] = { "missing", "null", "word", "infinite" };
	auto_free double *numbers = NULL;
	auto_free bool *failed = by->failed = find_failed(by->points);
	auto_free struct group *groups = make_groups(by, &numbers);
	size_t count = drop_empty(groups, count_of(by->first) * count_of(by->second));

	pl_buf_add_char(out, '{');
	write_kind_positions("x", by->first, groups, count, offsetof(struct group, first), out);
	write_kind_positions(second, by->second, groups, count, offsetof(struct group, second),
			     out);
	write_counts("n", groups, count, offsetof(struct group, n), out);
	for (size_t i = 0; i < PL_ARRAY_SIZE(nothings); i++)
		write_counts(nothings[i], groups, count,
			     offsetof(struct group, nothing) + i * sizeof(groups->nothing[0]), out);
	write_counts("failed", groups, count, offsetof(struct group, failed), out);
	write_figures(groups, count, numbers, out);
	pl_buf_add_char(out, '}');
}

void query_points_write_groups(struct points *points, struct pl_buf *out)
{
	struct grouping by = { .points = points,
			       .first = &points->x.kinds,
			       .second = &points->colors,
			       .value = &points->y };

	query_out_key(out, "groups");
	write_groups(&by, "color", out);
}

void query_points_write_grid(struct points *points, struct pl_buf *out)
{
	struct grouping by = { .points = points,
			       .first = &points->x.kinds,
			       .second = &points->y.kinds,
			       .value = &points->value };

	query_out_key(out, "value");
	query_points_write_axis(&points->value, out);
	query_out_key(out, "grid");
	write_groups(&by, "y", out);
}

/* ---- bins -------------------------------------------------------------------------------------------- */

static size_t bin_of(const struct query_histogram *histogram, double number)
{
	size_t low = 0, high = histogram->bins;

	while (low + 1 < high) {
		size_t middle = low + (high - low) / 2;
		if (histogram->edges[middle] <= number)
			low = middle;
		else
			high = middle;
	}
	return low;
}

/* A single number has a bin without width. */
static void make_bins(const struct points *points, struct query_histogram *ret)
{
	auto_free double *sorted = pl_alloc_array(points->row_count, sizeof(*sorted));
	auto_free struct query_counted *numbers = pl_alloc_array(points->row_count,
								 sizeof(*numbers));
	size_t count = 0;

	for (size_t row = 0; row < points->row_count; row++)
		sorted[row] = points->x.at[row] + 0.0;
	pl_stats_sort(sorted, points->row_count);
	for (size_t row = 0; row < points->row_count; row++) {
		if (row == 0 || sorted[row] > sorted[row - 1])
			numbers[count++].number = sorted[row];
		numbers[count - 1].count++;
	}
	*ret = (struct query_histogram){ .bins = count > 0 };
	if (count > 1)
		query_histogram(numbers, count, NULL, ret);
	else if (count == 1)
		ret->edges[0] = ret->edges[1] = sorted[0];
}

static void write_bin_counts(const struct points *points, const struct query_histogram *histogram,
			     size_t bins, struct pl_buf *out)
{
	size_t colors = count_of(&points->colors);
	auto_free size_t *counts = pl_alloc_array(bins * colors, sizeof(*counts));

	for (size_t row = 0; row < points->row_count; row++) {
		size_t bin = points->x.kind == POINTS_KINDS ? points->x.kinds.of[row]
							    : bin_of(histogram, points->x.at[row]);
		counts[position_in(&points->colors, row) * bins + bin]++;
	}
	begin_list("counts", out);
	for (size_t color = 0; color < colors; color++) {
		query_out_next(out);
		pl_buf_add_char(out, '[');
		for (size_t bin = 0; bin < bins; bin++) {
			query_out_next(out);
			query_out_i64(out, (int64_t)counts[color * bins + bin]);
		}
		pl_buf_add_char(out, ']');
	}
	pl_buf_add_char(out, ']');
}

void query_points_write_bins(struct points *points, struct pl_buf *out)
{
	struct query_histogram histogram = { .bins = 0 };
	bool by_kind = points->x.kind == POINTS_KINDS;

	query_out_key(out, "bins");
	pl_buf_add_text(out, "{\"edges\":");
	if (by_kind) {
		pl_buf_add_text(out, "null");
	} else {
		make_bins(points, &histogram);
		pl_buf_add_char(out, '[');
		for (size_t i = 0; histogram.bins > 0 && i <= histogram.bins; i++) {
			query_out_next(out);
			query_out_f64(out, histogram.edges[i]);
		}
		pl_buf_add_char(out, ']');
	}
	write_bin_counts(points, &histogram, by_kind ? points->x.kinds.count : histogram.bins, out);
	pl_buf_add_char(out, '}');
}
