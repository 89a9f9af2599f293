#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/stats.h"
#include "dash/records/records_priv.h"
#include "result/timing.h"

/* Whole percents, and nine steps per further nine: 99.1, …, 99.9, 99.91, …, 99.99, 99.991, …, 99.999, and 100. */
const int dash_records_positions[RECORDS_POSITIONS] = {
#define TEN(p) \
	p, p + 1000, p + 2000, p + 3000, p + 4000, p + 5000, p + 6000, p + 7000, p + 8000, p + 9000
#define NINE(p, step)                                                                   \
	p + step, p + 2 * step, p + 3 * step, p + 4 * step, p + 5 * step, p + 6 * step, \
		p + 7 * step, p + 8 * step, p + 9 * step
	TEN(0),           TEN(10000),      TEN(20000),     TEN(30000), TEN(40000),
	TEN(50000),       TEN(60000),      TEN(70000),     TEN(80000), TEN(90000),
	NINE(99000, 100), NINE(99900, 10), NINE(99990, 1), 100000,
#undef TEN
#undef NINE
};

/* Returns whether a sample lies beyond the position: a finer percentile of so few samples says nothing. */
static bool is_supported(size_t at, size_t count)
{
	int left = 100000 - dash_records_positions[at];

	return left == 0 || (double)left * (double)count >= 100000;
}

static double percent_at(size_t at)
{
	return dash_records_positions[at] / 1000.0;
}

/* ---- gaps of all requests ------------------------------------------------------------------ */

#define RADIX_BITS 11
#define RADIX_SIZE (1u << RADIX_BITS)

/* Sorts by digits: tens of millions of gaps take a few tenths of a second. */
static void sort_gaps(uint32_t *gaps, size_t count)
{
	auto_free uint32_t *other = pl_alloc_array(count, sizeof(*other));
	uint32_t *from = gaps, *to = other;

	for (unsigned shift = 0; shift < 32; shift += RADIX_BITS) {
		size_t places[RADIX_SIZE] = { 0 }, sum = 0;
		for (size_t i = 0; i < count; i++)
			places[from[i] >> shift & (RADIX_SIZE - 1)]++;
		for (size_t i = 0; i < RADIX_SIZE; i++) {
			size_t here = places[i];
			places[i] = sum;
			sum += here;
		}
		for (size_t i = 0; i < count; i++)
			to[places[from[i] >> shift & (RADIX_SIZE - 1)]++] = from[i];
		uint32_t *swapped = from;
		from = to;
		to = swapped;
	}
	/* an odd number of passes */
	if (from != gaps)
		memcpy(gaps, from, count * sizeof(*gaps));
}

/* Gaps in ascending order: short ones, followed by long ones. */
struct sorted {
	const uint32_t *gaps;
	size_t short_count;
	const double *longer; /* in ns */
};

static double gap_s(const struct sorted *sorted, size_t at)
{
	return (at < sorted->short_count ? (double)sorted->gaps[at]
					 : sorted->longer[at - sorted->short_count]) /
	       1e9;
}

static double gap_at(const struct sorted *sorted, size_t count, double percent)
{
	struct pl_stats_position position = pl_stats_percentile_position(count, percent);
	double below = gap_s(sorted, position.below);

	return position.share > 0
		       ? pl_stats_between(below, gap_s(sorted, position.below + 1), position.share)
		       : below;
}

size_t dash_records_itl(const struct dash_records *records, const uint32_t *rows, size_t count,
			double *ret, double *ret_median_ms)
{
	size_t total = 0, used = 0, long_count = 0, long_room = 0;
	auto_free double *longer = NULL;

	for (size_t i = 0; i < count; i++) {
		const struct records_row *row = &records->rows[rows[i]];
		total += row->status == RECORDS_COMPLETED ? row->gap_count : 0;
	}
	auto_free uint32_t *gaps = pl_alloc_array(total, sizeof(*gaps));
	for (size_t i = 0; i < count; i++) {
		const struct records_row *row = &records->rows[rows[i]];
		if (row->status != RECORDS_COMPLETED)
			continue;
		for (uint64_t at = row->gap_at; at < row->gap_at + row->gap_count; at++) {
			if (records->gaps[at] != RECORDS_LONG_GAP)
				gaps[used++] = records->gaps[at];
			else
				*PL_PUSH(longer, long_count,
					 long_room) = (double)dash_records_gap(records, at);
		}
	}
	sort_gaps(gaps, used);
	pl_stats_sort(longer, long_count);
	const struct sorted sorted = { gaps, used, longer };
	for (size_t i = 0; i < RECORDS_POSITIONS; i++)
		ret[i] = total > 0 && is_supported(i, total)
				 ? gap_at(&sorted, total, percent_at(i)) * 1000
				 : NAN;
	*ret_median_ms = total > 0 ? gap_at(&sorted, total, 50) * 1000 : NAN;
	return total;
}

/* ---- sums ---------------------------------------------------------------------------------- */

/* The values of completed requests in seconds, in the order of the plan, like the metrics of a result. */
static double *values_of(const struct dash_records *records, const uint32_t *rows, size_t count,
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

static json_t *mean_ms(const struct dash_records *records, const uint32_t *rows, size_t count,
		       enum records_column column)
{
	size_t value_count;
	auto_free double *values = values_of(records, rows, count, column, &value_count);

	/* multiplied after the mean, like the metrics */
	return pl_json_number(pl_stats_mean(values, value_count) * 1000);
}

json_t *dash_records_sums(const struct dash_records *records, const uint32_t *rows, size_t count)
{
	int64_t input = 0, output = 0, counts[RECORDS_STATUSES] = { 0 };
	double gaps_ns = 0;
	size_t gap_count = 0;
	bool knows_input = true;

	for (size_t i = 0; i < count; i++) {
		const struct records_row *row = &records->rows[rows[i]];
		counts[row->status]++;
		if (row->status != RECORDS_COMPLETED)
			continue;
		/* at most 2^31 each, and 2^32 rows */
		output += row->output_tokens;
		input += row->prompt_tokens != RES_NO_COUNT ? row->prompt_tokens : 0;
		knows_input = knows_input && row->prompt_tokens != RES_NO_COUNT;
		gaps_ns += row->gap_count > 0 ? (double)(row->last_ns - row->first_ns) : 0;
		gap_count += row->gap_count;
	}
	double itl_ms = gap_count > 0 ? gaps_ns / (double)gap_count / 1e6 : NAN;
	return json_pack("{s:I, s:I, s:I, s:o, s:I, s:o, s:o, s:o, s:o}", "completed",
			 (json_int_t)counts[RECORDS_COMPLETED], "failed",
			 (json_int_t)counts[RECORDS_FAILED], "not_sent",
			 (json_int_t)counts[RECORDS_NOT_SENT], "total_input_tokens",
			 pl_json_i64(input, knows_input), "total_output_tokens", (json_int_t)output,
			 "mean_ttft_ms", mean_ms(records, rows, count, RECORDS_ttft_ms),
			 "mean_tpot_ms", mean_ms(records, rows, count, RECORDS_tpot_ms),
			 "mean_itl_ms", pl_json_number(itl_ms), "mean_e2el_ms",
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

static json_t *curve_of(const struct dash_records *records, const uint32_t *rows, size_t count,
			enum records_column column)
{
	size_t value_count;
	auto_free double *values = values_of(records, rows, count, column, &value_count);
	double curve[RECORDS_POSITIONS];

	pl_stats_sort(values, value_count);
	for (size_t i = 0; i < RECORDS_POSITIONS; i++)
		curve[i] = value_count > 0 && is_supported(i, value_count)
				   ? pl_stats_percentile_sorted(values, value_count,
								percent_at(i)) *
					     1000
				   : NAN;
	return curve_json(dash_records_columns[column].id, value_count, curve);
}

json_t *dash_records_curves(const struct dash_records *records, const uint32_t *rows, size_t count)
{
	json_t *percents = json_array(), *list = json_array();
	double gaps[RECORDS_POSITIONS], median_ms;
	size_t gap_count = records->itl_count;

	for (size_t i = 0; i < RECORDS_POSITIONS; i++)
		json_array_append_new(percents, json_real(percent_at(i)));
	if (count == records->count)
		memcpy(gaps, records->itl, sizeof(gaps));
	else
		gap_count = dash_records_itl(records, rows, count, gaps, &median_ms);
#define CURVE(id) json_array_append_new(list, curve_of(records, rows, count, RECORDS_##id));
#include "tbl/record_columns.h"
	json_array_insert_new(list, 2, curve_json("itl_ms", gap_count, gaps));
	return json_pack("{s:o, s:o}", "percentiles", percents, "metrics", list);
}
