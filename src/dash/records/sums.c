#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/stats.h"
#include "dash/records/records_priv.h"
#include "result/timing.h"

/* ---- sums ---------------------------------------------------------------------------------- */

/* The values of completed requests in seconds, in the order of the plan, like the metrics of a result. */
static double *values_of(const struct records *records, const uint32_t *rows, size_t count,
			 enum records_column column, size_t *ret_count)
{
	double *values = pl_alloc_array(count, sizeof(*values));

	*ret_count = 0;
	for (size_t i = 0; i < count; i++) {
		const struct records_row *row = &records->rows[rows[i]];
		double value = column == RECORDS_ttft_ms   ? row->ttft_s
			       : column == RECORDS_tpot_ms ? row->tpot_s
							   : row->e2el_s;
		if (row->status == RECORDS_COMPLETED && !isnan(value))
			values[(*ret_count)++] = value;
	}
	return values;
}

static json_t *mean_ms(const struct records *records, const uint32_t *rows, size_t count,
		       enum records_column column)
{
	size_t value_count;
	auto_free double *values = values_of(records, rows, count, column, &value_count);

	/* multiplied after the mean, like the metrics */
	return pl_json_number(pl_stats_mean(values, value_count) * 1000);
}

json_t *dash_records_sums(const struct records *records, const uint32_t *rows, size_t count)
{
	int64_t input = 0, output = 0, counts[RECORDS_STATUSES] = { 0 };
	double gaps_ns = 0;
	size_t gap_count = 0;
	bool knows_input = true, knows_output = true;

	for (size_t i = 0; i < count; i++) {
		const struct records_row *row = &records->rows[rows[i]];
		counts[row->status]++;
		if (row->status != RECORDS_COMPLETED)
			continue;
		/* at most 2^31 each, and 2^32 rows */
		output += row->output_tokens != RES_NO_COUNT ? row->output_tokens : 0;
		knows_output = knows_output && row->output_tokens != RES_NO_COUNT;
		input += row->prompt_tokens != RES_NO_COUNT ? row->prompt_tokens : 0;
		knows_input = knows_input && row->prompt_tokens != RES_NO_COUNT;
		gaps_ns += row->gap_count > 0 ? (double)(row->last_ns - row->first_ns) : 0;
		gap_count += row->gap_count;
	}
	double itl_ms = gap_count > 0 ? gaps_ns / (double)gap_count / 1e6 : NAN;
	return json_pack("{s:I, s:I, s:I, s:o, s:o, s:o, s:o, s:o, s:o}", "completed",
			 (json_int_t)counts[RECORDS_COMPLETED], "failed",
			 (json_int_t)counts[RECORDS_FAILED], "not_sent",
			 (json_int_t)counts[RECORDS_NOT_SENT], "total_input_tokens",
			 pl_json_i64(input, knows_input), "total_output_tokens",
			 pl_json_i64(output, knows_output), "mean_ttft_ms",
			 mean_ms(records, rows, count, RECORDS_ttft_ms), "mean_tpot_ms",
			 mean_ms(records, rows, count, RECORDS_tpot_ms), "mean_itl_ms",
			 pl_json_number(itl_ms), "mean_e2el_ms",
			 mean_ms(records, rows, count, RECORDS_e2el_ms));
}

/* ---- curves -------------------------------------------------------------------------------- */

static json_t *curve_json(const char *id, size_t count, const double *values_ms)
{
	json_t *list = json_array();

	for (size_t i = 0; i < RECORDS_POSITIONS; i++)
		json_array_append_new(list, pl_json_number(values_ms[i]));
	return json_pack("{s:s, s:I, s:o}", "id", id, "count", (json_int_t)count, "values", list);
}

static json_t *curve_of(const struct records *records, const uint32_t *rows, size_t count,
			enum records_column column)
{
	size_t value_count;
	auto_free double *values = values_of(records, rows, count, column, &value_count);
	double curve[RECORDS_POSITIONS];

	pl_stats_sort(values, value_count);
	for (size_t i = 0; i < RECORDS_POSITIONS; i++)
		curve[i] = value_count > 0 && records_is_supported(i, value_count)
				   ? pl_stats_percentile_sorted(values, value_count,
								records_percent(i)) *
					     1000
				   : NAN;
	return curve_json(dash_records_columns[column].id, value_count, curve);
}

json_t *dash_records_curves(const struct records *records, const uint32_t *rows, size_t count)
{
	json_t *percents = json_array(), *list = json_array();
	double gaps[RECORDS_POSITIONS], median_ms;
	size_t gap_count = records->itl_count;

	for (size_t i = 0; i < RECORDS_POSITIONS; i++)
		json_array_append_new(percents, json_real(records_percent(i)));
	if (count == records->count)
		memcpy(gaps, records->itl, sizeof(gaps));
	else
		gap_count = records_itl(records, rows, count, gaps, &median_ms);
#define CURVE(id) json_array_append_new(list, curve_of(records, rows, count, RECORDS_##id));
#include "tbl/record_columns.h"
	json_array_insert_new(list, 2, curve_json("itl_ms", gap_count, gaps));
	return json_pack("{s:o, s:o}", "percentiles", percents, "metrics", list);
}
