/* The report of several results, compared with the first (result/compare/compare.h has the statistics and the words). */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clean.h"
#include "base/text.h"
#include "report/report_priv.h"
#include "result/report.h"
#include "vllm/shell/words.h"

#define TEXT_BYTES_MAX (4u << 20)
#define CELL_BYTES_MAX 160
#define TITLE_BYTES    128
#define POINT_HEIGHT   230.0
#define KEY_CHARTS_MAX 8

struct work {
	const struct res_fields *fields;
	const struct res_compare_documents *sides;
	size_t count;
	const json_t *comparison;
	json_t *report;
};

struct letter {
	char text[4];
};

static struct letter letter_of(size_t side)
{
	return (struct letter){ { (char)('A' + side), '\0' } };
}

/* The last part of a path, or the name of a single result: what a reader recognizes. */
static const char *short_name(const struct res_compare_documents *side)
{
	const char *name = side->side.name, *slash = strrchr(name, '/');

	return slash != NULL && slash[1] != '\0' ? slash + 1 : name;
}

static char *label_of(const struct work *work, size_t side)
{
	auto_free char *name = pl_clean_line(short_name(&work->sides[side]));

	return pl_asprintf("%s  %s", letter_of(side).text, name);
}

static char *cut(const char *text)
{
	auto_free char *line = pl_clean_line(text);
	size_t len = strlen(line);

	if (len <= CELL_BYTES_MAX)
		return pl_strdup(line);
	len = CELL_BYTES_MAX;
	while (len > 0 && (line[len] & 0xc0) == 0x80)
		len--;
	return pl_asprintf("%.*s…", (int)len, line);
}

static const json_t *metrics_of(const struct work *work)
{
	return json_object_get(work->comparison, "metrics");
}

static const json_t *ratio_of(const json_t *metric, size_t side)
{
	return json_array_get(json_object_get(metric, "ratios"), side - 1);
}

static double figure_at(const json_t *metric, size_t side, const char *key)
{
	const json_t *figure = json_array_get(json_object_get(metric, "sides"), side);

	return report_json_number(json_object_get(figure, key));
}

/* ---- summary ------------------------------------------------------------------------------- */

/* "trusted", of several runs "3 of 4 trusted" */
static char *verdict_text(const struct res_compare_documents *side)
{
	auto_buf text = PL_BUF(TEXT_BYTES_MAX);
	size_t trusted = 0;

	if (side->count == 1) {
		const char *verdict = pl_json_path_text(side->items[0], "quality.verdict");
		const char *status = pl_json_get_text(side->items[0], "status");
		bool is_complete = status == NULL || pl_text_equal(status, "completed");
		return pl_strdup(!is_complete ? status : verdict != NULL ? verdict : "no verdict");
	}
	for (size_t i = 0; i < side->count; i++)
		trusted += pl_text_equal(pl_json_path_text(side->items[i], "quality.verdict"),
					 "trusted");
	return pl_asprintf("%zu of %zu trusted", trusted, side->count);
}

static void add_sides(const struct work *work, json_t *blocks)
{
	json_t *table = report_add_table(blocks, "Results",
					 "Side<!|Result<!|Runs>!|Verdict<!|Configuration and load<",
					 false);

	for (size_t i = 0; i < work->count; i++) {
		const struct res_compare_documents *side = &work->sides[i];
		json_t *row = report_add_row(table);
		auto_free char *name = pl_clean_line(side->side.name);
		auto_free char *verdict = verdict_text(side);
		auto_free char *facts = report_facts(work->fields, side->items[0]);
		auto_free char *letter = pl_asprintf("%s%s", letter_of(i).text,
						     i == 0 ? " (baseline)" : "");
		report_add_cell(row, letter);
		report_add_cell(row, name);
		report_add_number_cell(row, (double)side->count, true);
		report_add_toned_cell(row, verdict,
				      pl_text_equal(verdict, "trusted") ? "passed" : "");
		report_add_cell(row, facts);
	}
}

static const struct count {
	const char *findings; /* separated by blanks */
	const char *text;
} counts[] = {
	{ "better", "better" },
	{ "worse", "worse" },
	{ "no_difference equal", "no difference shown" },
	{ "higher lower", "higher or lower, without a better direction" },
	{ "no_interval", "different, without a confidence interval" },
	{ "no_value no_ratio", "not comparable" },
};

/* "B compared with A: 12 metrics better, 3 worse, 5 no difference shown." */
static void add_findings(const struct work *work, size_t side, json_t *sentences)
{
	auto_buf text = PL_BUF(TEXT_BYTES_MAX);
	auto_buf worse = PL_BUF(TEXT_BYTES_MAX);
	bool is_first = true;

	pl_buf_addf(&text, "%s compared with A: ", letter_of(side).text);
	for (size_t i = 0; i < PL_ARRAY_SIZE(counts); i++) {
		size_t count = 0;
		PL_JSON_EACH(metric, metrics_of(work)) {
			const char *finding = pl_json_get_text(ratio_of(metric, side), "finding");
			count += finding != NULL &&
				 pl_text_has_word(counts[i].findings, ' ', finding);
		}
		if (count == 0)
			continue;
		pl_buf_addf(&text, "%s%zu%s %s", is_first ? "" : ", ", count,
			    !is_first    ? ""
			    : count == 1 ? " metric"
					 : " metrics",
			    counts[i].text);
		is_first = false;
	}
	pl_buf_add_text(&text, is_first ? "no metric has a value on both sides." : ".");
	PL_JSON_EACH(one, metrics_of(work)) {
		const json_t *ratio = ratio_of(one, side);
		if (pl_json_get_true(ratio, "regression"))
			pl_buf_addf(&worse, "%s%s", worse.len > 0 ? ", " : "",
				    pl_json_get_text(one, "label"));
	}
	if (worse.len > 0)
		pl_buf_addf(&text, " Worse by more than the minimum effect: %s.",
			    pl_buf_text(&worse));
	json_array_append_new(sentences, pl_json_text(pl_buf_text(&text)));
}

/* Worst finding about comparability, for the color and the first word. */
static void add_summary(const struct work *work)
{
	json_t *blocks = report_add_section(work->report, "summary", "Summary");
	const json_t *cautions = json_object_get(work->comparison, "cautions");
	auto_json json_t *sentences = json_array();
	bool is_regression = false;

	for (size_t i = 1; i < work->count; i++) {
		add_findings(work, i, sentences);
		PL_JSON_EACH(metric, metrics_of(work))
			is_regression = is_regression ||
					pl_json_get_true(ratio_of(metric, i), "regression");
	}
	if (json_array_size(cautions) > 0)
		json_array_append_new(
			sentences,
			json_string(
				"Read the cautions below first: the results differ in more than "
				"what you may want to compare."));
	json_array_append_new(blocks,
			      json_pack("{s:s, s:s, s:o, s:O}", "kind", "verdict", "verdict",
					is_regression ? "Regression found" : "No regression found",
					"status", json_null(), "text", sentences));
	add_sides(work, blocks);
	PL_JSON_EACH(caution, cautions) {
		auto_free char *text = pl_asprintf("Caution, %s: %s.",
						   pl_json_get_text(caution, "title"),
						   pl_json_get_text(caution, "text"));
		report_add_text(blocks, "caution", text);
	}
	const json_t *unknown = json_object_get(work->comparison, "unknown");
	if (json_array_size(unknown) > 0) {
		auto_buf text = PL_BUF(TEXT_BYTES_MAX);
		PL_JSON_EACH(kind, unknown)
			pl_buf_addf(&text, "%s%s",
				    kind_at > 0 ? ", " : "Not recorded by some runs: ",
				    pl_json_get_text(kind, "title"));
		pl_buf_add_char(&text, '.');
		report_add_text(blocks, "note", pl_buf_text(&text));
	}
}

/* ---- charts -------------------------------------------------------------------------------- */

static const char *const key_metrics[] = {
	"results.output_throughput", "results.request_throughput", "results.median_ttft_ms",
	"results.p99_ttft_ms",       "results.median_tpot_ms",     "results.p99_tpot_ms",
	"results.median_e2el_ms",    "results.p99_e2el_ms",
};

static void add_key_chart(const struct work *work, const json_t *metric, json_t *charts)
{
	struct res_field field;
	auto_json json_t *rows = json_array();
	const char *direction = pl_json_get_text(metric, "direction");
	const char *unit = pl_json_get_text(metric, "unit");

	if (res_fields_resolve(work->fields, pl_json_get_text(metric, "field"), &field, NULL) < 0)
		return;
	auto_free char *x = pl_asprintf("%s, %s", unit,
					pl_text_equal(direction, "higher")  ? "higher is better →"
					: pl_text_equal(direction, "lower") ? "lower is better →"
									    : "→");
	auto_buf text = PL_BUF(TEXT_BYTES_MAX);
	for (size_t i = 0; i < work->count; i++) {
		char number[REPORT_NUMBER_BYTES];
		report_number_text(figure_at(metric, i, "value"), false, number);
		pl_buf_addf(&text, "%s%s %s", i > 0 ? ", " : "", letter_of(i).text, number);
	}
	pl_buf_addf(&text, " %s", unit);
	json_t *chart = json_pack("{s:s, s:o, s:o, s:b, s:O}", "title", field.label, "text",
				  pl_json_text(pl_buf_text(&text)), "x", pl_json_text(x), "bars", 0,
				  "rows", rows);
	json_array_append_new(charts, chart);
	json_t *table = report_chart_table(chart, "Side<!|Value>!|Low>!|High>!|Runs>");
	for (size_t i = 0; i < work->count; i++) {
		double value = figure_at(metric, i, "value"), low = figure_at(metric, i, "low");
		double high = figure_at(metric, i, "high");
		char number[REPORT_NUMBER_BYTES];
		auto_free char *label = label_of(work, i);
		report_number_text(value, false, number);
		json_array_append_new(
			rows, json_pack("{s:o, s:s, s:o, s:o, s:o, s:I}", "label",
					pl_json_text(label), "value_text", number, "value",
					pl_json_number(value), "low", pl_json_number(low), "high",
					pl_json_number(high), "color", (json_int_t)i));
		json_t *row = report_add_row(table);
		report_add_cell(row, label);
		report_add_number_cell(row, value, false);
		report_add_number_cell(row, low, false);
		report_add_number_cell(row, high, false);
		report_add_number_cell(row, figure_at(metric, i, "n"), true);
	}
}

static const json_t *metric_named(const struct work *work, const char *id)
{
	PL_JSON_EACH(metric, metrics_of(work)) {
		if (pl_text_equal(pl_json_get_text(metric, "field"), id))
			return metric;
	}
	return NULL;
}

static void add_charts(json_t *blocks, json_t *charts)
{
	if (json_array_size(charts) > 0)
		json_array_append_new(blocks,
				      json_pack("{s:s, s:O}", "kind", "charts", "items", charts));
}

static void add_key_charts(const struct work *work)
{
	json_t *blocks = report_add_section(work->report, "key", "Key metrics");
	auto_json json_t *charts = json_array();

	for (size_t i = 0; i < PL_ARRAY_SIZE(key_metrics); i++) {
		const json_t *metric = metric_named(work, key_metrics[i]);
		if (metric != NULL)
			add_key_chart(work, metric, charts);
	}
	/* of offline benchmarks: the first ones */
	PL_JSON_EACH(other, metrics_of(work)) {
		if (json_array_size(charts) == 0 || (metric_named(work, key_metrics[0]) == NULL &&
						     json_array_size(charts) < KEY_CHARTS_MAX))
			add_key_chart(work, other, charts);
	}
	if (json_array_size(charts) > 0)
		report_add_text(blocks, "note",
				"Dots: the sides, of several runs their mean. Lines: the 95 % "
				"confidence intervals; a dot without a line has none.");
	add_charts(blocks, charts);
	report_drop_empty(work->report);
}

/* Loads vary if the sides sent requests at another rate or concurrency. */
static bool has_varying_load(const struct work *work)
{
	static const char *const loads[] = { "benchmark.request_rate",
					     "benchmark.max_concurrency" };

	PL_JSON_EACH(input, pl_json_get_path(work->comparison, "inputs.differing")) {
		if (PL_TEXT_IS_ONE_OF(pl_json_get_text(input, "field"), loads) &&
		    pl_json_get_true(input, "between"))
			return true;
	}
	return false;
}

struct point {
	size_t side;
	double x;
};

static int by_x(const void *a, const void *b)
{
	const struct point *p = a, *q = b;

	if (p->x != q->x)
		return p->x < q->x ? -1 : 1;
	return p->side < q->side ? -1 : 1;
}

static void add_load_chart(const struct work *work, const json_t *throughput, const char *id,
			   json_t *charts)
{
	const json_t *latency = metric_named(work, id);
	struct point points[RES_COMPARE_SIDES_MAX];
	size_t count = 0;
	char title[TITLE_BYTES];

	for (size_t i = 0; latency != NULL && i < work->count; i++) {
		if (isfinite(figure_at(throughput, i, "value")) &&
		    isfinite(figure_at(latency, i, "value")))
			points[count++] = (struct point){ i, figure_at(throughput, i, "value") };
	}
	if (count < 2)
		return;
	qsort(points, count, sizeof(points[0]), by_x);
	const char *label = pl_json_get_text(latency, "label");
	auto_free char *x = pl_asprintf("%s, %s →", pl_json_get_text(throughput, "label"),
					pl_json_get_text(throughput, "unit"));
	auto_free char *y = pl_asprintf("%s ↓", pl_json_get_text(latency, "unit"));
	snprintf(title, sizeof(title), "%s over throughput", label);
	json_t *chart = report_add_chart(
		charts, title,
		"One point per side, with the 95 % confidence intervals of "
		"both metrics, in the order of the throughput.",
		x, y);
	json_t *series = report_add_line(chart, label, "points");
	json_t *labels = json_array();
	json_object_set_new(series, "labels", labels);
	json_object_set_new(chart, "zero", json_true());
	json_object_set_new(chart, "height", json_real(POINT_HEIGHT));
	auto_free char *columns = pl_asprintf("Side<!|%s>!|%s>!",
					      pl_json_get_text(throughput, "label"), label);
	json_t *table = report_chart_table(chart, columns);
	for (size_t i = 0; i < count; i++) {
		size_t side = points[i].side;
		auto_free char *name = label_of(work, side);
		report_push(series, "x", points[i].x);
		report_push(series, "y", figure_at(latency, side, "value"));
		report_push(series, "low", figure_at(latency, side, "low"));
		report_push(series, "high", figure_at(latency, side, "high"));
		report_push(series, "left", figure_at(throughput, side, "low"));
		report_push(series, "right", figure_at(throughput, side, "high"));
		json_array_append_new(labels, json_string(letter_of(side).text));
		json_t *row = report_add_row(table);
		report_add_cell(row, name);
		report_add_number_cell(row, points[i].x, false);
		report_add_number_cell(row, figure_at(latency, side, "value"), false);
	}
}

static void add_load_charts(const struct work *work)
{
	static const char *const wanted[] = { "results.median_ttft_ms", "results.p99_ttft_ms",
					      "results.median_tpot_ms", "results.p99_e2el_ms" };
	const json_t *throughput = metric_named(work, "results.output_throughput");
	json_t *blocks = report_add_section(work->report, "load", "Throughput and latency");
	auto_json json_t *charts = json_array();

	for (size_t i = 0;
	     throughput != NULL && has_varying_load(work) && i < PL_ARRAY_SIZE(wanted); i++)
		add_load_chart(work, throughput, wanted[i], charts);
	add_charts(blocks, charts);
	report_drop_empty(work->report);
}

static void add_family(const struct work *work, const json_t *family, json_t *charts)
{
	const json_t *percentiles = json_object_get(family, "percentiles");
	const char *label = pl_json_get_text(family, "label");
	auto_buf columns = PL_BUF(TEXT_BYTES_MAX);
	double highest = 50;
	char title[TITLE_BYTES];

	snprintf(title, sizeof(title), "%s percentiles",
		 label != NULL && *label != '\0' ? label : pl_json_get_text(family, "title"));
	auto_free char *y = pl_asprintf("%s ↓", pl_json_get_text(family, "unit"));
	json_t *chart = report_add_chart(charts, title,
					 "One line per side; the band is the 95 % confidence "
					 "interval.",
					 "percentile →", y);
	pl_buf_add_text(&columns, "Percentile<!");
	for (size_t i = 0; i < work->count; i++) {
		const json_t *side = json_array_get(json_object_get(family, "sides"), i);
		auto_free char *name = label_of(work, i);
		json_t *line = report_add_line(chart, name, "line");
		pl_buf_addf(&columns, "|%s>!", letter_of(i).text);
		PL_JSON_EACH(percentile, percentiles) {
			double p = json_number_value(percentile);
			double value = report_json_number(
				json_array_get(json_object_get(side, "value"), percentile_at));
			if (p <= 0 || p >= 100)
				continue;
			highest = isnan(value) ? highest : fmax(highest, p);
			report_push(line, "x", report_nines(p));
			report_push(line, "y", value);
			report_push(line, "low",
				    report_json_number(json_array_get(json_object_get(side, "low"),
								      percentile_at)));
			report_push(line, "high",
				    report_json_number(json_array_get(json_object_get(side, "high"),
								      percentile_at)));
		}
	}
	report_set_percentile_axis(chart, highest);
	json_object_set_new(chart, "zero", json_true());
	json_t *table = report_chart_table(chart, pl_buf_text(&columns));
	PL_JSON_EACH(percent, percentiles) {
		json_t *row = report_add_row(table);
		char text[TITLE_BYTES];
		snprintf(text, sizeof(text), "p%.6g", json_number_value(percent));
		report_add_cell(row, text);
		for (size_t i = 0; i < work->count; i++) {
			const json_t *side = json_array_get(json_object_get(family, "sides"), i);
			report_add_number_cell(row,
					       report_json_number(json_array_get(
						       json_object_get(side, "value"), percent_at)),
					       false);
		}
	}
}

static void add_families(const struct work *work)
{
	static const char *const wanted[] = { "ttft_ms", "tpot_ms", "itl_ms", "e2el_ms" };
	json_t *blocks = report_add_section(work->report, "percentiles", "Percentiles");
	auto_json json_t *charts = json_array();

	PL_JSON_EACH(family, json_object_get(work->comparison, "families")) {
		if (PL_TEXT_IS_ONE_OF(pl_json_get_text(family, "key"), wanted))
			add_family(work, family, charts);
	}
	add_charts(blocks, charts);
	report_drop_empty(work->report);
}

/* ---- tables -------------------------------------------------------------------------------- */

/* "256 ×7, 512 ×3" */
static char *values_text(const json_t *values, int64_t runs)
{
	auto_buf text = PL_BUF(TEXT_BYTES_MAX);
	static const struct {
		const char *key;
		const char *text;
	} others[] = { { "null", "unset" }, { "not_recorded", "not recorded" } };
	const json_t *list = json_object_get(values, "values");

	PL_JSON_EACH(item, list) {
		auto_free char *plain = pl_json_to_plain(json_object_get(item, "value"));
		auto_free char *shown = cut(plain);
		int64_t count = pl_json_get_i64(item, "count");
		pl_buf_addf(&text, "%s%s", text.len > 0 ? ", " : "", shown);
		if (count < runs)
			pl_buf_addf(&text, " ×%lld", (long long)count);
	}
	int64_t more = pl_json_get_i64(values, "distinct") - (int64_t)json_array_size(list);
	if (more > 0)
		pl_buf_addf(&text, ", %lld more", (long long)more);
	for (size_t i = 0; i < PL_ARRAY_SIZE(others); i++) {
		int64_t count = pl_json_get_i64(values, others[i].key);
		if (count == 0)
			continue;
		pl_buf_addf(&text, "%s%s", text.len > 0 ? ", " : "", others[i].text);
		if (count < runs)
			pl_buf_addf(&text, " ×%lld", (long long)count);
	}
	return pl_buf_take(&text);
}

static void add_inputs(const struct work *work)
{
	json_t *blocks = report_add_section(work->report, "inputs", "Different inputs");
	const json_t *inputs = json_object_get(work->comparison, "inputs");
	auto_buf columns = PL_BUF(TEXT_BYTES_MAX);

	pl_buf_add_text(&columns, "Input`!");
	for (size_t i = 0; i < work->count; i++)
		pl_buf_addf(&columns, "|%s`!", letter_of(i).text);
	json_t *table = report_add_table(blocks, "Inputs that differ", pl_buf_text(&columns),
					 false);
	PL_JSON_EACH(input, json_object_get(inputs, "differing")) {
		json_t *row = report_add_row(table);
		report_add_cell(row, pl_json_get_text(input, "field"));
		PL_JSON_EACH(values, json_object_get(input, "sides")) {
			auto_free char *text = values_text(values,
							   (int64_t)work->sides[values_at].count);
			report_add_cell(row, text);
		}
	}
	auto_free char *text = pl_asprintf(
		"%zu inputs differ, %lld are equal, %lld are not recorded by some runs.",
		json_array_size(json_object_get(inputs, "differing")),
		(long long)pl_json_get_i64(inputs, "equal"),
		(long long)pl_json_get_i64(inputs, "partly_recorded"));
	if (json_array_size(json_object_get(table, "rows")) == 0)
		json_array_clear(blocks);
	report_add_text(blocks, "note", text);
}

static const char *tone_of(const json_t *ratio)
{
	const char *finding = pl_json_get_text(ratio, "finding");

	if (pl_text_equal(finding, "better") || pl_text_equal(finding, "worse"))
		return finding;
	return "same";
}

static void add_metrics(const struct work *work)
{
	json_t *blocks = report_add_section(work->report, "metrics", "Metrics");

	for (size_t i = 1; i < work->count; i++) {
		struct letter letter = letter_of(i);
		auto_free char *title = pl_asprintf("%s compared with A", letter.text);
		auto_free char *columns = pl_asprintf(
			"Metric<!|Unit<!|A>!|%s>!|Difference<!|Definition<", letter.text);
		json_t *table = report_add_table(blocks, title, columns, false);
		PL_JSON_EACH(metric, metrics_of(work)) {
			struct res_field field;
			const json_t *ratio = ratio_of(metric, i);
			if (res_fields_resolve(work->fields, pl_json_get_text(metric, "field"),
					       &field, NULL) < 0)
				continue;
			auto_free char *unit = report_unit_text(&field);
			json_t *row = report_add_row(table);
			report_add_cell(row, field.label);
			report_add_cell(row, unit);
			report_add_number_cell(row, figure_at(metric, 0, "value"), false);
			report_add_number_cell(row, figure_at(metric, i, "value"), false);
			report_add_toned_cell(row, pl_json_get_text(ratio, "sentence"),
					      tone_of(ratio));
			report_add_cell(row, field.help);
		}
		if (json_array_size(json_object_get(table, "rows")) == 0)
			json_array_remove(blocks, json_array_size(blocks) - 1);
	}
	size_t single = 0;
	for (size_t i = 0; i < work->count; i++)
		single += work->sides[i].count == 1;
	report_add_text(blocks, "note",
			single > 1
				? "In parentheses: the 95 % confidence interval of the "
				  "difference, as a share of A. With one run per side, it covers "
				  "the variation within the runs, not between runs: compare "
				  "directories of repeated runs to measure that."
				: "In parentheses: the 95 % confidence interval of the "
				  "difference, as a share of A.");
}

static void add_commands(const struct work *work)
{
	json_t *blocks = report_add_section(work->report, "repeat", "Repeat these runs");
	auto_buf text = PL_BUF(TEXT_BYTES_MAX);
	auto_buf again = PL_BUF(TEXT_BYTES_MAX);
	size_t runs = 0;

	pl_buf_add_text(&again, "profllm report");
	for (size_t i = 0; i < work->count; i++) {
		const struct res_compare_documents *side = &work->sides[i];
		auto_free char *name = pl_clean_line(side->side.name);
		pl_buf_add_char(&again, ' ');
		vllm_word_quote(name, &again);
		if (side->count != 1 ||
		    !json_is_object(pl_json_get_path(side->items[0], "config.experiment")))
			continue;
		pl_buf_add_text(&text, "profllm run --config ");
		vllm_word_quote(name, &text);
		pl_buf_addf(&text, " --output repeat-%zu.json\n", ++runs);
	}
	if (runs > 0)
		report_add_code(blocks, "The runs, with their seeds, request ids and datasets",
				pl_buf_text(&text), false);
	report_add_code(blocks, "This comparison", pl_buf_text(&again), false);
}

json_t *report_of_comparison(const struct res_fields *fields, struct res_compare_documents *sides,
			     size_t count)
{
	const struct res_compare_options options = { .effect = 0 };
	auto_json json_t *comparison = res_compare_of_documents(fields, sides, count, &options);
	struct work work = { fields, sides, count, comparison, NULL };
	auto_buf title = PL_BUF(TEXT_BYTES_MAX);
	bool is_simulated = false;

	for (size_t i = 0; i < count; i++) {
		auto_free char *name = pl_clean_line(short_name(&sides[i]));
		pl_buf_addf(&title, "%s%s", i == 0 ? "" : i == 1 ? " compared with " : ", ", name);
		for (size_t k = 0; k < sides[i].count; k++)
			is_simulated = is_simulated ||
				       pl_json_get_true(pl_json_get_path(sides[i].items[k],
									 "environment.engine"),
							"simulated");
	}
	auto_free char *facts = report_facts(fields, sides[0].items[0]);
	auto_free char *lead = pl_asprintf("Baseline A: %s", facts);
	work.report = report_new(pl_buf_text(&title), lead, is_simulated);
	add_summary(&work);
	add_key_charts(&work);
	add_load_charts(&work);
	add_families(&work);
	add_inputs(&work);
	add_metrics(&work);
	add_commands(&work);
	return work.report;
}
