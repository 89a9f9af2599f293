#include "plot/chart.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "plot/axes.h"
#include "plot/svg.h"

#define LEFT         52.0
#define RIGHT        14.0
#define TOP          24.0
#define BOTTOM       40.0
#define FONT         13.0
#define CHARACTER    7.0 /* mean width of one in that size */
#define TICKS_X      7
#define TICKS_Y      5
#define CLASS_BYTES  48
#define ROW          28.0
#define ROW_LEFT     150.0
#define ROW_RIGHT    96.0
#define LABEL_BYTES  256
#define LABEL_COUNT  20 /* characters of a row's label */
#define BAND_MARGIN  0.04
#define POINT_RADIUS 4.0
#define NARROW_SHARE 1e-9
#define VALUE_MIN    1e-100
#define VALUE_MAX    1e100 /* larger values do not widen a chart */

struct range {
	double low, high;
};

static void extend(struct range *range, double value)
{
	if (!(fabs(value) <= VALUE_MAX))
		return;
	range->low = fmin(range->low, value);
	range->high = fmax(range->high, value);
}

static void extend_all(struct range *range, const double *values, size_t count)
{
	for (size_t i = 0; values != NULL && i < count; i++)
		extend(range, values[i]);
}

/* Makes it finite and not empty. */
static void settle(struct range *range)
{
	if (!(range->low <= range->high))
		*range = (struct range){ 0, 1 };
	double size = fmax(fabs(range->low), fabs(range->high));
	if (!(range->high - range->low > fmax(size * NARROW_SHARE, VALUE_MIN))) {
		double margin = size > VALUE_MIN ? size / 10 : 1;
		range->high += margin;
		range->low -= range->low > 0 ? fmin(margin, range->low) : 0;
	}
}

static const char *class_of(char text[CLASS_BYTES], const char *kind, size_t color)
{
	snprintf(text, CLASS_BYTES, "%s s%zu", kind, color % PLOT_CHART_SERIES_MAX + 1);
	return text;
}

/* ---- values over x ------------------------------------------------------------------------- */

struct frame {
	const struct plot_chart *chart;
	struct range x, y;
	double width;
	struct pl_buf *buf;
};

static double x_of(const struct frame *frame, double value)
{
	return LEFT + (value - frame->x.low) / (frame->x.high - frame->x.low) * frame->width;
}

static double y_of(const struct frame *frame, double value)
{
	return TOP + frame->chart->height -
	       (value - frame->y.low) / (frame->y.high - frame->y.low) * frame->chart->height;
}

static void find_ranges(struct frame *frame)
{
	const struct plot_chart *chart = frame->chart;
	struct range x = { INFINITY, -INFINITY }, y = { INFINITY, -INFINITY };

	for (size_t i = 0; i < chart->series_count; i++) {
		const struct plot_chart_series *series = &chart->series[i];
		extend_all(&x, series->x, series->count);
		extend_all(&x, series->left, series->count);
		extend_all(&x, series->right, series->count);
		extend_all(&y, series->y, series->count);
		extend_all(&y, series->low, series->count);
		extend_all(&y, series->high, series->count);
		/* room for points and their labels */
		double margin = (x.high - x.low) * BAND_MARGIN;
		if (series->mark == PLOT_CHART_POINTS && isfinite(margin))
			x = (struct range){ x.low > 0 ? fmax(0, x.low - margin) : x.low - margin,
					    x.high + margin };
	}
	if (chart->has_zero)
		extend(&y, 0);
	extend(&y, chart->y_high);
	x.low = isfinite(chart->x_low) ? chart->x_low : x.low;
	x.high = isfinite(chart->x_high) ? chart->x_high : x.high;
	settle(&x);
	settle(&y);
	/* the highest tick is above all values */
	struct pl_ticks ticks = plot_ticks_make(y.low, y.high, TICKS_Y, false);
	y.low = fmin(y.low, ticks.first - (ticks.first > y.low ? ticks.step : 0));
	double last = ticks.count > 0 ? plot_ticks_at(&ticks, ticks.count - 1) : y.high;
	y.high = fmax(y.high, last < y.high ? last + ticks.step : last);
	frame->x = x;
	frame->y = y;
}

static void draw_y_axis(const struct frame *frame)
{
	const struct plot_chart *chart = frame->chart;
	struct pl_ticks ticks = plot_ticks_make(frame->y.low, frame->y.high, TICKS_Y + 1, false);
	char text[PL_TICK_BYTES];

	for (size_t i = 0; i < ticks.count; i++) {
		double y = y_of(frame, plot_ticks_at(&ticks, i));
		plot_svg_line(frame->buf, "grid", LEFT, y, LEFT + frame->width, y);
		plot_ticks_label(&ticks, i, text);
		plot_svg_text(frame->buf, "tick", LEFT - 7, y + FONT * 0.35, "end", text);
	}
	plot_svg_text(frame->buf, "name", 0, FONT, "start", chart->y_label);
}

static void draw_x_tick(const struct frame *frame, double at, const char *label)
{
	double x = x_of(frame, at), bottom = TOP + frame->chart->height;

	double half = CHARACTER / 2 * (double)pl_text_columns(label, strlen(label));
	bool is_at_end = x + half > PLOT_CHART_WIDTH;

	plot_svg_line(frame->buf, "base", x, bottom, x, bottom + 4);
	plot_svg_text(frame->buf, "tick", is_at_end ? PLOT_CHART_WIDTH : x, bottom + 5 + FONT,
		      is_at_end ? "end" : "middle", label);
}

static void draw_x_axis(const struct frame *frame)
{
	const struct plot_chart *chart = frame->chart;
	double bottom = TOP + chart->height;

	plot_svg_line(frame->buf, "base", LEFT, bottom, LEFT + frame->width, bottom);
	for (size_t i = 0; i < chart->x_tick_count; i++) {
		if (chart->x_ticks[i].at >= frame->x.low && chart->x_ticks[i].at <= frame->x.high)
			draw_x_tick(frame, chart->x_ticks[i].at, chart->x_ticks[i].label);
	}
	struct pl_ticks ticks = plot_ticks_make(frame->x.low, frame->x.high, TICKS_X, false);
	for (size_t i = 0; chart->x_ticks == NULL && i < ticks.count; i++) {
		char text[PL_TICK_BYTES];
		plot_ticks_label(&ticks, i, text);
		draw_x_tick(frame, plot_ticks_at(&ticks, i), text);
	}
	plot_svg_text(frame->buf, "name", LEFT + frame->width, bottom + BOTTOM - 3, "end",
		      chart->x_label);
}

static bool has_band_at(const struct plot_chart_series *series, size_t i)
{
	return isfinite(series->low[i]) && isfinite(series->high[i]);
}

/* Draws one part for each run of bins without a gap. */
static void draw_band(const struct frame *frame, const struct plot_chart_series *series)
{
	if (series->low == NULL || series->high == NULL)
		return;
	for (size_t from = 0; from < series->count; from++) {
		size_t to = from;
		while (to < series->count && has_band_at(series, to))
			to++;
		for (size_t i = from; i < to; i++) {
			double x = x_of(frame, series->x[i]), y = y_of(frame, series->high[i]);
			if (i == from)
				plot_svg_path_move(frame->buf, x, y);
			else
				plot_svg_path_line(frame->buf, x, y);
		}
		for (size_t i = to; i > from; i--)
			plot_svg_path_line(frame->buf, x_of(frame, series->x[i - 1]),
					   y_of(frame, series->low[i - 1]));
		from = to;
	}
}

static void draw_line(const struct frame *frame, const struct plot_chart_series *series)
{
	bool is_in_line = false;

	for (size_t i = 0; i < series->count; i++) {
		if (!isfinite(series->y[i])) {
			is_in_line = false;
			continue;
		}
		double x = x_of(frame, series->x[i]), y = y_of(frame, series->y[i]);
		bool is_alone = !is_in_line &&
				(i + 1 == series->count || !isfinite(series->y[i + 1]));
		if (is_alone)
			plot_svg_path_dot(frame->buf, x, y);
		else if (is_in_line)
			plot_svg_path_line(frame->buf, x, y);
		else
			plot_svg_path_move(frame->buf, x, y);
		is_in_line = true;
	}
}

static void draw_whiskers(const struct frame *frame, const struct plot_chart_series *series)
{
	for (size_t i = 0; i < series->count; i++) {
		double x = x_of(frame, series->x[i]), y = y_of(frame, series->y[i]);
		if (!isfinite(series->y[i]))
			continue;
		if (series->low != NULL && has_band_at(series, i)) {
			plot_svg_path_move(frame->buf, x, y_of(frame, series->low[i]));
			plot_svg_path_line(frame->buf, x, y_of(frame, series->high[i]));
		}
		if (series->left != NULL && isfinite(series->left[i]) &&
		    isfinite(series->right[i])) {
			plot_svg_path_move(frame->buf, x_of(frame, series->left[i]), y);
			plot_svg_path_line(frame->buf, x_of(frame, series->right[i]), y);
		}
	}
}

static void draw_dots(const struct frame *frame, const struct plot_chart_series *series)
{
	for (size_t i = 0; i < series->count; i++) {
		if (isfinite(series->y[i]) && isfinite(series->x[i]))
			plot_svg_path_dot(frame->buf, x_of(frame, series->x[i]),
					  y_of(frame, series->y[i]));
	}
}

static void draw_labels(const struct frame *frame, const struct plot_chart_series *series)
{
	for (size_t i = 0; series->labels != NULL && i < series->count; i++) {
		if (isfinite(series->y[i]))
			plot_svg_text(frame->buf, "mark",
				      x_of(frame, series->x[i]) + 2 * POINT_RADIUS,
				      y_of(frame, series->y[i]) - 2 * POINT_RADIUS, "start",
				      series->labels[i]);
	}
}

static void draw_bars(const struct frame *frame, const struct plot_chart_series *series)
{
	double bottom = TOP + frame->chart->height;

	for (size_t i = 0; i < series->count; i++) {
		double left = x_of(frame, series->left[i]), right = x_of(frame, series->right[i]);
		double top = y_of(frame, series->y[i]);
		if (isfinite(series->y[i]) && series->y[i] > 0)
			plot_svg_path_rectangle(frame->buf, left + 0.5, top,
						fmax(right - left - 1, 0.5), bottom - top);
	}
}

typedef void draw_fn(const struct frame *frame, const struct plot_chart_series *series);

static void draw_path(const struct frame *frame, const char *kind, size_t color, draw_fn *draw)
{
	char class[CLASS_BYTES];

	plot_svg_path_begin(frame->buf, class_of(class, kind, color));
	draw(frame, &frame->chart->series[color]);
	plot_svg_path_end(frame->buf);
}

static void draw_series(const struct frame *frame, size_t i)
{
	const struct plot_chart_series *series = &frame->chart->series[i];

	if (series->mark == PLOT_CHART_BARS) {
		draw_path(frame, "bars", i, draw_bars);
	} else if (series->mark == PLOT_CHART_DOTS) {
		draw_path(frame, "dots", i, draw_dots);
	} else if (series->mark == PLOT_CHART_POINTS) {
		draw_path(frame, "line", i, draw_line);
		draw_path(frame, "whisker", i, draw_whiskers);
		draw_path(frame, "points", i, draw_dots);
		draw_labels(frame, series);
	} else {
		if (series->low != NULL)
			draw_path(frame, "band", i, draw_band);
		draw_path(frame, "line", i, draw_line);
	}
}

void plot_chart_svg(const struct plot_chart *chart, struct pl_buf *buf)
{
	struct frame frame = {
		.chart = chart,
		.width = PLOT_CHART_WIDTH - LEFT - RIGHT,
		.buf = buf,
	};

	find_ranges(&frame);
	plot_svg_begin(buf, &(struct plot_svg_head){ .width = PLOT_CHART_WIDTH,
						     .height = TOP + chart->height + BOTTOM,
						     .id = chart->id,
						     .title = chart->title,
						     .text = chart->text });
	draw_y_axis(&frame);
	for (size_t i = 0; i < chart->series_count; i++)
		draw_series(&frame, i);
	draw_x_axis(&frame);
	plot_svg_end(buf);
}

/* ---- rows ---------------------------------------------------------------------------------- */

/* Shortens a label to its first characters. */
static void shorten(const char *label, char text[LABEL_BYTES])
{
	size_t len = 0, count = 0;

	while (label[len] != '\0' && len + 8 < LABEL_BYTES) {
		bool is_start = ((unsigned char)label[len] & 0xc0) != 0x80;
		if (is_start && count == LABEL_COUNT)
			break;
		count += is_start;
		len++;
	}
	snprintf(text, LABEL_BYTES, "%.*s%s", (int)len, label, label[len] != '\0' ? "…" : "");
}

void plot_chart_rows_svg(const struct plot_chart_rows *chart, struct pl_buf *buf)
{
	struct range range = { INFINITY, -INFINITY };
	double width = PLOT_CHART_WIDTH - ROW_LEFT - ROW_RIGHT;
	double bottom = 4 + ROW * (double)chart->count;
	char class[CLASS_BYTES], label[LABEL_BYTES], text[PL_TICK_BYTES];

	for (size_t i = 0; i < chart->count; i++) {
		const struct plot_chart_row *row = &chart->rows[i];
		extend(&range, row->value);
		extend(&range, row->low);
		extend(&range, row->high);
		if (chart->has_bars)
			extend(&range, row->from);
	}
	if (chart->has_bars)
		extend(&range, 0);
	settle(&range);
	if (!chart->has_bars) {
		double margin = (range.high - range.low) * BAND_MARGIN;
		range = (struct range){ range.low - margin, range.high + margin };
	}
	double scale = width / (range.high - range.low);
	plot_svg_begin(buf, &(struct plot_svg_head){ .width = PLOT_CHART_WIDTH,
						     .height = bottom + BOTTOM,
						     .id = chart->id,
						     .title = chart->title,
						     .text = chart->text });
	struct pl_ticks ticks = plot_ticks_make(range.low, range.high, TICKS_Y - 1, false);
	for (size_t i = 0; i < ticks.count; i++) {
		double x = ROW_LEFT + (plot_ticks_at(&ticks, i) - range.low) * scale;
		plot_svg_line(buf, "grid", x, 4, x, bottom);
		plot_ticks_label(&ticks, i, text);
		plot_svg_text(buf, "tick", x, bottom + 5 + FONT, "middle", text);
	}
	for (size_t i = 0; i < chart->count; i++) {
		const struct plot_chart_row *row = &chart->rows[i];
		double y = 4 + ROW * ((double)i + 0.5);
		shorten(row->label, label);
		plot_svg_text(buf, "label", 0, y + FONT * 0.35, "start", label);
		plot_svg_text(buf, "value", PLOT_CHART_WIDTH, y + FONT * 0.35, "end",
			      row->value_text);
		if (!isfinite(row->value))
			continue;
		double x = ROW_LEFT + (row->value - range.low) * scale;
		double from = ROW_LEFT + (row->from - range.low) * scale;
		if (chart->has_bars) {
			plot_svg_rectangle(buf, class_of(class, "bars", row->color), fmin(from, x),
					   y - 8, fmax(fabs(x - from), 1), 16);
			continue;
		}
		if (isfinite(row->low) && isfinite(row->high))
			plot_svg_line(buf, class_of(class, "whisker", row->color),
				      ROW_LEFT + (row->low - range.low) * scale, y,
				      ROW_LEFT + (row->high - range.low) * scale, y);
		plot_svg_path_begin(buf, class_of(class, "points", row->color));
		plot_svg_path_dot(buf, x, y);
		plot_svg_path_end(buf);
	}
	plot_svg_line(buf, "base", ROW_LEFT, bottom, ROW_LEFT + width, bottom);
	plot_svg_text(buf, "name", ROW_LEFT + width, bottom + BOTTOM - 3, "end", chart->x_label);
	plot_svg_end(buf);
}
