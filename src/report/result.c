/* The report of one result: verdict, configuration, metrics, charts, checks, errors, provenance, commands. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clean.h"
#include "base/text.h"
#include "report/report_priv.h"
#include "result/commands.h"
#include "result/document.h"
#include "result/fields/labels.h"
#include "result/report.h"
#include "vllm/shell/words.h"

#define TEXT_BYTES_MAX  (4u << 20)
#define VALUE_BYTES_MAX 400 /* of a parameter in a table */
#define TAIL_LINES      40
#define ERRORS_MAX      20

struct work {
	const struct res_fields *fields;
	const struct report_input *input;
	const json_t *document;
	json_t *report;
};

static bool is_measured(const struct work *work)
{
	const json_t *results = json_object_get(work->document, "results");
	const json_t *completed = json_object_get(results, "completed");

	return json_is_object(results) &&
	       !(json_is_number(completed) && !(json_number_value(completed) > 0));
}

/* ---- verdict and error ---------------------------------------------------------------------- */

static void add_verdict(const struct work *work)
{
	json_t *blocks = report_add_section(work->report, "verdict", "Verdict");
	auto_buf text = PL_BUF(TEXT_BYTES_MAX);
	auto_json json_t *sentences = json_array();
	const char *status = pl_json_get_text(work->document, "status");
	bool is_complete = status == NULL ||
			   pl_text_equal(status, res_status_name(RES_STATUS_COMPLETED));
	bool has_verdict = is_complete && is_measured(work);

	res_report_sentences(work->document, &text);
	auto_free char *lines = pl_buf_take(&text);
	for (char *rest = lines, *line; (line = strsep(&rest, "\n")) != NULL;)
		json_array_append_new(sentences, pl_json_text(line));
	json_array_append_new(
		blocks,
		json_pack("{s:s, s:o, s:o, s:O}", "kind", "verdict", "verdict",
			  has_verdict ? pl_json_text(pl_json_path_text(work->document,
								       "quality.verdict"))
				      : json_null(),
			  "status", pl_json_text(is_complete ? NULL : status), "text", sentences));
}

static void add_labeled(json_t *table, const char *label, const char *text)
{
	if (text == NULL || *text == '\0')
		return;
	json_t *row = report_add_row(table);
	report_add_cell(row, label);
	report_add_cell(row, text);
}

static char *lines_of(const json_t *list, size_t most)
{
	auto_buf text = PL_BUF(TEXT_BYTES_MAX);
	size_t count = json_array_size(list);

	for (size_t i = count > most ? count - most : 0; i < count; i++) {
		const char *line = json_string_value(json_array_get(list, i));
		pl_buf_addf(&text, "%s\n", line != NULL ? line : "");
	}
	return pl_buf_take(&text);
}

static void add_error(const struct work *work)
{
	const json_t *error = json_object_get(work->document, "error");
	const char *cause = pl_json_get_text(error, "cause");

	if (!json_is_object(error))
		return;
	json_t *blocks = report_add_section(work->report, "error", "Error");
	json_t *table = report_add_table(blocks, "Error", "Key<!|Value<!", false);
	add_labeled(table, "Message", pl_json_get_text(error, "message"));
	if (cause != NULL) {
		auto_free char *text = pl_asprintf("%s: %s", cause, res_cause_text(cause));
		add_labeled(table, "Cause", text);
	}
	add_labeled(table, "Remedy", pl_json_get_text(error, "hint"));
	add_labeled(table, "Log line", pl_json_get_text(error, "log_line"));
	add_labeled(table, "Stage", pl_json_get_text(error, "stage"));
	const json_t *tail = json_object_get(error, "log_tail");
	if (json_array_size(tail) > 0) {
		auto_free char *text = lines_of(tail, TAIL_LINES);
		report_add_code(blocks, "Last lines of the server log", text, false);
	}
}

/* ---- key metrics --------------------------------------------------------------------------- */

static const char *const key_metrics[] = {
	"results.output_throughput",
	"results.request_throughput",
	"results.median_ttft_ms",
	"results.p99_ttft_ms",
	"results.median_tpot_ms",
	"results.median_e2el_ms",
	/* of offline benchmarks */
	"results.avg_latency",
	"results.tokens_per_second",
	"results.requests_per_second",
	"results.avg_cold_startup_time",
	"results.avg_warm_startup_time",
};

static char *interval_text(const struct work *work, const struct res_field *field)
{
	struct res_interval interval;
	char low[REPORT_NUMBER_BYTES], high[REPORT_NUMBER_BYTES];

	if (!res_compare_within(work->fields, field, work->document, &interval))
		return NULL;
	report_number_text(interval.low, false, low);
	report_number_text(interval.high, false, high);
	return pl_asprintf("%s – %s", low, high);
}

static void add_tiles(const struct work *work, json_t *blocks)
{
	auto_json json_t *items = json_array();

	for (size_t i = 0; i < PL_ARRAY_SIZE(key_metrics); i++) {
		struct res_field field;
		double number = report_value(work->fields, key_metrics[i], work->document);
		char text[REPORT_NUMBER_BYTES];
		if (!isfinite(number) ||
		    res_fields_resolve(work->fields, key_metrics[i], &field, NULL) < 0)
			continue;
		report_number_text(number, false, text);
		auto_free char *interval = interval_text(work, &field);
		auto_free char *note = interval != NULL ? pl_asprintf("95 %% CI %s", interval)
							: NULL;
		auto_free char *unit = report_unit_text(&field);
		json_array_append_new(items, json_pack("{s:s, s:s, s:s, s:f, s:s, s:o}", "id",
						       key_metrics[i], "label", field.label, "text",
						       text, "number", number, "unit", unit, "note",
						       pl_json_text(note)));
	}
	if (json_array_size(items) > 0)
		json_array_append_new(blocks,
				      json_pack("{s:s, s:O}", "kind", "tiles", "items", items));
}

/* ---- metrics ------------------------------------------------------------------------------- */

static const struct family {
	const char *key;
	const char *title;
	const char *formula;
	const char *text;
	bool is_headline;
} families[] = {
#define FAMILY(id, key, title, label, direction, origin, headline, formula, text) \
	{ key, title, formula, text, headline },
#include "tbl/metrics.h"
};

static const struct figure {
	const char *key;
	const char *formula;
	const char *text;
} figures[] = {
#define FIGURE(key, unit, type, direction, origin, formula, text) { #key, formula, text },
#include "tbl/metrics.h"
};

static const struct statistic {
	const char *name;
	const char *label;
} statistics[] = {
	{ "mean", "Mean" },
	{ "median", "Median" },
	{ "p90", "P90" },
	{ "p95", "P95" },
	{ "p99", "P99" },
	{ "p99.9", "P99.9" },
	{ "std", "Standard deviation" },
};

static const char metric_columns[] = "Metric<!|Value>!|Unit<!|95 % CI>!|Requests>|Definition<";

/* Returns whether the metric has a number, and adds its row then. */
static bool add_metric(const struct work *work, json_t *table, const char *id, const char *label,
		       const char *definition)
{
	struct res_field field;
	double number = report_value(work->fields, id, work->document);

	if (!isfinite(number) || res_fields_resolve(work->fields, id, &field, NULL) < 0)
		return false;
	json_t *row = report_add_row(table);
	auto_free char *unit = report_unit_text(&field);
	auto_free char *interval = interval_text(work, &field);
	bool is_count = field.type == RES_FIELD_COUNT;
	report_add_cell(row, label != NULL ? label : field.label);
	report_add_number_cell(row, number, is_count);
	report_add_cell(row, unit);
	report_add_cell(row, interval);
	/* a count is not computed from samples */
	report_add_number_cell(
		row,
		is_count ? NAN : report_value(work->fields, "results.completed", work->document),
		true);
	report_add_cell(row, definition);
	return true;
}

static void add_family(const struct work *work, json_t *table, const struct family *family)
{
	auto_free char *first = pl_asprintf("results.mean_%s", family->key);
	auto_free char *middle = pl_asprintf("results.median_%s", family->key);
	auto_free char *text = pl_asprintf("%s; %s", family->text, family->formula);

	if (!isfinite(report_value(work->fields, first, work->document)) &&
	    !isfinite(report_value(work->fields, middle, work->document)))
		return;
	report_add_group(table, family->title, text);
	for (size_t i = 0; i < PL_ARRAY_SIZE(statistics); i++) {
		auto_free char *id = pl_asprintf("results.%s_%s", statistics[i].name, family->key);
		(void)add_metric(work, table, id, statistics[i].label, "");
	}
}

static void drop_without_rows(json_t *blocks)
{
	size_t last = json_array_size(blocks) - 1;
	const json_t *rows = json_object_get(json_array_get(blocks, last), "rows");

	if (json_array_size(rows) == 0)
		json_array_remove(blocks, last);
}

static void add_metrics(const struct work *work)
{
	json_t *blocks = report_add_section(work->report, "metrics", "Metrics");
	json_t *table = report_add_table(blocks, "Rates and counts", metric_columns, false);

	for (size_t i = 0; i < PL_ARRAY_SIZE(figures); i++) {
		auto_free char *id = pl_asprintf("results.%s", figures[i].key);
		auto_free char *text = pl_asprintf("%s; %s", figures[i].text, figures[i].formula);
		/* the same number under our name comes first */
		if (pl_text_equal(figures[i].key, "completed") ||
		    pl_text_equal(figures[i].key, "failed"))
			continue;
		(void)add_metric(work, table, id, NULL, text);
	}
	for (size_t i = 0; i < res_fields_count(work->fields); i++) {
		const struct res_field *field = res_fields_at(work->fields, i);
		if (pl_text_starts(field->id, "derived.") && field->role == RES_FIELD_OUTPUT &&
		    (field->type == RES_FIELD_NUMBER || field->type == RES_FIELD_COUNT))
			(void)add_metric(work, table, field->id, NULL, field->help);
	}
	drop_without_rows(blocks);
	table = report_add_table(blocks, "Latencies", metric_columns, false);
	for (size_t i = 0; i < PL_ARRAY_SIZE(families); i++) {
		if (families[i].is_headline)
			add_family(work, table, &families[i]);
	}
	drop_without_rows(blocks);
	table = report_add_table(blocks, "Other latencies", metric_columns, true);
	for (size_t i = 0; i < PL_ARRAY_SIZE(families); i++) {
		if (!families[i].is_headline)
			add_family(work, table, &families[i]);
	}
	drop_without_rows(blocks);
	if (json_array_size(blocks) > 0)
		report_add_text(blocks, "note",
				"↑ higher is better, ↓ lower is better. CI: 95 % confidence "
				"interval within this run; it does not cover the variation between "
				"runs. –: not recorded, or too few requests for an interval.");
	report_drop_empty(work->report);
}

static void add_failures(const struct work *work)
{
	const json_t *errors = pl_json_get_path(work->document, "results.errors");
	json_t *blocks = report_add_section(work->report, "failures", "Failed requests");
	json_t *table = report_add_table(blocks, "Failed requests by kind",
					 "Kind<!|Status>!|Failed>!|Retried>!|First message<!",
					 false);

	PL_JSON_EACH(entry, errors) {
		const json_t *status = json_object_get(entry, "status");
		if (entry_at == ERRORS_MAX)
			break;
		json_t *row = report_add_row(table);
		report_add_cell(row, pl_json_get_text(entry, "kind"));
		report_add_number_cell(row, report_json_number(status), true);
		report_add_number_cell(row, report_json_number(json_object_get(entry, "count")),
				       true);
		report_add_number_cell(row, report_json_number(json_object_get(entry, "retried")),
				       true);
		report_add_cell(row, pl_json_get_text(entry, "sample"));
	}
	drop_without_rows(blocks);
	report_drop_empty(work->report);
}

/* ---- configuration ------------------------------------------------------------------------- */

static char *short_value(const json_t *json)
{
	auto_free char *plain = pl_json_to_plain(json);
	auto_free char *line = pl_clean_line(plain);
	size_t len = strlen(line);

	if (len <= VALUE_BYTES_MAX)
		return pl_strdup(line);
	len = VALUE_BYTES_MAX;
	while (len > 0 && (line[len] & 0xc0) == 0x80)
		len--;
	return pl_asprintf("%.*s…", (int)len, line);
}

static bool is_parameter(const struct res_field *field)
{
	static const char *const sections[] = { "server.", "benchmark.", "experiment." };

	/* keys inside of an object are part of its value */
	if (field->role != RES_FIELD_INPUT || field->of != NULL)
		return false;
	for (size_t i = 0; i < PL_ARRAY_SIZE(sections); i++) {
		if (pl_text_starts(field->id, sections[i]))
			return true;
	}
	return false;
}

static const char *source_text(const struct res_value *value)
{
	static const struct {
		const char *source;
		const char *text;
	} sources[] = {
		{ "explicit", "explicit" },
		{ "default", "default" },
		{ "unknown", "unknown default" },
		{ "benchmark", "from the load" },
	};

	for (size_t i = 0; value->source != NULL && i < PL_ARRAY_SIZE(sources); i++) {
		if (pl_text_equal(value->source, sources[i].source))
			return sources[i].text;
	}
	return value->is_explicit ? "explicit" : "not recorded";
}

static void add_parameter(const struct res_field *field, const struct res_value *value,
			  json_t *table)
{
	auto_free char *text = value->state == RES_VALUE_NULL ? pl_strdup("unset")
							      : short_value(value->json);
	json_t *row = report_add_row(table);

	report_add_cell(row, field->id);
	report_add_cell(row, text);
	report_add_cell(row, source_text(value));
	report_add_cell(row, field->help);
}

static bool is_in_release(const struct res_value *value)
{
	return !pl_text_equal(value->source, "not_in_release");
}

/* Adds the parameters that are explicit, or the others. Returns their number. */
static size_t add_parameters(const struct work *work, bool is_explicit, json_t *table)
{
	size_t count = 0;

	for (size_t i = 0; i < res_fields_count(work->fields); i++) {
		const struct res_field *field = res_fields_at(work->fields, i);
		auto_value value = { .state = RES_VALUE_NOT_RECORDED };
		if (!is_parameter(field))
			continue;
		res_field_value(work->fields, field, work->document, &value);
		if (value.state == RES_VALUE_NOT_RECORDED || value.is_explicit != is_explicit ||
		    !is_in_release(&value))
			continue;
		add_parameter(field, &value, table);
		count++;
	}
	return count;
}

static const char parameter_columns[] = "Parameter`!|Value`!|Source<|Meaning<";

static void add_configuration(const struct work *work)
{
	json_t *blocks = report_add_section(work->report, "configuration", "Configuration");
	json_t *table = report_add_table(blocks, "Explicit parameters", parameter_columns, false);
	size_t count = add_parameters(work, true, table);

	drop_without_rows(blocks);
	table = report_add_table(blocks, count > 0 ? "Other parameters" : "Parameters",
				 parameter_columns, count > 0);
	size_t others = add_parameters(work, false, table);
	drop_without_rows(blocks);
	if (count == 0 && others > 0)
		report_add_text(blocks, "note",
				"The file does not record which of these parameters were set "
				"explicitly.");
	report_drop_empty(work->report);
}

/* ---- checks -------------------------------------------------------------------------------- */

/* "12 %", "3 ms", "yes" */
static void add_amount(json_t *row, const json_t *value, const char *unit)
{
	double number = report_json_number(value);
	char text[REPORT_NUMBER_BYTES];

	if (isnan(number)) {
		report_add_cell(row, NULL);
		return;
	}
	bool is_share = pl_text_equal(unit, "share");
	report_number_text(is_share ? 100 * number : number, pl_text_equal(unit, "count"), text);
	auto_free char *shown =
		pl_text_equal(unit, "yes")
			? pl_strdup(number > 0 ? "yes" : "no")
			: pl_asprintf("%s%s%s", text,
				      unit == NULL || pl_text_equal(unit, "count") ? "" : " ",
				      unit == NULL || pl_text_equal(unit, "count") ? ""
				      : is_share                                   ? "%"
				      : pl_text_equal(unit, "us")                  ? "µs"
										   : unit);
	json_array_append_new(row, json_pack("{s:s, s:f}", "text", shown, "number", number));
}

static void add_check(const json_t *check, json_t *table)
{
	const char *id = pl_json_get_text(check, "id");
	const char *status = pl_json_get_text(check, "status");
	const char *unit = pl_json_get_text(check, "unit");
	bool is_over = pl_text_equal(status, "over_limit");
	json_t *row = report_add_row(table);
	auto_free char *label = res_label_of_check(id != NULL ? id : "unknown", NULL);

	report_add_cell(row, label);
	report_add_toned_cell(row,
			      is_over          ? "over limit"
			      : status != NULL ? status
					       : "unknown",
			      is_over                           ? "over"
			      : pl_text_equal(status, "passed") ? "passed"
								: "");
	add_amount(row, json_object_get(check, "value"), unit);
	add_amount(row, json_object_get(check, "limit"), unit);
	report_add_cell(row, pl_json_get_text(check, "effect"));
	report_add_cell(row, pl_json_get_text(check, "text"));
}

static void add_checks(const struct work *work)
{
	static const char *const order[] = { "over_limit", "passed", "unknown" };
	static const char columns[] = "Check<!|Status<!|Value>!|Limit>!|Effect<|Definition<";
	const json_t *checks = pl_json_get_path(work->document, "quality.checks");
	json_t *blocks = report_add_section(work->report, "checks", "Quality checks");

	for (size_t i = 0; i < PL_ARRAY_SIZE(order); i++) {
		bool is_unknown = i == PL_ARRAY_SIZE(order) - 1;
		json_t *table = i == 1 ? json_array_get(blocks, 0) : NULL;
		if (table == NULL)
			table = report_add_table(blocks,
						 is_unknown ? "Checks with an unknown value"
							    : "Checks of this run",
						 columns, is_unknown);
		PL_JSON_EACH(check, checks) {
			if (pl_text_equal(pl_json_get_text(check, "status"), order[i]))
				add_check(check, table);
		}
		drop_without_rows(blocks);
	}
	report_drop_empty(work->report);
}

/* ---- provenance ---------------------------------------------------------------------------- */

static const char *const hidden[] = { "launch.argv", "launch.server_info", "launch.models" };

static void add_provenance(const struct work *work)
{
	json_t *blocks = report_add_section(work->report, "provenance", "Provenance");
	json_t *table = report_add_table(blocks, "Run, engine and host",
					 "Field<!|Value`!|Unit<|Meaning<", false);

	if (work->input->path != NULL) {
		auto_free char *name = pl_clean_line(work->input->path);
		json_t *row = report_add_row(table);
		report_add_cell(row, "File");
		report_add_cell(row, name);
		report_add_cell(row, "");
		report_add_cell(row, "file of this result");
	}
	for (size_t i = 0; i < res_fields_count(work->fields); i++) {
		const struct res_field *field = res_fields_at(work->fields, i);
		auto_value value = { .state = RES_VALUE_NOT_RECORDED };
		if (field->role == RES_FIELD_INPUT || field->role == RES_FIELD_OUTPUT ||
		    field->of != NULL || PL_TEXT_IS_ONE_OF(field->id, hidden))
			continue;
		res_field_value(work->fields, field, work->document, &value);
		if (value.state != RES_VALUE_PRESENT)
			continue;
		auto_free char *text = short_value(value.json);
		json_t *row = report_add_row(table);
		report_add_cell(row, field->label);
		report_add_cell(row, text);
		report_add_cell(row, field->unit);
		report_add_cell(row, field->help);
	}
	drop_without_rows(blocks);
	table = report_add_table(blocks, "Artifacts", "Kind<!|Name`!|Bytes>!|SHA-256`", false);
	PL_JSON_EACH(artifact, json_object_get(work->document, "artifacts")) {
		json_t *row = report_add_row(table);
		report_add_cell(row, pl_json_get_text(artifact, "kind"));
		report_add_cell(row, pl_json_get_text(artifact, "name"));
		report_add_number_cell(row, report_json_number(json_object_get(artifact, "size")),
				       true);
		report_add_cell(row, pl_json_get_text(artifact, "sha256"));
	}
	drop_without_rows(blocks);
	report_drop_empty(work->report);
}

/* ---- commands ------------------------------------------------------------------------------ */

static const struct {
	const char *id;
	const char *title;
} command_titles[] = {
	{ "repeat", "With the same seed, request ids and dataset" },
	{ "experiment", "Experiment file" },
	{ "server", "Command of the server" },
	{ "load", "Command of vLLM's own client" },
};

static const char *command_title(const char *id)
{
	for (size_t i = 0; i < PL_ARRAY_SIZE(command_titles); i++) {
		if (pl_text_equal(command_titles[i].id, id))
			return command_titles[i].title;
	}
	return id != NULL ? id : "Command";
}

static void add_command(const struct work *work, const json_t *command, json_t *blocks)
{
	const char *id = pl_json_get_text(command, "id");
	const char *text = pl_json_get_text(command, "text");
	const char *reason = pl_json_get_text(command, "reason");
	const char *title = command_title(id);
	bool is_repeat = pl_text_equal(id, "repeat");
	auto_buf own = PL_BUF(TEXT_BYTES_MAX);

	/* the reader has this file under its own name */
	if (is_repeat && text != NULL && work->input->path != NULL) {
		auto_free char *name = pl_clean_line(work->input->path);
		pl_buf_add_text(&own, "profllm run --config ");
		vllm_word_quote(name, &own);
		pl_buf_add_text(&own, " --output repeat.json");
		text = pl_buf_text(&own);
	}
	if (text != NULL)
		report_add_code(blocks, title, text, !is_repeat);
	if (reason != NULL) {
		auto_free char *note = pl_asprintf("%s: %s.", title, reason);
		report_add_text(blocks, "note", note);
	}
	PL_JSON_EACH(more, json_object_get(command, "notes")) {
		auto_free char *note = pl_asprintf("%s: %s.", title, json_string_value(more));
		report_add_text(blocks, "note", note);
	}
}

static void add_commands(const struct work *work)
{
	json_t *blocks = report_add_section(work->report, "repeat", "Repeat this run");
	auto_json json_t *all = res_commands(work->document, work->input->is_vllm);
	auto_json json_t *list = json_array();

	PL_JSON_EACH(command, json_object_get(all, "commands"))
		add_command(work, command, blocks);
	json_t *table = report_add_table(list, "Not recorded", "Key`!|What is missing<!", false);
	PL_JSON_EACH(missing, json_object_get(all, "not_recorded")) {
		json_t *row = report_add_row(table);
		report_add_cell(row, pl_json_get_text(missing, "key"));
		report_add_cell(row, pl_json_get_text(missing, "text"));
	}
	if (json_array_size(json_object_get(table, "rows")) > 0)
		json_array_append(blocks, table);
	auto_buf secrets = PL_BUF(TEXT_BYTES_MAX);
	PL_JSON_EACH(key, json_object_get(all, "secrets"))
		pl_buf_addf(&secrets, "%s%s", key_at > 0 ? ", " : "", json_string_value(key));
	if (secrets.len > 0) {
		auto_free char *note = pl_asprintf("*** replaces the secrets of: %s.",
						   pl_buf_text(&secrets));
		report_add_text(blocks, "note", note);
	}
	report_drop_empty(work->report);
}

/* ---- the whole ----------------------------------------------------------------------------- */

json_t *report_of_result(const struct res_fields *fields, const struct report_input *input)
{
	const json_t *document = input->document;
	const json_t *engine = pl_json_get_path(document, "environment.engine");
	auto_free char *facts = report_facts(fields, document);
	struct work work = { .fields = fields, .input = input, .document = document };

	work.report = report_new(report_title(document, input->path), facts,
				 pl_json_get_true(engine, "simulated"));
	add_verdict(&work);
	json_t *sections = json_object_get(work.report, "sections");
	json_t *first = json_object_get(json_array_get(sections, 0), "blocks");
	if (pl_json_get_text(document, "run_id") == NULL)
		report_add_text(first, "note",
				"Another program wrote this file. The last section lists what it "
				"does not record.");
	if (is_measured(&work))
		add_tiles(&work, first);
	add_error(&work);
	add_configuration(&work);
	if (is_measured(&work)) {
		add_metrics(&work);
		report_add_breakdown(work.document, work.report);
		add_failures(&work);
		json_t *blocks = report_add_section(work.report, "latency", "Latency");
		report_add_latencies(input, blocks);
		PL_JSON_EACH(note, input->data != NULL ? input->data->notes : NULL)
			report_add_text(blocks, "note", json_string_value(note));
		report_drop_empty(work.report);
		report_add_telemetry(input,
				     report_add_section(work.report, "telemetry", "Telemetry"));
		report_drop_empty(work.report);
	}
	report_add_startup(document, report_add_section(work.report, "startup", "Startup"));
	report_drop_empty(work.report);
	add_checks(&work);
	add_provenance(&work);
	add_commands(&work);
	return work.report;
}
