/* The gaps between the chunks of requests, and the curve of their percentiles. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/stats.h"
#include "records/records.h"

/* Whole percents, and nine steps per further nine: 99.1, …, 99.9, 99.91, …, 99.99, 99.991, …, 99.999, and 100. */
const int records_positions[RECORDS_POSITIONS] = {
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

bool records_is_supported(size_t position, size_t count)
{
	int left = 100000 - records_positions[position];

	return left == 0 || (double)left * (double)count >= 100000;
}

double records_percent(size_t position)
{
	return records_positions[position] / 1000.0;
}

int64_t records_gap(const struct records *records, uint64_t at)
{
	size_t low = 0, high = records->long_count;

	if (records->gaps[at] != RECORDS_LONG_GAP)
		return records->gaps[at];
	while (low < high) {
		size_t middle = low + (high - low) / 2;
		if (records->long_gaps[middle].at < at)
			low = middle + 1;
		else
			high = middle;
	}
	return records->long_gaps[low].ns;
}

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

size_t records_itl(const struct records *records, const uint32_t *rows, size_t count, double *ret,
		   double *ret_median_ms)
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
					 long_room) = (double)records_gap(records, at);
		}
	}
	sort_gaps(gaps, used);
	pl_stats_sort(longer, long_count);
	const struct sorted sorted = { gaps, used, longer };
	for (size_t i = 0; i < RECORDS_POSITIONS; i++)
		ret[i] = total > 0 && records_is_supported(i, total)
				 ? gap_at(&sorted, total, records_percent(i)) * 1000
				 : NAN;
	*ret_median_ms = total > 0 ? gap_at(&sorted, total, 50) * 1000 : NAN;
	return total;
}
