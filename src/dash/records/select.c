#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "dash/records/records_priv.h"

/* ---- matching ------------------------------------------------------------------------------ */

/* In flight at some time of the window. Without a start, no one knows. */
static bool is_in_window(const struct records *records,
			 const struct dash_records_question *question,
			 const struct records_row *row)
{
	double start = dash_records_number(records, row, RECORDS_start_s, question->origin_ns);
	double end = dash_records_number(records, row, RECORDS_end_s, question->origin_ns);

	if (isnan(question->from_s) && isnan(question->to_s))
		return true;
	end = isnan(end) ? start : end;
	return !isnan(start) && !(start >= question->to_s) && !(end < question->from_s);
}

static bool is_within_limits(const struct records *records,
			     const struct dash_records_question *question,
			     const struct records_row *row)
{
	for (size_t i = 0; i < question->limit_count; i++) {
		const struct records_limit *limit = &question->limits[i];
		double value = dash_records_number(records, row, limit->column,
						   question->origin_ns);
		if (limit->is_max ? !(value <= limit->value) : !(value >= limit->value))
			return false;
	}
	return true;
}

static bool has_id(const struct records *records, const struct dash_records_question *question,
		   const struct records_row *row)
{
	return question->id == NULL ||
	       (row->id_at > 0 &&
		strcasestr(records_text(records, row->id_at), question->id) != NULL);
}

/* Everything but status and kind of error. */
static bool matches_others(const struct records *records,
			   const struct dash_records_question *question,
			   const struct records_row *row)
{
	return row->index >= question->index_from && row->index <= question->index_to &&
	       is_in_window(records, question, row) && is_within_limits(records, question, row) &&
	       has_id(records, question, row);
}

static bool has_status(const struct dash_records_question *question, const struct records_row *row)
{
	return question->statuses == 0 || (question->statuses & (1u << row->status)) != 0;
}

static bool has_failure(const struct dash_records_question *question, const struct records_row *row)
{
	return question->failures == 0 ||
	       (row->status != RECORDS_COMPLETED &&
		(question->failures & (UINT32_C(1) << row->failure)) != 0);
}

uint32_t *dash_records_match(const struct records *records,
			     const struct dash_records_question *question, size_t *ret_count)
{
	uint32_t *rows = pl_alloc_array(records->count, sizeof(*rows));
	size_t count = 0;

	for (size_t i = 0; i < records->count; i++) {
		const struct records_row *row = &records->rows[i];
		if (has_status(question, row) && has_failure(question, row) &&
		    matches_others(records, question, row))
			rows[count++] = (uint32_t)i;
	}
	*ret_count = count;
	return rows;
}

json_t *dash_records_facets(const struct records *records,
			    const struct dash_records_question *question)
{
	json_int_t statuses[RECORDS_STATUSES] = { 0 }, failures[RECORDS_FAILURES] = { 0 };
	json_t *by_status = json_object(), *by_failure = json_object();

	for (size_t i = 0; i < records->count; i++) {
		const struct records_row *row = &records->rows[i];
		if (!matches_others(records, question, row))
			continue;
		if (has_failure(question, row))
			statuses[row->status]++;
		if (row->status != RECORDS_COMPLETED && has_status(question, row))
			failures[row->failure]++;
	}
	for (size_t i = 0; i < RECORDS_STATUSES; i++)
		json_object_set_new(by_status, dash_records_status_names[i],
				    json_integer(statuses[i]));
	for (size_t i = 0; i < RECORDS_FAILURES; i++) {
		if (failures[i] > 0)
			json_object_set_new(by_failure, records_failure_names[i],
					    json_integer(failures[i]));
	}
	return json_pack("{s:o, s:o}", "status", by_status, "error", by_failure);
}

/* ---- sorting ------------------------------------------------------------------------------- */

struct key {
	double number; /* NaN: none */
	const char *text;
	uint32_t row;
};

static int by_text(const struct key *x, const struct key *y)
{
	if (x->text == NULL || y->text == NULL)
		return (x->text == NULL) - (y->text == NULL);
	return strcmp(x->text, y->text);
}

static int by_number(const struct key *x, const struct key *y)
{
	if (isnan(x->number) || isnan(y->number))
		return isnan(x->number) - isnan(y->number);
	return x->number < y->number ? -1 : x->number > y->number;
}

/* A missing value is last in both directions. */
static int by_key(const void *a, const void *b, void *data)
{
	const struct dash_records_question *question = data;
	const struct key *x = a, *y = b;
	bool is_text = dash_records_columns[question->sort].type == TEXT;
	int order = is_text ? by_text(x, y) : by_number(x, y);
	bool has_both = is_text ? x->text != NULL && y->text != NULL
				: !isnan(x->number) && !isnan(y->number);

	if (order == 0)
		return x->row < y->row ? -1 : x->row > y->row;
	return has_both && question->is_descending ? -order : order;
}

void dash_records_sort(const struct records *records, const struct dash_records_question *question,
		       uint32_t *rows, size_t count)
{
	if (question->sort == RECORDS_index && !question->is_descending)
		return;
	auto_free struct key *keys = pl_alloc_array(count, sizeof(*keys));
	for (size_t i = 0; i < count; i++) {
		const struct records_row *row = &records->rows[rows[i]];
		keys[i] = (struct key){
			dash_records_number(records, row, question->sort, question->origin_ns),
			dash_records_column_text(records, row, question->sort), rows[i]
		};
	}
	qsort_r(keys, count, sizeof(*keys), by_key, (void *)question);
	for (size_t i = 0; i < count; i++)
		rows[i] = keys[i].row;
}
