/* A chart of a report as SVG. */
#include <math.h>
#include <stdlib.h>

#include "base/text.h"
#include "report/report_priv.h"

#define HEIGHT_DEFAULT 190.0
#define ROWS_MAX       64
#define TICKS_MAX      16

/* Returns NULL if there is no such list. */
static double *numbers_of(const json_t *series, const char *key)
{
	const json_t *list = json_object_get(series, key);
	size_t count = json_array_size(list);

	if (list == NULL)
		return NULL;
	double *numbers = pl_alloc_array(count + 1, sizeof(*numbers));
	for (size_t i = 0; i < count; i++)
		numbers[i] = report_json_number(json_array_get(list, i));
	return numbers;
}

static enum plot_chart_mark mark_of(const json_t *series)
{
	static const char *const names[] = { "line", "dots", "bars", "points" };
	static const enum plot_chart_mark marks[] = { PLOT_CHART_LINE, PLOT_CHART_DOTS,
						      PLOT_CHART_BARS, PLOT_CHART_POINTS };
	size_t i = pl_text_index(pl_json_get_text(series, "mark"), names, PL_ARRAY_SIZE(names));

	return i < PL_ARRAY_SIZE(names) ? marks[i] : PLOT_CHART_LINE;
}

static const char **labels_of(const json_t *series)
{
	const json_t *list = json_object_get(series, "labels");

	if (list == NULL)
		return NULL;
	const char **labels = pl_alloc_array(json_array_size(list) + 1, sizeof(*labels));
	PL_JSON_EACH(label, list)
		labels[label_at] = json_string_value(label);
	return labels;
}

static void series_done(struct plot_chart_series *series)
{
	free((void *)series->x);
	free((void *)series->y);
	free((void *)series->low);
	free((void *)series->high);
	free((void *)series->left);
	free((void *)series->right);
	free((void *)series->labels);
}

static void add_rows(const json_t *chart, const char *id, struct pl_buf *buf)
{
	struct plot_chart_row rows[ROWS_MAX];
	size_t count = 0;

	PL_JSON_EACH(row, json_object_get(chart, "rows")) {
		const json_t *from = json_object_get(row, "from");
		if (count == ROWS_MAX)
			break;
		rows[count++] = (struct plot_chart_row){
			.label = pl_json_get_text(row, "label"),
			.value_text = pl_json_get_text(row, "value_text"),
			.from = json_number_value(from),
			.value = report_json_number(json_object_get(row, "value")),
			.low = report_json_number(json_object_get(row, "low")),
			.high = report_json_number(json_object_get(row, "high")),
			.color = (size_t)pl_json_get_i64(row, "color"),
		};
	}
	plot_chart_rows_svg(&(struct plot_chart_rows){ .id = id,
						       .title = pl_json_get_text(chart, "title"),
						       .text = pl_json_get_text(chart, "text"),
						       .x_label = pl_json_get_text(chart, "x"),
						       .has_bars = pl_json_get_true(chart, "bars"),
						       .rows = rows,
						       .count = count },
			    buf);
}

void report_svg(const json_t *chart, const char *id, struct pl_buf *buf)
{
	struct plot_chart_series series[PLOT_CHART_SERIES_MAX];
	struct plot_chart_tick ticks[TICKS_MAX];
	size_t count = 0, tick_count = 0;
	const json_t *ticks_json = json_object_get(chart, "x_ticks");
	double height = report_json_number(json_object_get(chart, "height"));

	if (json_object_get(chart, "rows") != NULL) {
		add_rows(chart, id, buf);
		return;
	}
	PL_JSON_EACH(one, json_object_get(chart, "series")) {
		if (count == PLOT_CHART_SERIES_MAX)
			break;
		series[count++] = (struct plot_chart_series){
			.mark = mark_of(one),
			.x = numbers_of(one, "x"),
			.y = numbers_of(one, "y"),
			.low = numbers_of(one, "low"),
			.high = numbers_of(one, "high"),
			.left = numbers_of(one, "left"),
			.right = numbers_of(one, "right"),
			.labels = labels_of(one),
			.count = json_array_size(json_object_get(one, "x")),
		};
	}
	PL_JSON_EACH(tick, ticks_json) {
		if (tick_count < TICKS_MAX)
			ticks[tick_count++] = (struct plot_chart_tick){
				.at = report_json_number(json_array_get(tick, 0)),
				.label = json_string_value(json_array_get(tick, 1)),
			};
	}
	plot_chart_svg(
		&(struct plot_chart){
			.id = id,
			.title = pl_json_get_text(chart, "title"),
			.text = pl_json_get_text(chart, "text"),
			.x_label = pl_json_get_text(chart, "x"),
			.y_label = pl_json_get_text(chart, "y"),
			.x_ticks = ticks_json != NULL ? ticks : NULL,
			.x_tick_count = tick_count,
			.x_low = report_json_number(json_object_get(chart, "x_low")),
			.x_high = report_json_number(json_object_get(chart, "x_high")),
			.has_zero = pl_json_get_true(chart, "zero"),
			.y_high = report_json_number(json_object_get(chart, "y_high")),
			.height = isnan(height) ? HEIGHT_DEFAULT : height,
			.series = series,
			.series_count = count,
		},
		buf);
	for (size_t i = 0; i < count; i++)
		series_done(&series[i]);
}
