#include "run/watch/view.h"

#include <math.h>
#include <string.h>

#include "base/clean.h"
#include "base/text.h"
#include "base/width.h"

#define LINE_BYTES_MAX 8192
#define LABEL_COLUMNS  18
#define VALUE_COLUMNS  16
#define SPARK_MAX      40
#define SPARK_MIN      8
#define BAR_MAX        28
#define REASONS_MAX    3
#define ERRORS_MAX     3
#define YELLOW         "\033[33m"
#define FAINT          "\033[2m"
#define PLAIN          "\033[0m"

static const char *const blocks[] = { "▁", "▂", "▃", "▄", "▅", "▆", "▇", "█" };
static const char *const ascii[] = { "_", ".", "-", "~", "=", "+", "*", "#" };
#define LEVELS 8

static const struct {
	const char *label;
	const char *path; /* NULL: computed */
	const char *format;
	double top; /* of the axis; NAN: the largest value */
} series[RUN_VIEW_SERIES_COUNT] = {
	[RUN_VIEW_IN_FLIGHT] = { "in flight", "requests.in_flight", "%.0f", NAN },
	[RUN_VIEW_RUNNING] = { "running", "server.running", "%.0f", NAN },
	[RUN_VIEW_WAITING] = { "waiting", "server.waiting", "%.0f", NAN },
	[RUN_VIEW_KV_CACHE] = { "KV cache %", "server.kv_cache_percent", "%.3g", 100 },
	[RUN_VIEW_TTFT] = { "TTFT median ms", "ttft_ms.median", "%.4g", NAN },
	[RUN_VIEW_E2EL] = { "E2EL median ms", "e2el_ms.median", "%.4g", NAN },
	[RUN_VIEW_UTILIZATION] = { "GPU utilization %", NULL, "%.0f", 100 },
	[RUN_VIEW_POWER] = { "GPU power W", NULL, "%.0f", NAN },
};

/* ---- history ------------------------------------------------------------------------------- */

static double number_at(const json_t *snapshot, const char *path)
{
	const json_t *value = pl_json_get_path(snapshot, path);

	return json_is_number(value) ? json_number_value(value) : NAN;
}

/* The mean of the GPUs' utilization, or the sum of their power. */
static double of_gpus(const json_t *snapshot, const char *key, bool is_mean)
{
	double sum = 0;
	size_t count = 0;

	PL_JSON_EACH(gpu, json_object_get(snapshot, "gpus")) {
		const json_t *value = json_object_get(gpu, key);
		if (!json_is_number(value))
			continue;
		sum += json_number_value(value);
		count++;
	}
	return count == 0 ? NAN : is_mean ? sum / (double)count : sum;
}

static double value_of(const json_t *snapshot, enum run_view_series which)
{
	if (which == RUN_VIEW_UTILIZATION)
		return of_gpus(snapshot, "utilization_percent", true);
	if (which == RUN_VIEW_POWER)
		return of_gpus(snapshot, "power_w", false);
	return number_at(snapshot, series[which].path);
}

static double mean_of_two(double a, double b)
{
	return isnan(a) ? b : isnan(b) ? a : (a + b) / 2;
}

static void halve(struct run_view_history *history)
{
	for (size_t s = 0; s < RUN_VIEW_SERIES_COUNT; s++) {
		double *points = history->points[s];
		for (size_t i = 0; i < RUN_VIEW_POINTS / 2; i++)
			points[i] = mean_of_two(points[2 * i], points[2 * i + 1]);
	}
	history->count = RUN_VIEW_POINTS / 2;
	history->per_point *= 2;
}

void run_view_add(struct run_view_history *history, const json_t *snapshot)
{
	if (history->per_point == 0)
		history->per_point = 1;
	for (size_t s = 0; s < RUN_VIEW_SERIES_COUNT; s++) {
		double value = value_of(snapshot, (enum run_view_series)s);
		if (isnan(value))
			continue;
		history->sums[s] += value;
		history->known[s]++;
	}
	if (++history->pending < history->per_point)
		return;
	if (history->count == RUN_VIEW_POINTS)
		halve(history);
	for (size_t s = 0; s < RUN_VIEW_SERIES_COUNT; s++) {
		size_t known = history->known[s];
		history->points[s][history->count] = known > 0 ? history->sums[s] / (double)known
							       : NAN;
		history->sums[s] = 0;
		history->known[s] = 0;
	}
	history->count++;
	history->pending = 0;
}

/* ---- lines --------------------------------------------------------------------------------- */

struct lines {
	const struct run_view *view;
	struct pl_buf *buf;
	size_t count;
};

/* Adds a line unless all rows are in use; the last one is for the cursor. `style` NULL: plain. */
static void add_line(struct lines *lines, const char *text, const char *style)
{
	const struct run_view *view = lines->view;
	auto_free char *clean = pl_clean_shown(text);
	bool has_style = style != NULL && view->color;

	if (lines->count + 1 >= view->rows)
		return;
	size_t len = strlen(clean);
	bool is_cut = pl_width(clean, len) > view->columns;
	pl_buf_add_text(lines->buf, has_style ? style : "");
	pl_buf_add(lines->buf, clean, pl_width_fit(clean, view->columns - is_cut));
	if (is_cut)
		pl_buf_add_text(lines->buf, view->is_unicode ? "…" : ">");
	pl_buf_add_text(lines->buf, has_style ? PLAIN : "");
	pl_buf_add_char(lines->buf, '\n');
	lines->count++;
}

static void add_part(struct pl_buf *line, const char *text)
{
	if (text == NULL || *text == '\0')
		return;
	pl_buf_addf(line, "%s%s", line->len > 0 ? "   " : "", text);
}

static void add_head(struct lines *lines, const json_t *snapshot)
{
	static const char *const paths[] = { "run.name", "run.model", "run.server", "run.load" };
	auto_buf line = PL_BUF(LINE_BYTES_MAX);

	for (size_t i = 0; i < PL_ARRAY_SIZE(paths); i++)
		add_part(&line, pl_json_path_text(snapshot, paths[i]));
	add_line(lines, pl_buf_text(&line), NULL);
}

static void add_verdict(struct lines *lines, const json_t *snapshot)
{
	const json_t *verdict = json_object_get(snapshot, "verdict");
	const char *state = pl_json_get_text(verdict, "state");
	bool is_known = !pl_text_equal(state, "unknown");
	auto_buf line = PL_BUF(LINE_BYTES_MAX);
	size_t shown = 0;

	pl_buf_addf(&line, "%s: %s", is_known ? state : "no verdict yet",
		    pl_json_get_text(verdict, "sentence"));
	if (is_known)
		add_line(lines, pl_buf_text(&line), YELLOW);
	else
		add_line(lines, pl_buf_text(&line), NULL);
	PL_JSON_EACH(reason, json_object_get(verdict, "reasons")) {
		auto_buf text = PL_BUF(LINE_BYTES_MAX);
		if (shown++ == REASONS_MAX && !lines->view->shows_all)
			break;
		pl_buf_addf(&text, "  %s", pl_json_get_text(reason, "sentence"));
		/* of a check that is only true or false, the finding says all */
		if (json_is_number(json_object_get(reason, "value")) &&
		    !pl_text_equal(pl_json_get_text(reason, "unit"), "yes"))
			pl_buf_addf(&text, " %.3g, limit %.3g %s", pl_json_get_f64(reason, "value"),
				    pl_json_get_f64(reason, "limit"),
				    pl_json_get_text(reason, "unit"));
		add_line(lines, pl_buf_text(&text), NULL);
	}
}

static void add_progress(struct lines *lines, const json_t *snapshot)
{
	const json_t *requests = json_object_get(snapshot, "requests");
	double done = pl_json_get_f64(requests, "done");
	double total = pl_json_get_f64(requests, "total");
	double failed = pl_json_get_f64(requests, "failed");
	double share = total > 0 ? fmin(done / total, 1) : 0;
	size_t width = lines->view->columns > 2 * BAR_MAX ? BAR_MAX : lines->view->columns / 3;
	auto_buf line = PL_BUF(LINE_BYTES_MAX);

	pl_buf_add_char(&line, '[');
	for (size_t i = 0; i < width; i++)
		pl_buf_add_char(&line, (double)i < share * (double)width ? '#' : '-');
	pl_buf_addf(&line, "] %.0f %%  %.0f of %.0f", share * 100, done, total);
	if (failed > 0)
		pl_buf_addf(&line, " (%.0f failed)", failed);
	if (json_is_number(json_object_get(requests, "remaining_s"))) {
		pl_buf_add_text(&line, "  about ");
		pl_text_add_clock(&line, pl_json_get_f64(requests, "remaining_s"));
		pl_buf_add_text(&line, " remaining");
	}
	add_line(lines, pl_buf_text(&line), NULL);
}

static void add_phase(struct lines *lines, const json_t *snapshot)
{
	const json_t *phase = json_object_get(snapshot, "phase");
	auto_buf line = PL_BUF(LINE_BYTES_MAX);
	auto_buf steps = PL_BUF(LINE_BYTES_MAX);
	double sum = 0;

	PL_JSON_EACH(step, json_object_get(phase, "done")) {
		double seconds = pl_json_get_f64(step, "seconds");
		sum += seconds;
		if (seconds >= 0.5)
			pl_buf_addf(&steps, "%s%s %.0f", steps.len > 0 ? ", " : "",
				    pl_json_get_text(step, "name"), seconds);
	}
	pl_buf_addf(&line, "phase  %s %.0f s", pl_json_get_text(phase, "name"),
		    pl_json_get_f64(phase, "elapsed_s"));
	pl_buf_addf(&line, "  (before it %.0f s%s%s)", sum, steps.len > 0 ? ": " : "",
		    pl_buf_text(&steps));
	add_line(lines, pl_buf_text(&line), NULL);
}

static void add_rates(struct lines *lines, const json_t *snapshot)
{
	static const struct {
		const char *path;
		const char *format;
	} parts[] = {
		{ "rates.requested_per_s", "asked %.3g/s" },
		{ "rates.sent_per_s", "sent %.3g/s" },
		{ "rates.done_per_s", "done %.3g/s" },
		{ "rates.output_tokens_per_s", "%.0f tok/s" },
		{ "rates.inputs_per_s", "%.3g inputs/s" },
		{ "client.late_median_ms", "late %.2g ms" },
	};
	auto_buf line = PL_BUF(LINE_BYTES_MAX);

	for (size_t i = 0; i < PL_ARRAY_SIZE(parts); i++) {
		double value = number_at(snapshot, parts[i].path);
		char part[64];
		if (isnan(value))
			continue;
		/* a row of the table above */
		_Pragma("GCC diagnostic push")
			_Pragma("GCC diagnostic ignored \"-Wformat-nonliteral\"")
				snprintf(part, sizeof(part), parts[i].format, value);
		_Pragma("GCC diagnostic pop") add_part(&line, part);
	}
	auto_free char *text = pl_asprintf("rate   %s", pl_buf_text(&line));
	add_line(lines, text, NULL);
}

/* ---- sparklines ---------------------------------------------------------------------------- */

/* Returns the mean of the points that a column covers; NAN: none is known. */
static double column_of(const struct run_view_history *history, size_t s, size_t column,
			size_t columns)
{
	size_t from = column * history->count / columns;
	size_t to = (column + 1) * history->count / columns;
	double mean = NAN;

	for (size_t i = from; i < (to > from ? to : from + 1) && i < history->count; i++)
		mean = mean_of_two(mean, history->points[s][i]);
	return mean;
}

static void add_spark(const struct run_view *view, const struct run_view_history *history, size_t s,
		      size_t columns, struct pl_buf *line)
{
	double top = series[s].top;

	if (isnan(top)) {
		for (size_t i = 0; i < history->count; i++)
			top = fmax(top, history->points[s][i]);
	}
	for (size_t i = 0; i < columns; i++) {
		double value = column_of(history, s, i, columns);
		double level = top > 0 ? value / top * LEVELS : 0;
		size_t at = level >= LEVELS ? LEVELS - 1 : level > 0 ? (size_t)level : 0;
		pl_buf_add_text(line, isnan(value)       ? " "
				      : view->is_unicode ? blocks[at]
							 : ascii[at]);
	}
}

/* "97.2 ±1.9" */
static void add_value(const json_t *snapshot, enum run_view_series which, bool is_unicode,
		      struct pl_buf *line)
{
	double value = value_of(snapshot, which);
	bool is_ttft = which == RUN_VIEW_TTFT;
	double low = number_at(snapshot, is_ttft ? "ttft_ms.low" : "e2el_ms.low");
	double high = number_at(snapshot, is_ttft ? "ttft_ms.high" : "e2el_ms.high");
	char text[64];

	_Pragma("GCC diagnostic push") _Pragma("GCC diagnostic ignored \"-Wformat-nonliteral\"")
		snprintf(text, sizeof(text), series[which].format, value);
	_Pragma("GCC diagnostic pop") pl_buf_addf(line, "  %s", isnan(value) ? "-" : text);
	if ((is_ttft || which == RUN_VIEW_E2EL) && !isnan(low) && !isnan(high))
		pl_buf_addf(line, " %s%.2g", is_unicode ? "±" : "+-", (high - low) / 2);
}

static bool is_known(const struct run_view_history *history, size_t s)
{
	for (size_t i = 0; i < history->count; i++) {
		if (!isnan(history->points[s][i]))
			return true;
	}
	return false;
}

static void add_series(struct lines *lines, const struct run_view_history *history,
		       const json_t *snapshot)
{
	const struct run_view *view = lines->view;
	size_t fixed = LABEL_COLUMNS + VALUE_COLUMNS;
	size_t columns = view->columns > fixed + SPARK_MIN ? view->columns - fixed : 0;
	auto_buf head = PL_BUF(LINE_BYTES_MAX);
	char since[32];

	columns = columns < SPARK_MAX ? columns : SPARK_MAX;
	/* fewer points than columns: a narrow one, so that a point is not stretched */
	columns = columns < history->count ? columns : history->count;
	snprintf(since, sizeof(since), "-%.0f s", number_at(snapshot, "requests.elapsed_s"));
	int gap = (int)columns - (int)strlen(since) - (int)strlen("now");
	if (gap > 0) {
		pl_buf_addf(&head, "%*s%s%*snow", LABEL_COLUMNS, "", since, gap, "");
		add_line(lines, pl_buf_text(&head), FAINT);
	}
	for (size_t s = 0; s < RUN_VIEW_SERIES_COUNT; s++) {
		auto_buf line = PL_BUF(LINE_BYTES_MAX);
		if (!is_known(history, s) ||
		    (s == RUN_VIEW_E2EL && is_known(history, RUN_VIEW_TTFT)))
			continue;
		pl_buf_addf(&line, "%-*s", LABEL_COLUMNS, series[s].label);
		add_spark(view, history, s, columns, &line);
		add_value(snapshot, (enum run_view_series)s, view->is_unicode, &line);
		add_line(lines, pl_buf_text(&line), NULL);
	}
}

static void add_errors(struct lines *lines, const json_t *snapshot)
{
	size_t shown = 0;

	PL_JSON_EACH(error, json_object_get(snapshot, "errors")) {
		const char *sample = pl_json_get_text(error, "first_sample");
		if (shown++ == ERRORS_MAX)
			return;
		auto_free char *text = pl_asprintf(
			"error  %lld %s, first: %s", (long long)pl_json_get_i64(error, "count"),
			pl_json_get_text(error, "cause"), sample != NULL ? sample : "unknown");
		add_line(lines, text, YELLOW);
	}
}

static void add_log(struct lines *lines, const json_t *snapshot)
{
	const json_t *log = json_object_get(snapshot, "log");

	PL_JSON_EACH(line, log) {
		const char *severity = pl_json_get_text(line, "severity");
		bool is_plain = severity == NULL || pl_text_equal(severity, "info");
		auto_free char *text = pl_asprintf("log %5lld  %s",
						   (long long)pl_json_get_i64(line, "line"),
						   pl_json_get_text(line, "text"));
		add_line(lines, text, is_plain ? NULL : YELLOW);
	}
	if (json_array_size(log) == 0)
		add_line(lines, "log    the server has written nothing, or its log is not here",
			 NULL);
}

void run_view_text(const struct run_view *view, const struct run_view_history *history,
		   const json_t *snapshot, struct pl_buf *buf)
{
	struct lines lines = { .view = view, .buf = buf };

	add_verdict(&lines, snapshot);
	add_progress(&lines, snapshot);
	add_head(&lines, snapshot);
	add_phase(&lines, snapshot);
	add_rates(&lines, snapshot);
	if (view->shows_log)
		add_log(&lines, snapshot);
	else
		add_series(&lines, history, snapshot);
	add_errors(&lines, snapshot);
	if (view->page != NULL) {
		auto_free char *page = pl_asprintf("page   %s", view->page);
		add_line(&lines, page, FAINT);
	}
	if (view->has_keys) {
		auto_free char *keys = pl_asprintf(
			"keys   q close   l %s   v %s   (each with Enter)",
			view->shows_log ? "charts" : "server log",
			view->shows_all ? "fewer reasons" : "all reasons");
		add_line(&lines, keys, FAINT);
	}
}
