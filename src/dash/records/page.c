#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/text.h"
#include "dash/records/records_priv.h"

/* ---- the question -------------------------------------------------------------------------- */

static int find_column(const char *parameter, const char *name, enum records_column *ret,
		       struct pl_err *err)
{
	const char *nearest = NULL;

	if (dash_records_column_find(name, ret, &nearest))
		return 0;
	return pl_err_invalid(err, "%s: unknown column '%s'%s%s%s", parameter, name,
			      nearest != NULL ? " (did you mean '" : "",
			      nearest != NULL ? nearest : "", nearest != NULL ? "'?)" : "");
}

/* "ttft_ms:500" */
static int add_limit(const char *parameter, const char *text,
		     struct dash_records_question *question, struct pl_err *err)
{
	struct records_limit *limit = &question->limits[question->limit_count];
	auto_free char *name = pl_strndup(text, strcspn(text, ":"));
	const char *number = text + strlen(name) + (text[strlen(name)] == ':');

	if (find_column(parameter, name, &limit->column, err) < 0)
		return -1;
	if (dash_records_columns[limit->column].type == TEXT)
		return pl_err_invalid(err, "%s: '%s' is not a column of numbers", parameter, name);
	if (!pl_text_to_f64(number, &limit->value) || !isfinite(limit->value))
		return pl_err_invalid(err, "%s: found '%s', expected COLUMN:NUMBER", parameter,
				      text);
	limit->is_max = strcmp(parameter, "max") == 0;
	question->limit_count++;
	return 0;
}

static int read_limits(const json_t *query, struct dash_records_question *question,
		       struct pl_err *err)
{
	static const char *const parameters[] = { "min", "max" };

	for (size_t i = 0; i < PL_ARRAY_SIZE(parameters); i++) {
		const json_t *list = json_object_get(query, parameters[i]);
		/* the contract has the same limit */
		if (json_array_size(list) > DASH_RECORD_LIMITS_MAX)
			return pl_err_invalid(err, "%s: found too many, expected at most %d",
					      parameters[i], DASH_RECORD_LIMITS_MAX);
		PL_JSON_EACH(text, list) {
			if (add_limit(parameters[i], json_string_value(text), question, err) < 0)
				return -1;
		}
	}
	return 0;
}

static uint32_t read_set(const json_t *list, const char *const *names, size_t count)
{
	uint32_t set = 0;

	PL_JSON_EACH(name, list) {
		size_t at = pl_text_index(json_string_value(name), names, count);
		set |= at < count ? UINT32_C(1) << at : 0;
	}
	return set;
}

static double number_or_nan(const json_t *query, const char *name)
{
	const json_t *value = json_object_get(query, name);

	return json_is_number(value) ? json_number_value(value) : NAN;
}

static int64_t count_or(const json_t *query, const char *name, int64_t usual)
{
	const json_t *value = json_object_get(query, name);

	return json_is_integer(value) ? json_integer_value(value) : usual;
}

int dash_records_question_new(const json_t *query, int64_t origin_ns,
			      struct dash_records_question **ret, struct pl_err *err)
{
	auto_records_question struct dash_records_question *question = pl_alloc(sizeof(*question));
	const char *sort = json_string_value(json_object_get(query, "sort"));

	*question = (struct dash_records_question){
		.origin_ns = origin_ns,
		.statuses = read_set(json_object_get(query, "status"), dash_records_status_names,
				     RECORDS_STATUSES),
		.failures = read_set(json_object_get(query, "error"), records_failure_names,
				     RECORDS_FAILURES),
		.index_from = count_or(query, "index_from", 0),
		.index_to = count_or(query, "index_to", INT64_MAX),
		.id = json_string_value(json_object_get(query, "id")),
		.from_s = number_or_nan(query, "from_s"),
		.to_s = number_or_nan(query, "to_s"),
		.offset = (size_t)count_or(query, "offset", 0),
		.limit = (size_t)count_or(query, "limit", 50),
		.has_curve = json_is_true(json_object_get(query, "curve")),
		.lanes = (size_t)count_or(query, "lanes", 0),
		.stall_ms = number_or_nan(query, "stall_ms"),
	};
	if (read_limits(query, question, err) < 0)
		return -1;
	if (sort != NULL) {
		question->is_descending = *sort == '-';
		if (find_column("sort", sort + question->is_descending, &question->sort, err) < 0)
			return -1;
	}
	*ret = pl_take(question);
	return 0;
}

void dash_records_question_free(struct dash_records_question *question)
{
	free(question);
}

/* ---- the page ------------------------------------------------------------------------------ */

static json_t *cell_json(const struct records *records, const struct records_row *row,
			 enum records_column column, int64_t origin_ns)
{
	if (dash_records_columns[column].type == TEXT)
		return pl_json_text(dash_records_column_text(records, row, column));
	double number = dash_records_number(records, row, column, origin_ns);
	return dash_records_columns[column].type == COUNT ? pl_json_count(number)
							  : pl_json_number(number);
}

static json_t *row_json(const struct records *records, const struct records_row *row,
			int64_t origin_ns)
{
	json_t *json = json_object();

	for (size_t i = 0; i < RECORDS_COLUMNS; i++)
		json_object_set_new(json, dash_records_columns[i].id,
				    cell_json(records, row, (enum records_column)i, origin_ns));
	return json;
}

static json_t *columns_json(void)
{
	static const char *const types[] = { "number", "count", "text" };
	json_t *list = json_array();

	for (size_t i = 0; i < RECORDS_COLUMNS; i++) {
		const struct records_column_row *column = &dash_records_columns[i];
		json_array_append_new(list,
				      json_pack("{s:s, s:s, s:s, s:s, s:s}", "id", column->id,
						"type", types[column->type], "unit", column->unit,
						"title", column->title, "text", column->text));
	}
	return list;
}

/* The time from the first start to the last end. */
static json_t *span_json(const struct records *records, int64_t origin_ns)
{
	double begin = NAN, end = NAN;

	for (size_t i = 0; i < records->count; i++) {
		const struct records_row *row = &records->rows[i];
		double from = dash_records_number(records, row, RECORDS_start_s, origin_ns);
		double to = dash_records_number(records, row, RECORDS_end_s, origin_ns);
		begin = fmin(begin, from);
		end = fmax(end, isnan(to) ? from : to);
	}
	return json_pack("[o, o]", pl_json_number(begin), pl_json_number(end));
}

json_t *dash_records_page(const struct records *records,
			  const struct dash_records_question *question)
{
	size_t count;
	auto_free uint32_t *rows = dash_records_match(records, question, &count);
	json_t *sums = dash_records_sums(records, rows, count);
	json_t *curve = question->has_curve ? dash_records_curves(records, rows, count)
					    : json_null();
	json_t *lanes = question->lanes > 0 ? dash_records_lanes(records, question, rows, count)
					    : json_null();
	json_t *page = json_array();

	if (question->limit > 0)
		dash_records_sort(records, question, rows, count);
	for (size_t i = question->offset; i < count && i - question->offset < question->limit; i++)
		json_array_append_new(
			page, row_json(records, &records->rows[rows[i]], question->origin_ns));
	return json_pack("{s:I, s:I, s:I, s:I, s:I, s:o, s:o, s:o, s:o, s:o, s:o, s:o}", "total",
			 (json_int_t)records->count, "count", (json_int_t)count, "lines",
			 (json_int_t)records->lines, "skipped", (json_int_t)records->skipped,
			 "attempts", (json_int_t)records->attempts, "span_s",
			 span_json(records, question->origin_ns), "sums", sums, "facets",
			 dash_records_facets(records, question), "columns", columns_json(), "rows",
			 page, "curve", curve, "lanes", lanes);
}
