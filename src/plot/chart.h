/*
 * Charts as SVG: values over x as lines, dots or bars, and rows of labeled values. The caller shows titles and legends as
 * text of its page. All arrays and texts are borrowed.
 *
 * Classes in the picture, for its style sheet:
 *   s1 … s8 (series), with line, band, dots, bars or whisker; grid, base, tick, name
 */
#pragma once

#include "base/buf.h"

#include <stdbool.h>
#include <stddef.h>

#define PLOT_CHART_SERIES_MAX 8
#define PLOT_CHART_WIDTH      480

enum plot_chart_mark { PLOT_CHART_LINE, PLOT_CHART_DOTS, PLOT_CHART_BARS, PLOT_CHART_POINTS };

struct plot_chart_series {
	enum plot_chart_mark mark; /* POINTS: large dots, joined by a line, with labels */
	const double *x;           /* [count] */
	const double *y;           /* [count] NaN: a gap */
	/* [count] or NULL; NaN: none; the band of a line, the whiskers of points */
	const double *low, *high;
	/* [count] or NULL: the whiskers of points, the edges of bars */
	const double *left, *right;
	const char *const *labels; /* [count] of points; or NULL */
	size_t count;
};

struct plot_chart_tick {
	double at;
	const char *label;
};

struct plot_chart {
	const char *id;
	const char *title;
	const char *text;
	const char *x_label;
	const char *y_label;
	const struct plot_chart_tick *x_ticks; /* NULL: round values */
	size_t x_tick_count;
	double x_low, x_high; /* NaN: of the data */
	bool has_zero;        /* y starts at 0 */
	double y_high;        /* NaN: of the data */
	double height;        /* of the frame */
	const struct plot_chart_series *series;
	size_t series_count;
};
void plot_chart_svg(const struct plot_chart *chart, struct pl_buf *buf);

struct plot_chart_row {
	const char *label;
	const char *value_text; /* at the right end */
	double from;            /* of a bar */
	double value;           /* NaN: none */
	double low, high;       /* whisker; NaN: none */
	size_t color;           /* 0 for s1 */
};

struct plot_chart_rows {
	const char *id;
	const char *title;
	const char *text;
	const char *x_label;
	bool has_bars; /* otherwise dots */
	const struct plot_chart_row *rows;
	size_t count;
};
void plot_chart_rows_svg(const struct plot_chart_rows *chart, struct pl_buf *buf);
