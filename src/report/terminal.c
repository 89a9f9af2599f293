/*
 * A report for a terminal of 80 columns: the lasting columns of its tables, and charts as one line of blocks per series
 * or as bars.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/clean.h"
#include "base/text.h"
#include "base/width.h"
#include "report/report_priv.h"

#define WIDTH       80
#define INDENT      2
#define COLUMNS_MAX 12
#define SPARK_WIDTH 56
#define BAR_WIDTH   36
#define LABEL_WIDTH 22
#define CELL_MIN    12
#define BOLD        "\033[1m"
#define FAINT       "\033[2m"
#define RED         "\033[31m"
#define GREEN       "\033[32m"
#define YELLOW      "\033[33m"
#define PLAIN       "\033[0m"

struct form {
	struct pl_buf *buf;
	bool color;
};

static void add_colored(const struct form *form, const char *color, const char *text)
{
	bool is_colored = form->color && *color != '\0';

	pl_buf_addf(form->buf, "%s%s%s", is_colored ? color : "", text, is_colored ? PLAIN : "");
}

static size_t columns_of(const char *text)
{
	return pl_width(text, strlen(text));
}

static void add_blanks(const struct form *form, size_t count)
{
	pl_buf_addf(form->buf, "%*s", (int)count, "");
}

/* Text in lines of the whole width. */
static void add_wrapped(const struct form *form, const char *color, const char *text, size_t indent)
{
	auto_free char *clean = pl_clean_shown(text);

	for (const char *at = clean; *at != '\0';) {
		size_t len = pl_width_line(at, WIDTH - indent);
		auto_free char *line = pl_strndup(at, len);
		add_blanks(form, indent);
		add_colored(form, color, line);
		pl_buf_add_char(form->buf, '\n');
		at += len;
		at += strspn(at, " ");
	}
}

/* ---- tables -------------------------------------------------------------------------------- */

struct layout {
	size_t columns[COLUMNS_MAX]; /* indexes of those shown */
	size_t widths[COLUMNS_MAX];
	bool is_right[COLUMNS_MAX];
	size_t count;
};

static struct layout layout_of(const json_t *table)
{
	struct layout layout = { .count = 0 };
	size_t total = INDENT;

	PL_JSON_EACH(column, json_object_get(table, "columns")) {
		if (!pl_json_get_true(column, "lasting") || layout.count == COLUMNS_MAX)
			continue;
		size_t width = columns_of(pl_json_get_text(column, "title"));
		PL_JSON_EACH(row, json_object_get(table, "rows")) {
			auto_free char *text = pl_clean_shown(
				report_cell_text(json_array_get(row, column_at)));
			size_t columns = columns_of(text);
			width = columns > width ? columns : width;
		}
		layout.columns[layout.count] = column_at;
		layout.widths[layout.count] = width;
		layout.is_right[layout.count] = pl_text_equal(pl_json_get_text(column, "align"),
							      "right");
		layout.count++;
		total += width + 2;
	}
	/* the widest column of words is wrapped */
	while (total > WIDTH) {
		size_t widest = COLUMNS_MAX;
		for (size_t i = 0; i < layout.count; i++) {
			if (widest == COLUMNS_MAX || layout.widths[i] > layout.widths[widest])
				widest = i;
		}
		if (widest == COLUMNS_MAX || layout.widths[widest] <= CELL_MIN)
			break;
		layout.widths[widest]--;
		total--;
	}
	return layout;
}

static const char *color_of(const char *tone)
{
	if (pl_text_equal(tone, "over") || pl_text_equal(tone, "worse"))
		return RED;
	return pl_text_equal(tone, "passed") || pl_text_equal(tone, "better") ? GREEN : "";
}

/* texts: one per shown column. A row has as many lines as its longest cell. */
static void add_lines(const struct form *form, const struct layout *layout, char **texts,
		      const char *const *colors)
{
	const char *at[COLUMNS_MAX];
	bool has_more = true;

	for (size_t i = 0; i < layout->count; i++)
		at[i] = texts[i];
	while (has_more) {
		size_t pending = INDENT;
		has_more = false;
		for (size_t i = 0; i < layout->count; i++) {
			size_t len = pl_width_line(at[i], layout->widths[i]);
			auto_free char *line = pl_strndup(at[i], len);
			size_t room = layout->widths[i] - columns_of(line);
			/* no blanks at the end of a line */
			if (len > 0) {
				add_blanks(form, pending + (layout->is_right[i] ? room : 0));
				add_colored(form, colors[i], line);
				pending = 2 + (layout->is_right[i] ? 0 : room);
			} else {
				pending += layout->widths[i] + 2;
			}
			at[i] += len;
			at[i] += strspn(at[i], " ");
			has_more = has_more || *at[i] != '\0';
		}
		pl_buf_add_char(form->buf, '\n');
	}
}

static void add_row(const struct form *form, const json_t *table, const struct layout *layout,
		    const json_t *row)
{
	char *texts[COLUMNS_MAX];
	const char *colors[COLUMNS_MAX];

	for (size_t i = 0; i < layout->count; i++) {
		const json_t *cell = row != NULL ? json_array_get(row, layout->columns[i]) : NULL;
		const json_t *column = json_array_get(json_object_get(table, "columns"),
						      layout->columns[i]);
		texts[i] = pl_clean_shown(row != NULL ? report_cell_text(cell)
						      : pl_json_get_text(column, "title"));
		colors[i] = row != NULL ? color_of(pl_json_get_text(cell, "tone")) : FAINT;
	}
	add_lines(form, layout, texts, colors);
	for (size_t i = 0; i < layout->count; i++)
		free(texts[i]);
}

static void add_table(const struct form *form, const json_t *table)
{
	const json_t *rows = json_object_get(table, "rows");
	struct layout layout = layout_of(table);

	if (pl_json_get_true(table, "folded")) {
		auto_free char *text = pl_asprintf("%s: %zu, in the other forms of this report",
						   pl_json_get_text(table, "title"),
						   json_array_size(rows));
		add_wrapped(form, FAINT, text, INDENT);
		return;
	}
	if (json_object_get(table, "title") != NULL)
		add_wrapped(form, BOLD, pl_json_get_text(table, "title"), INDENT);
	add_row(form, table, &layout, NULL);
	PL_JSON_EACH(row, rows) {
		const char *group = pl_json_get_text(row, "group");
		if (group == NULL)
			add_row(form, table, &layout, row);
		else
			add_wrapped(form, BOLD, group, INDENT);
	}
}

/* ---- charts -------------------------------------------------------------------------------- */

static const char *const blocks[] = { "▁", "▂", "▃", "▄", "▅", "▆", "▇", "█" };

/* Mean of the values in each column; NaN: none. */
static void columns_of_series(const json_t *series, double columns[SPARK_WIDTH])
{
	const json_t *xs = json_object_get(series, "x"), *ys = json_object_get(series, "y");
	size_t counts[SPARK_WIDTH] = { 0 }, count = json_array_size(xs);
	double low = report_json_number(json_array_get(xs, 0));
	double high = report_json_number(json_array_get(xs, count - 1));

	for (size_t i = 0; i < SPARK_WIDTH; i++)
		columns[i] = 0;
	for (size_t i = 0; i < count; i++) {
		double x = report_json_number(json_array_get(xs, i));
		double y = report_json_number(json_array_get(ys, i));
		double share = high > low ? (x - low) / (high - low) : 0;
		if (isnan(y) || !(share >= 0 && share <= 1))
			continue;
		size_t at = (size_t)fmin(share * SPARK_WIDTH, SPARK_WIDTH - 1);
		columns[at] += y;
		counts[at]++;
	}
	for (size_t i = 0; i < SPARK_WIDTH; i++)
		columns[i] = counts[i] > 0 ? columns[i] / (double)counts[i] : NAN;
	/* few points are joined */
	for (size_t i = 1; count < SPARK_WIDTH && i < SPARK_WIDTH; i++)
		columns[i] = isnan(columns[i]) ? columns[i - 1] : columns[i];
}

static void add_sparkline(const struct form *form, const json_t *series, bool has_zero,
			  const char *unit)
{
	double columns[SPARK_WIDTH], low = INFINITY, high = -INFINITY;
	char least[REPORT_NUMBER_BYTES], most[REPORT_NUMBER_BYTES];

	columns_of_series(series, columns);
	for (size_t i = 0; i < SPARK_WIDTH; i++) {
		low = isnan(columns[i]) ? low : fmin(low, columns[i]);
		high = isnan(columns[i]) ? high : fmax(high, columns[i]);
	}
	if (!(low <= high))
		return;
	double base = has_zero ? fmin(low, 0) : low;
	add_blanks(form, INDENT);
	for (size_t i = 0; i < SPARK_WIDTH; i++) {
		double share = high > base ? (columns[i] - base) / (high - base) : 0;
		size_t at = isnan(share) ? 0
					 : (size_t)fmin(share * PL_ARRAY_SIZE(blocks),
							PL_ARRAY_SIZE(blocks) - 1);
		pl_buf_add_text(form->buf, isnan(columns[i]) ? " " : blocks[at]);
	}
	report_number_text(low, false, least);
	report_number_text(high, false, most);
	auto_free char *text = pl_asprintf("  %s – %s %.*s", least, most, (int)strcspn(unit, " "),
					   unit);
	auto_free char *clean = pl_clean_shown(text);
	add_colored(form, FAINT, clean);
	pl_buf_add_char(form->buf, '\n');
}

static void add_bar(const struct form *form, const json_t *row, double low, double high)
{
	auto_free char *label = pl_clean_shown(pl_json_get_text(row, "label"));
	auto_free char *shown = pl_strndup(label, pl_width_line(label, LABEL_WIDTH));
	double from = json_number_value(json_object_get(row, "from"));
	double to = report_json_number(json_object_get(row, "value"));
	double scale = high > low ? BAR_WIDTH / (high - low) : 0;

	add_blanks(form, INDENT);
	pl_buf_add_text(form->buf, shown);
	add_blanks(form, LABEL_WIDTH + 1 - columns_of(shown));
	for (size_t i = 0; i < BAR_WIDTH; i++) {
		double left = low + (double)i / fmax(scale, 1e-300);
		double right = left + 1 / fmax(scale, 1e-300);
		bool is_in = !isnan(to) && right > fmin(from, to) && left < fmax(from, to);
		pl_buf_add_text(form->buf, is_in ? "█" : "·");
	}
	pl_buf_addf(form->buf, " %s\n", pl_json_get_text(row, "value_text"));
}

static void add_bars(const struct form *form, const json_t *rows)
{
	double low = 0, high = 0;

	PL_JSON_EACH(row, rows) {
		double value = report_json_number(json_object_get(row, "value"));
		high = isnan(value) ? high : fmax(high, value);
		low = isnan(value) ? low : fmin(low, value);
	}
	PL_JSON_EACH(one, rows)
		add_bar(form, one, low, high);
}

static void add_chart(const struct form *form, const json_t *chart)
{
	const char *unit = pl_json_get_text(chart, "y");
	const json_t *rows = json_object_get(chart, "rows");

	auto_free char *title = pl_asprintf("%s (%s)", pl_json_get_text(chart, "title"),
					    pl_json_get_text(chart, "x"));
	add_wrapped(form, BOLD, title, INDENT);
	if (rows != NULL) {
		add_bars(form, rows);
		return;
	}
	const json_t *all = json_object_get(chart, "series");
	PL_JSON_EACH(series, all) {
		/* dots are summarized by the line over them */
		if (pl_text_equal(pl_json_get_text(series, "mark"), "dots"))
			continue;
		if (json_array_size(all) > 1)
			add_wrapped(form, FAINT, pl_json_get_text(series, "name"), INDENT);
		add_sparkline(form, series, pl_json_get_true(chart, "zero"), unit);
	}
}

/* ---- the whole ----------------------------------------------------------------------------- */

static void add_verdict(const struct form *form, const json_t *block)
{
	const char *verdict = pl_json_get_text(block, "verdict");
	const char *status = pl_json_get_text(block, "status");
	const char *color = pl_text_equal(verdict, "trusted")    ? GREEN
			    : pl_text_equal(verdict, "degraded") ? YELLOW
			    : verdict != NULL || status != NULL  ? RED
								 : "";

	add_wrapped(form, color,
		    verdict != NULL  ? verdict
		    : status != NULL ? status
				     : "none",
		    INDENT);
	PL_JSON_EACH(sentence, json_object_get(block, "text"))
		add_wrapped(form, "", json_string_value(sentence), INDENT);
}

static void add_tiles(const struct form *form, const json_t *block)
{
	auto_json json_t *blocks_json = json_array();
	json_t *table = report_add_table(blocks_json, "Key metrics",
					 "Key metric<!|Value>!|Unit<!|95 % CI>!", false);

	PL_JSON_EACH(item, json_object_get(block, "items")) {
		const char *note = pl_json_get_text(item, "note");
		json_t *row = report_add_row(table);
		report_add_cell(row, pl_json_get_text(item, "label"));
		report_add_cell(row, pl_json_get_text(item, "text"));
		report_add_cell(row, pl_json_get_text(item, "unit"));
		report_add_cell(row, note != NULL ? note + strlen("95 % CI ") : NULL);
	}
	add_table(form, table);
}

static void add_code(const struct form *form, const json_t *block)
{
	auto_free char *copy = pl_strdup(pl_json_get_text(block, "text"));

	if (pl_json_get_true(block, "folded"))
		return;
	add_wrapped(form, FAINT, pl_json_get_text(block, "title"), INDENT);
	for (char *rest = copy, *line; (line = strsep(&rest, "\n")) != NULL;) {
		if (rest == NULL && *line == '\0')
			break;
		auto_free char *clean = pl_clean_shown(line);
		pl_buf_addf(form->buf, "    %s\n", clean);
	}
}

static void add_block(const struct form *form, const json_t *block)
{
	const char *kind = pl_json_get_text(block, "kind");

	if (pl_text_equal(kind, "verdict"))
		add_verdict(form, block);
	else if (pl_text_equal(kind, "tiles"))
		add_tiles(form, block);
	else if (pl_text_equal(kind, "table"))
		add_table(form, block);
	else if (pl_text_equal(kind, "code"))
		add_code(form, block);
	else if (pl_text_equal(kind, "charts"))
		PL_JSON_EACH(chart, json_object_get(block, "items"))
			add_chart(form, chart);
	else
		add_wrapped(form, FAINT, pl_json_get_text(block, "text"), INDENT);
}

void report_terminal(const json_t *report, bool color, struct pl_buf *buf)
{
	const struct form form = { buf, color };

	if (pl_json_get_true(report, "simulated"))
		add_wrapped(&form, YELLOW,
			    "SIMULATED: a simulator sent the responses; no model ran, and no GPU "
			    "was used.",
			    0);
	add_wrapped(&form, BOLD, pl_json_get_text(report, "title"), 0);
	add_wrapped(&form, FAINT, pl_json_get_text(report, "lead"), 0);
	PL_JSON_EACH(section, json_object_get(report, "sections")) {
		pl_buf_add_char(buf, '\n');
		add_wrapped(&form, BOLD, pl_json_get_text(section, "title"), 0);
		PL_JSON_EACH(block, json_object_get(section, "blocks")) {
			if (block_at > 0)
				pl_buf_add_char(buf, '\n');
			add_block(&form, block);
		}
	}
}
