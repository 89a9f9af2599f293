#include "dash/import/baseline.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/clean.h"
#include "base/file.h"
#include "base/text.h"
#include "dash/import/csv.h"
#include "mirror/instant.h"
#include "result/fields/fields.h"

#define FIELD_BYTES_MAX 300
#define COUNT_MAX       1e6
#define MS_PER_S        1000.0

/* Properties of a row: the columns of a CSV file. */
enum kind { KIND_TEXT, KIND_COUNT, KIND_LENGTH, KIND_DATE };
static const struct property {
	const char *name;
	enum kind kind;
	bool is_required;
} properties[] = {
	{ "model", KIND_TEXT, true },           { "gpu", KIND_TEXT, true },
	{ "gpu_count", KIND_COUNT, false },     { "precision", KIND_TEXT, false },
	{ "input_length", KIND_LENGTH, false }, { "output_length", KIND_LENGTH, false },
	{ "concurrency", KIND_LENGTH, false },  { "engine", KIND_TEXT, false },
	{ "source", KIND_TEXT, false },         { "date", KIND_DATE, false },
	{ "note", KIND_TEXT, false },
};

static const struct property *find_property(const char *name)
{
	return PL_ROW_FIND(properties, name, name);
}

static json_t *new_row(void)
{
	json_t *row = json_object();

	for (size_t i = 0; i < PL_ARRAY_SIZE(properties); i++)
		json_object_set_new(row, properties[i].name, json_null());
	json_object_set_new(row, "values", json_object());
	return row;
}

/* Metrics that others than the named ones follow from. */
static void derive(json_t *row)
{
	json_t *values = json_object_get(row, "values");
	const json_t *throughput = json_object_get(values, "results.output_throughput"),
		     *per_gpu = json_object_get(values, "derived.output_throughput_per_gpu"),
		     *gpus = json_object_get(row, "gpu_count"),
		     *tpot = json_object_get(values, "results.median_tpot_ms");
	double count = json_number_value(gpus);

	if (per_gpu == NULL && throughput != NULL && count > 0)
		json_object_set_new(values, "derived.output_throughput_per_gpu",
				    json_real(json_number_value(throughput) / count));
	if (json_object_get(values, "derived.tokens_per_s_per_user") == NULL && tpot != NULL &&
	    json_number_value(tpot) > 0)
		json_object_set_new(values, "derived.tokens_per_s_per_user",
				    json_real(MS_PER_S / json_number_value(tpot)));
}

static int add_row(json_t *rows, json_t *row, struct pl_err *err)
{
	auto_json json_t *taken = row;

	if (json_array_size(rows) == DASH_BASELINE_ROWS_MAX)
		return pl_err_invalid(err, "found more than %d rows", DASH_BASELINE_ROWS_MAX);
	derive(taken);
	json_array_append(rows, taken);
	return 0;
}

#define DATE_BYTES 10

bool dash_baseline_is_date(const char *text)
{
	size_t len = strlen(text);
	auto_free char *midnight = pl_asprintf("%.*sT00:00:00Z", DATE_BYTES, text);
	int64_t at_us;

	return len >= DATE_BYTES && strchr("T ", text[DATE_BYTES]) != NULL &&
	       mirror_instant_parse(midnight, &at_us);
}

/* ---- CSV --------------------------------------------------------------------------------------- */

/* The property or metric in a column; both NULL: the column is ignored. */
struct column {
	const struct property *property;
	const struct res_field *field;
};

/* Ids of metrics may be written without these. */
static const char *const prefixes[] = { "", "results.", "derived." };

static bool is_metric(const struct res_field *field)
{
	return field->role == RES_FIELD_OUTPUT &&
	       (field->type == RES_FIELD_NUMBER || field->type == RES_FIELD_COUNT);
}

static const struct res_field *find_metric(const struct res_fields *fields, const char *name)
{
	for (size_t i = 0; i < PL_ARRAY_SIZE(prefixes); i++) {
		auto_free char *id = pl_asprintf("%s%s", prefixes[i], name);
		const struct res_field *field = res_fields_find(fields, id);
		if (field != NULL && is_metric(field))
			return field;
	}
	return NULL;
}

static bool is_same(const struct column *one, const struct column *other)
{
	return (one->property != NULL && one->property == other->property) ||
	       (one->field != NULL && one->field == other->field);
}

static int read_head(const struct dash_csv *csv, const struct res_fields *fields,
		     struct column *columns, json_t *ignored, struct pl_err *err)
{
	size_t metrics = 0, ret_column;

	for (size_t i = 0; i < csv->names.count; i++) {
		const char *name = dash_csv_name(csv, i);
		columns[i].property = find_property(name);
		if (columns[i].property == NULL)
			columns[i].field = find_metric(fields, name);
		metrics += columns[i].field != NULL;
		for (size_t k = 0; k < i; k++) {
			if (is_same(&columns[i], &columns[k]))
				return dash_csv_refuse_name(csv, i, err, "found column '%s' twice",
							    name);
		}
		if (columns[i].property == NULL && columns[i].field == NULL && name[0] != '\0')
			json_array_append_new(ignored, pl_json_text(name));
	}
	for (size_t i = 0; i < PL_ARRAY_SIZE(properties); i++) {
		if (properties[i].is_required &&
		    dash_csv_find(csv, properties[i].name, true, &ret_column, err) < 0)
			return -1;
	}
	return metrics > 0 ? 0
			   : dash_csv_refuse_row(csv, err,
						 "found no column of a metric, expected one such "
						 "as output_throughput or median_ttft_ms");
}

static int set_property(const struct dash_csv *csv, size_t at, const struct property *property,
			json_t *row, struct pl_err *err)
{
	const char *text = dash_csv_field(csv, at);
	double number = 0;

	if (text[0] == '\0')
		return property->is_required
			       ? dash_csv_refuse(csv, at, err, "found nothing, expected a text")
			       : 0;
	if (strlen(text) > FIELD_BYTES_MAX)
		return dash_csv_refuse(csv, at, err, "found %zu bytes, expected at most %d",
				       strlen(text), FIELD_BYTES_MAX);
	switch (property->kind) {
	case KIND_COUNT:
		if (!dash_csv_number(csv, at, &number) || number < 1 || number > COUNT_MAX ||
		    number > floor(number))
			return dash_csv_refuse(csv, at, err,
					       "found '%s', expected a whole number from 1", text);
		json_object_set_new(row, property->name, json_integer((json_int_t)number));
		return 0;
	case KIND_LENGTH:
		if (!dash_csv_number(csv, at, &number))
			return dash_csv_refuse(csv, at, err,
					       "found '%s', expected a number of at least 0", text);
		json_object_set_new(row, property->name, json_real(number));
		return 0;
	case KIND_DATE:
		if (!dash_baseline_is_date(text))
			return dash_csv_refuse(csv, at, err,
					       "found '%s', expected a date such as 2026-10-31",
					       text);
		break;
	case KIND_TEXT:
		break;
	}
	json_object_set_new(row, property->name, pl_json_text(text));
	return 0;
}

static int set_metric(const struct dash_csv *csv, size_t at, const struct res_field *field,
		      json_t *row, struct pl_err *err)
{
	const char *text = dash_csv_field(csv, at);
	double number;

	if (text[0] == '\0')
		return 0;
	if (!dash_csv_number(csv, at, &number))
		return dash_csv_refuse(csv, at, err, "found '%s', expected a number of at least 0",
				       text);
	json_object_set_new(json_object_get(row, "values"), field->id, json_real(number));
	return 0;
}

static int parse_csv(const char *text, const char *name, json_t *rows, json_t *ignored,
		     struct pl_err *err)
{
	auto_fields struct res_fields *fields = res_fields_new(NULL);
	struct column columns[DASH_CSV_COLUMNS_MAX] = { 0 };
	auto_csv csv;
	int result;

	if (dash_csv_open(&csv, name, text, err) < 0 ||
	    read_head(&csv, fields, columns, ignored, err) < 0)
		return -1;
	while ((result = dash_csv_next(&csv, err)) > 0) {
		auto_json json_t *row = new_row();
		for (size_t i = 0; i < csv.names.count; i++) {
			if ((columns[i].property != NULL &&
			     set_property(&csv, i, columns[i].property, row, err) < 0) ||
			    (columns[i].field != NULL &&
			     set_metric(&csv, i, columns[i].field, row, err) < 0))
				return -1;
		}
		if (json_array_size(rows) == DASH_BASELINE_ROWS_MAX)
			return dash_csv_refuse_row(&csv, err, "found more than %d rows",
						   DASH_BASELINE_ROWS_MAX);
		if (add_row(rows, pl_take(row), err) < 0)
			return -1;
	}
	return result;
}

void dash_baseline_nearest(const struct res_fields *fields, struct pl_nearest *nearest)
{
	for (size_t i = 0; i < PL_ARRAY_SIZE(properties); i++)
		pl_nearest_try(nearest, properties[i].name);
	for (size_t i = 0; i < res_fields_count(fields); i++) {
		const struct res_field *field = res_fields_at(fields, i);
		const char *dot = strchr(field->id, '.');
		if (!is_metric(field))
			continue;
		pl_nearest_try(nearest, field->id);
		if (dot != NULL && find_metric(fields, dot + 1) == field)
			pl_nearest_try(nearest, dot + 1);
	}
}

/* ---- InferenceX -------------------------------------------------------------------------------- */

/* Latencies are in seconds there. */
static const struct {
	const char *theirs, *ours;
} families[] = { { "ttft", "ttft" },
		 { "tpot", "tpot" },
		 { "itl", "itl" },
		 { "e2el", "e2el" },
		 { "ttlt", "e2el" } };
static const char *const statistics[] = { "mean", "median", "p90", "p95", "p99", "p99.9" };

static const struct {
	const char *theirs, *ours;
} rates[] = { { "output_tput_per_gpu", "derived.output_throughput_per_gpu" },
	      { "output_tput_tps", "results.output_throughput" },
	      { "total_tput_tps", "results.total_token_throughput" },
	      { "mean_qps", "results.request_throughput" },
	      { "median_intvty", "derived.tokens_per_s_per_user" } };

/* Copies a number of at least 0. Other values count as not measured. */
static void copy_number(const json_t *from, const char *key, json_t *to, const char *name,
			double factor)
{
	const json_t *value = json_object_get(from, key);
	double number = json_number_value(value) * factor;

	if (json_is_number(value) && isfinite(number) && number >= 0)
		json_object_set_new(to, name, json_real(number));
}

static void copy_metrics(const json_t *item, json_t *values)
{
	for (size_t i = 0; i < PL_ARRAY_SIZE(families); i++) {
		for (size_t k = 0; k < PL_ARRAY_SIZE(statistics); k++) {
			auto_free char *theirs = pl_asprintf("%s_%s", statistics[k],
							     families[i].theirs);
			auto_free char *ours = pl_asprintf("results.%s_%s_ms", statistics[k],
							   families[i].ours);
			copy_number(item, theirs, values, ours, MS_PER_S);
		}
	}
	for (size_t i = 0; i < PL_ARRAY_SIZE(rates); i++)
		copy_number(item, rates[i].theirs, values, rates[i].ours, 1);
}

/* Returns the GPUs of all parts of a server that computes prompts and responses apart, else its tensor parallel size. */
static double gpus_of(const json_t *item)
{
	double parts = json_number_value(json_object_get(item, "num_prefill_gpu")) +
		       json_number_value(json_object_get(item, "num_decode_gpu"));

	return parts > 0 ? parts : json_number_value(json_object_get(item, "tp"));
}

/* Some files write "true" as a text. */
static bool is_true(const json_t *value)
{
	return json_is_true(value) || pl_text_equal(json_string_value(value), "true");
}

static void set_note(const json_t *item, json_t *row)
{
	const char *drafts = pl_json_get_text(item, "spec_decoding");
	bool has_drafts = drafts != NULL && drafts[0] != '\0' && strcmp(drafts, "none") != 0;
	bool is_apart = is_true(json_object_get(item, "disagg"));
	bool has_median = json_object_get(json_object_get(row, "values"),
					  "derived.tokens_per_s_per_user") != NULL;
	auto_buf note = PL_BUF(4096);

	if (has_drafts)
		pl_buf_addf(&note, "speculative decoding %.100s", drafts);
	if (is_apart)
		pl_buf_addf(&note, "%sprefill and decode apart: output per GPU counts decode GPUs",
			    note.len > 0 ? "; " : "");
	if (!has_median && json_is_number(json_object_get(item, "mean_intvty"))) {
		copy_number(item, "mean_intvty", json_object_get(row, "values"),
			    "derived.tokens_per_s_per_user", 1);
		pl_buf_addf(&note, "%stokens/s per user is a mean, not a median",
			    note.len > 0 ? "; " : "");
	}
	if (note.len > 0)
		json_object_set_new(row, "note", pl_json_text(pl_buf_text(&note)));
}

/* Some aggregates name no hardware: the text of the key is empty. */
#define UNKNOWN "unknown"

static int set_text(const json_t *item, const char *key, json_t *row, const char *name, size_t at,
		    struct pl_err *err)
{
	const char *text = pl_json_get_text(item, key);

	if (text != NULL && text[0] == '\0' && strcmp(name, "gpu") == 0)
		text = UNKNOWN;
	if (text == NULL || text[0] == '\0') {
		if (!find_property(name)->is_required)
			return 0;
		return pl_err_invalid(err,
				      "item %zu: %s: found nothing, expected a text as in an "
				      "aggregate result of InferenceX",
				      at, key);
	}
	if (strlen(text) > FIELD_BYTES_MAX)
		return pl_err_invalid(err, "item %zu: %s: found %zu bytes, expected at most %d", at,
				      key, strlen(text), FIELD_BYTES_MAX);
	json_object_set_new(row, name, json_string(text));
	return 0;
}

static int add_item(const json_t *item, size_t at, json_t *rows, struct pl_err *err)
{
	static const char *const texts[][2] = { { "model", "model" },
						{ "hw", "gpu" },
						{ "precision", "precision" },
						{ "framework", "engine" } };
	static const char *const numbers[][2] = { { "mean_input_tokens", "input_length" },
						  { "mean_output_tokens_actual", "output_length" },
						  { "isl", "input_length" },
						  { "osl", "output_length" },
						  { "users", "concurrency" },
						  { "conc", "concurrency" } };
	auto_json json_t *row = new_row();
	json_t *values = json_object_get(row, "values");

	if (!json_is_object(item))
		return pl_err_invalid(err, "item %zu: expected an object", at);
	for (size_t i = 0; i < PL_ARRAY_SIZE(texts); i++) {
		if (set_text(item, texts[i][0], row, texts[i][1], at, err) < 0)
			return -1;
	}
	for (size_t i = 0; i < PL_ARRAY_SIZE(numbers); i++)
		copy_number(item, numbers[i][0], row, numbers[i][1], 1);
	double gpus = gpus_of(item);
	if (gpus >= 1 && gpus <= 1e6)
		json_object_set_new(row, "gpu_count", json_integer((json_int_t)gpus));
	copy_metrics(item, values);
	if (json_object_size(values) == 0)
		return pl_err_invalid(err,
				      "item %zu: found no metric, expected one such as "
				      "output_tput_per_gpu or median_ttft",
				      at);
	json_object_set_new(row, "source", json_string("InferenceX"));
	set_note(item, row);
	return add_row(rows, json_incref(row), err);
}

static int parse_json(const char *text, size_t len, json_t *rows, struct pl_err *err)
{
	auto_json json_t *all = NULL;

	if (pl_json_parse_wide(text, len, "file", &all, err) < 0)
		return -1;
	if (json_is_object(all))
		return add_item(all, 1, rows, err);
	PL_JSON_EACH(item, all) {
		if (add_item(item, item_at + 1, rows, err) < 0)
			return -1;
	}
	return 0;
}

int dash_baseline_parse(const char *text, size_t len, const char *name, json_t *rows,
			json_t *ignored, struct pl_err *err)
{
	auto_free char *shown = pl_clean_line(name);
	size_t before = json_array_size(rows);
	char first = text[strspn(text, " \t\r\n\xEF\xBB\xBF")];

	if (strlen(text) != len)
		return pl_err_invalid(err, "baseline '%s': found a zero byte, expected text",
				      shown);
	if (first == '\0')
		return pl_err_set_at(err, PL_ERR_INVALID, shown, 1, 1,
				     "found nothing, expected the names of columns, or results of "
				     "InferenceX as JSON");
	if (first != '{' && first != '[') {
		if (parse_csv(text, name, rows, ignored, err) < 0)
			return -1;
	} else {
		const char *json = text + (pl_text_starts(text, "\xEF\xBB\xBF") ? 3 : 0);
		if (parse_json(json, len - (size_t)(json - text), rows, err) < 0)
			return pl_err_wrap(err, "baseline '%s'", shown);
	}
	if (json_array_size(rows) == before)
		return pl_err_invalid(err, "baseline '%s': found no rows, expected at least one",
				      shown);
	return 0;
}

int dash_baseline_read(const char *path, json_t *rows, json_t *ignored, struct pl_err *err)
{
	auto_free char *text = NULL;
	size_t len;

	if (pl_file_read(path, DASH_CSV_BYTES_MAX, &text, &len, err) < 0)
		return -1;
	return dash_baseline_parse(text, len, path, rows, ignored, err);
}
