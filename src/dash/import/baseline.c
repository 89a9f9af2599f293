#include "dash/import/baseline.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/clean.h"
#include "base/file.h"
#include "base/text.h"
#include "result/fields/fields.h"

#define FILE_BYTES_MAX  (64u << 20)
#define FIELD_BYTES_MAX 300
#define COLUMNS_MAX     256
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

/* 2026-10-31, or a time that begins with one. */
bool dash_baseline_is_date(const char *text)
{
	static const char form[] = "dddd-dd-dd";

	for (size_t i = 0; i < sizeof(form) - 1; i++) {
		bool is_digit = text[i] >= '0' && text[i] <= '9';
		if (form[i] == 'd' ? !is_digit : text[i] != form[i])
			return false;
	}
	return text[sizeof(form) - 1] == '\0' || text[sizeof(form) - 1] == 'T' ||
	       text[sizeof(form) - 1] == ' ';
}

/* ---- CSV --------------------------------------------------------------------------------------- */

struct column {
	char *name;
	const struct property *property; /* NULL: a metric, or ignored */
	const struct res_field *field;   /* NULL: a property, or ignored */
};

struct reader {
	const char *at; /* next byte */
	long line;      /* of the file, from 1 */
	struct column columns[COLUMNS_MAX];
	size_t count;
};

static void reader_done(struct reader *reader)
{
	for (size_t i = 0; i < reader->count; i++)
		free(reader->columns[i].name);
}
#define auto_reader __attribute__((cleanup(reader_done), unused)) struct reader

/* Reads a field and the comma after it. Returns 1 if another field follows, 0 after the last one of the line. */
static int read_field(struct reader *reader, struct pl_buf *ret, struct pl_err *err)
{
	const char *at = reader->at + strspn(reader->at, " \t");

	pl_buf_clear(ret);
	if (*at == '"') {
		for (at++; *at != '\0' && *at != '\n' && (*at != '"' || at[1] == '"'); at++) {
			at += *at == '"';
			pl_buf_add_char(ret, *at);
		}
		if (*at != '"')
			return pl_err_invalid(err, "line %ld: found no closing quote",
					      reader->line);
		at++;
		at += strspn(at, " \t\r");
		if (*at != ',' && *at != '\n' && *at != '\0')
			return pl_err_invalid(err,
					      "line %ld: unexpected text after a closing quote",
					      reader->line);
	} else {
		size_t len = strcspn(at, ",\n"), used = len;
		while (used > 0 && strchr(" \t\r", at[used - 1]) != NULL)
			used--;
		pl_buf_add(ret, at, used);
		at += len;
	}
	int result = *at == ',';
	reader->line += *at == '\n';
	reader->at = *at == '\0' ? at : at + 1;
	return result;
}

/* Skips comments and empty lines. Returns false at the end of the file. */
static bool has_row(struct reader *reader)
{
	for (;;) {
		char first = reader->at[strspn(reader->at, " \t\r")];
		if (first == '\0')
			return false;
		if (first != '#' && first != '\n')
			return true;
		size_t len = strcspn(reader->at, "\n");
		reader->at += len + (reader->at[len] == '\n');
		reader->line++;
	}
}

/* Returns the metric that a column names: by its id, or without "results." or "derived.". */
static const struct res_field *find_metric(const struct res_fields *fields, const char *name)
{
	static const char *const prefixes[] = { "", "results.", "derived." };

	for (size_t i = 0; i < PL_ARRAY_SIZE(prefixes); i++) {
		auto_free char *id = pl_asprintf("%s%s", prefixes[i], name);
		const struct res_field *field = res_fields_find(fields, id);
		if (field != NULL && field->role == RES_FIELD_OUTPUT &&
		    (field->type == RES_FIELD_NUMBER || field->type == RES_FIELD_COUNT))
			return field;
	}
	return NULL;
}

static bool has_column(const struct reader *reader, const struct column *column)
{
	for (size_t i = 0; i < reader->count; i++) {
		const struct column *other = &reader->columns[i];
		if ((column->property != NULL && other->property == column->property) ||
		    (column->field != NULL && other->field == column->field))
			return true;
	}
	return false;
}

static int check_head(const struct reader *reader, long line, struct pl_err *err)
{
	size_t metrics = 0;

	for (size_t i = 0; i < reader->count; i++)
		metrics += reader->columns[i].field != NULL;
	for (size_t i = 0; i < PL_ARRAY_SIZE(properties); i++) {
		bool found = false;
		for (size_t k = 0; k < reader->count; k++)
			found = found || reader->columns[k].property == &properties[i];
		if (properties[i].is_required && !found)
			return pl_err_invalid(err, "line %ld: found no column '%s'", line,
					      properties[i].name);
	}
	return metrics > 0 ? 0
			   : pl_err_invalid(err,
					    "line %ld: found no column of a metric, expected one "
					    "such as output_throughput or median_ttft_ms",
					    line);
}

static int read_head(struct reader *reader, const struct res_fields *fields, json_t *ignored,
		     struct pl_err *err)
{
	auto_buf text = PL_BUF(FILE_BYTES_MAX);
	long line = reader->line;
	int result = 1;

	while (result > 0) {
		if (reader->count == COLUMNS_MAX)
			return pl_err_invalid(err, "line %ld: found more than %d columns", line,
					      COLUMNS_MAX);
		result = read_field(reader, &text, err);
		if (result < 0)
			return -1;
		const char *name = pl_buf_text(&text);
		struct column column = { NULL, find_property(name), NULL };
		if (column.property == NULL)
			column.field = find_metric(fields, name);
		auto_free char *shown = pl_clean_line(name);
		if (has_column(reader, &column))
			return pl_err_invalid(err, "line %ld: found column '%s' twice", line,
					      shown);
		if (column.property == NULL && column.field == NULL && text.len > 0 &&
		    json_array_size(ignored) < COLUMNS_MAX)
			json_array_append_new(ignored, pl_json_text(name));
		column.name = pl_strdup(name);
		reader->columns[reader->count++] = column;
	}
	return check_head(reader, line, err);
}

static int read_number(const char *text, double *ret)
{
	return pl_text_to_f64(text, ret) && isfinite(*ret) && *ret >= 0 ? 0 : -1;
}

static int set_property(json_t *row, const struct property *property, const char *text, long line,
			struct pl_err *err)
{
	auto_free char *shown = pl_clean_line(text);
	double number = 0;

	if (text[0] == '\0')
		return property->is_required
			       ? pl_err_invalid(err, "line %ld: %s: found nothing, expected a text",
						line, property->name)
			       : 0;
	if (strlen(text) > FIELD_BYTES_MAX)
		return pl_err_invalid(err, "line %ld: %s: found %zu bytes, expected at most %d",
				      line, property->name, strlen(text), FIELD_BYTES_MAX);
	switch (property->kind) {
	case KIND_COUNT:
		if (read_number(text, &number) < 0 || number < 1 || number > 1e6 ||
		    number > floor(number))
			return pl_err_invalid(
				err, "line %ld: %s: found '%s', expected a whole number from 1",
				line, property->name, shown);
		json_object_set_new(row, property->name, json_integer((json_int_t)number));
		return 0;
	case KIND_LENGTH:
		if (read_number(text, &number) < 0)
			return pl_err_invalid(
				err, "line %ld: %s: found '%s', expected a number of at least 0",
				line, property->name, shown);
		json_object_set_new(row, property->name, json_real(number));
		return 0;
	case KIND_DATE:
		if (!dash_baseline_is_date(text))
			return pl_err_invalid(
				err, "line %ld: %s: found '%s', expected a date such as 2026-10-31",
				line, property->name, shown);
		break;
	case KIND_TEXT:
		break;
	}
	json_object_set_new(row, property->name, pl_json_text(text));
	return 0;
}

static int set_metric(json_t *row, const struct column *column, const char *text, long line,
		      struct pl_err *err)
{
	auto_free char *shown = pl_clean_line(text);
	auto_free char *name = pl_clean_line(column->name);
	double number;

	if (text[0] == '\0')
		return 0;
	if (read_number(text, &number) < 0)
		return pl_err_invalid(err,
				      "line %ld: %s: found '%s', expected a number of at least 0",
				      line, name, shown);
	json_object_set_new(json_object_get(row, "values"), column->field->id, json_real(number));
	return 0;
}

static int read_row(struct reader *reader, json_t *row, struct pl_err *err)
{
	auto_buf text = PL_BUF(FILE_BYTES_MAX);
	long line = reader->line;
	size_t at = 0;
	int result = 1;

	for (; result > 0; at++) {
		result = read_field(reader, &text, err);
		if (result < 0)
			return -1;
		if (at == reader->count)
			return pl_err_invalid(err,
					      "line %ld: found more than %zu fields, expected "
					      "as many as columns",
					      line, reader->count);
		const struct column *column = &reader->columns[at];
		const char *field = pl_buf_text(&text);
		if ((column->property != NULL &&
		     set_property(row, column->property, field, line, err) < 0) ||
		    (column->field != NULL && set_metric(row, column, field, line, err) < 0))
			return -1;
	}
	return at == reader->count ? 0
				   : pl_err_invalid(err, "line %ld: found %zu fields, expected %zu",
						    line, at, reader->count);
}

static int parse_csv(const char *text, json_t *rows, json_t *ignored, struct pl_err *err)
{
	auto_fields struct res_fields *fields = res_fields_new(NULL);
	auto_reader reader = { .at = text, .line = 1 };

	if (!has_row(&reader))
		return pl_err_invalid(err, "line 1: found nothing, expected the names of columns, "
					   "or results of InferenceX as JSON");
	if (read_head(&reader, fields, ignored, err) < 0)
		return -1;
	while (has_row(&reader)) {
		auto_json json_t *row = new_row();
		if (read_row(&reader, row, err) < 0 || add_row(rows, json_incref(row), err) < 0)
			return -1;
	}
	return 0;
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
	int result;

	if (strlen(text) != len)
		return pl_err_invalid(err, "baseline '%s': found a zero byte, expected text",
				      shown);
	if (strncmp(text, "\xEF\xBB\xBF", 3) == 0) {
		text += 3;
		len -= 3;
	}
	char first = text[strspn(text, " \t\r\n")];
	if (first == '{' || first == '[')
		result = parse_json(text, len, rows, err);
	else
		result = parse_csv(text, rows, ignored, err);
	if (result < 0)
		return pl_err_wrap(err, "baseline '%s'", shown);
	if (json_array_size(rows) == before)
		return pl_err_invalid(err, "baseline '%s': found no rows, expected at least one",
				      shown);
	return 0;
}

int dash_baseline_read(const char *path, json_t *rows, json_t *ignored, struct pl_err *err)
{
	auto_free char *text = NULL;
	size_t len;

	if (pl_file_read(path, FILE_BYTES_MAX, &text, &len, err) < 0)
		return -1;
	return dash_baseline_parse(text, len, path, rows, ignored, err);
}
