#include "report/report_priv.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clean.h"
#include "base/text.h"
#include "plot/axes.h"
#include "result/document.h"

#define DIGITS         4
#define TITLE_BYTES    160
#define FACT_BYTES_MAX (1u << 20)
#define EXPONENT_MIN   1e-4
#define EXPONENT_MAX   1e15

json_t *report_new(const char *title, const char *lead, bool is_simulated)
{
	return json_pack("{s:o, s:o, s:b, s:[]}", "title", pl_json_text(title), "lead",
			 pl_json_text(lead), "simulated", is_simulated, "sections");
}

json_t *report_add_section(json_t *report, const char *id, const char *title)
{
	json_t *sections = json_object_get(report, "sections");

	json_array_append_new(sections,
			      json_pack("{s:s, s:s, s:[]}", "id", id, "title", title, "blocks"));
	return json_object_get(json_array_get(sections, json_array_size(sections) - 1), "blocks");
}

void report_drop_empty(json_t *report)
{
	json_t *sections = json_object_get(report, "sections");
	size_t last = json_array_size(sections) - 1;

	if (json_array_size(json_object_get(json_array_get(sections, last), "blocks")) == 0)
		json_array_remove(sections, last);
}

void report_add_text(json_t *blocks, const char *tone, const char *text)
{
	json_array_append_new(blocks, json_pack("{s:s, s:o, s:s}", "kind", "text", "text",
						pl_json_text(text), "tone", tone));
}

void report_add_code(json_t *blocks, const char *title, const char *text, bool is_folded)
{
	json_array_append_new(blocks,
			      json_pack("{s:s, s:s, s:o, s:b}", "kind", "code", "title", title,
					"text", pl_json_text(text), "folded", is_folded));
}

/* ---- tables -------------------------------------------------------------------------------- */

static json_t *columns_of(const char *columns)
{
	json_t *list = json_array();

	while (*columns != '\0') {
		size_t len = strcspn(columns, "<>`");
		char title[TITLE_BYTES];
		snprintf(title, sizeof(title), "%.*s", (int)len, columns);
		const char *align = columns[len] == '<'   ? "left"
				    : columns[len] == '>' ? "right"
							  : "code";
		columns += len + 1;
		bool is_lasting = *columns == '!';
		columns += is_lasting;
		columns += *columns == '|';
		json_array_append_new(list, json_pack("{s:s, s:s, s:b}", "title", title, "align",
						      align, "lasting", is_lasting));
	}
	return list;
}

json_t *report_add_table(json_t *blocks, const char *title, const char *columns, bool is_folded)
{
	json_t *table = json_pack("{s:s, s:s, s:o, s:[], s:b}", "kind", "table", "title", title,
				  "columns", columns_of(columns), "rows", "folded", is_folded);

	json_array_append_new(blocks, table);
	return table;
}

json_t *report_chart_table(json_t *chart, const char *columns)
{
	json_t *table = json_pack("{s:o, s:[]}", "columns", columns_of(columns), "rows");

	json_object_set_new(chart, "table", table);
	return table;
}

json_t *report_add_row(json_t *table)
{
	json_t *row = json_array();

	json_array_append_new(json_object_get(table, "rows"), row);
	return row;
}

void report_add_group(json_t *table, const char *title, const char *text)
{
	json_array_append_new(
		json_object_get(table, "rows"),
		json_pack("{s:o, s:o}", "group", pl_json_text(title), "text", pl_json_text(text)));
}

void report_add_cell(json_t *row, const char *text)
{
	json_array_append_new(row, pl_json_text(text != NULL ? text : "–"));
}

void report_add_toned_cell(json_t *row, const char *text, const char *tone)
{
	json_array_append_new(row,
			      json_pack("{s:o, s:s}", "text", pl_json_text(text), "tone", tone));
}

void report_add_number_cell(json_t *row, double number, bool is_count)
{
	char text[REPORT_NUMBER_BYTES];

	if (!isfinite(number)) {
		report_add_cell(row, isinf(number) ? (number > 0 ? "inf" : "-inf") : NULL);
		return;
	}
	report_number_text(number, is_count, text);
	json_array_append_new(row, json_pack("{s:s, s:f}", "text", text, "number", number));
}

const char *report_cell_text(const json_t *cell)
{
	const char *text = json_is_string(cell) ? json_string_value(cell)
						: pl_json_get_text(cell, "text");

	return text != NULL ? text : "";
}

double report_json_number(const json_t *value)
{
	return json_is_number(value) ? json_number_value(value) : NAN;
}

/* ---- values -------------------------------------------------------------------------------- */

void report_number_text(double number, bool is_count, char text[REPORT_NUMBER_BYTES])
{
	double size = fabs(number);

	if (!isfinite(number)) {
		snprintf(text, REPORT_NUMBER_BYTES, "–");
		return;
	}
	if ((size > 0 && size < EXPONENT_MIN) || size >= EXPONENT_MAX) {
		snprintf(text, REPORT_NUMBER_BYTES, "%.3e", number);
		return;
	}
	int whole = size >= 1 ? (int)floor(log10(size)) + 1
			      : -(size > 0 ? (int)floor(-log10(size)) : 0);
	int decimals = is_count ? 0 : whole < DIGITS ? DIGITS - whole : 0;
	/* at most as many digits as the number has */
	char shortest[PL_F64_TEXT_BYTES];
	pl_text_from_f64(number, shortest);
	const char *point = strchr(shortest, '.');
	int known = point != NULL && strchr(shortest, 'e') == NULL ? (int)strlen(point + 1) : 0;
	if (known == 1 && point != NULL && point[1] == '0')
		known = 0;
	if (strchr(shortest, 'e') == NULL && known < decimals)
		decimals = known;
	plot_tick_text(number, decimals, text);
}

char *report_unit_text(const struct res_field *field)
{
	const char *arrow = field->direction == RES_FIELD_HIGHER  ? "↑"
			    : field->direction == RES_FIELD_LOWER ? "↓"
								  : "";
	bool has_unit = field->unit[0] != '\0' && !pl_text_equal(field->unit, "count");

	return pl_asprintf("%s%s%s", has_unit ? field->unit : "",
			   has_unit && *arrow != '\0' ? " " : "", arrow);
}

static bool find_value(const struct res_fields *fields, const char *id, const json_t *document,
		       struct res_value *ret)
{
	struct res_field field;

	if (res_fields_resolve(fields, id, &field, NULL) < 0)
		return false;
	res_field_value(fields, &field, document, ret);
	return ret->state == RES_VALUE_PRESENT;
}

char *report_value_text(const struct res_fields *fields, const char *id, const json_t *document)
{
	auto_value value = { .state = RES_VALUE_NOT_RECORDED };

	if (!find_value(fields, id, document, &value))
		return NULL;
	auto_free char *plain = pl_json_to_plain(value.json);
	return pl_clean_line(plain);
}

double report_value(const struct res_fields *fields, const char *id, const json_t *document)
{
	auto_value value = { .state = RES_VALUE_NOT_RECORDED };

	return find_value(fields, id, document, &value) && value.kind == RES_VALUE_NUMBER
		       ? value.number
		       : NAN;
}

const char *report_title(const json_t *document, const char *path)
{
	const char *name = pl_json_get_text(document, "name");
	const char *run_id = pl_json_get_text(document, "run_id");

	return name != NULL && *name != '\0' ? name
	       : run_id != NULL              ? run_id
	       : path != NULL                ? path
					     : "Result";
}

static void add_fact(struct pl_buf *buf, const char *before, const char *text, const char *after)
{
	if (text != NULL && *text != '\0')
		pl_buf_addf(buf, "%s%s%s%s", buf->len > 0 ? " · " : "", before, text, after);
}

static void add_field_fact(const struct res_fields *fields, const char *id, const json_t *document,
			   const char *before, const char *after, struct pl_buf *buf)
{
	auto_free char *text = report_value_text(fields, id, document);

	add_fact(buf, before, text, after);
}

char *report_facts(const struct res_fields *fields, const json_t *document)
{
	auto_buf buf = PL_BUF(FACT_BYTES_MAX);
	auto_free char *engine = res_engine_text(pl_json_get_path(document, "environment.engine"));
	auto_free char *model = report_value_text(fields, "server.model", document);
	auto_free char *gpu = report_value_text(fields, "system.hardware_info.gpu_name", document);
	double gpus = report_value(fields, "derived.gpu_count", document);

	add_fact(&buf, "", model, "");
	if (model == NULL)
		add_field_fact(fields, "benchmark.model", document, "", "", &buf);
	if (gpu != NULL && gpus > 0) {
		auto_free char *count = pl_asprintf("%.0f× ", gpus);
		add_fact(&buf, count, gpu, "");
	}
	add_fact(&buf, "", engine, "");
	if (isinf(report_value(fields, "benchmark.request_rate", document)))
		add_fact(&buf, "", "all requests at once", "");
	else
		add_field_fact(fields, "benchmark.request_rate", document, "", " req/s", &buf);
	add_field_fact(fields, "benchmark.max_concurrency", document, "at most ", " in flight",
		       &buf);
	/* "2026-01-02T03:04:05.678Z" */
	const char *timestamp = pl_json_get_text(document, "timestamp");
	if (timestamp != NULL && strlen(timestamp) > 16 && timestamp[10] == 'T' &&
	    pl_text_ends(timestamp, "Z")) {
		auto_free char *time = pl_asprintf("%.10s %.5s UTC", timestamp, timestamp + 11);
		auto_free char *clean = pl_clean_line(time);
		add_fact(&buf, "", clean, "");
	}
	return pl_buf_take(&buf);
}
