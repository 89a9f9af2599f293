/* Collects all numbers of a field once; finds percentiles without sorting all of them. */
#include "query/facets/metrics_priv.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/stats.h"
#include "query/out_priv.h"

#define BUCKETS 4096
#define FEW     256 /* maximum of numbers that are sorted */

void query_metrics_scratch_done(struct metrics_scratch *scratch)
{
	query_tally_done(&scratch->tally);
	free(scratch->halves[0]);
	free(scratch->halves[1]);
}

/* ---- sums ------------------------------------------------------------------------------------------ */

static struct mirror_sums sums_of(const double *numbers, size_t count, double center)
{
	struct mirror_sums sums = MIRROR_SUMS_NONE;
	uint64_t all[MIRROR_SEGMENT_WORDS];

	memset(all, 0xff, sizeof(all));
	for (size_t from = 0; from < count; from += MIRROR_SEGMENT_ROWS) {
		size_t rows = count - from < MIRROR_SEGMENT_ROWS ? count - from
								 : MIRROR_SEGMENT_ROWS;
		if (rows % MIRROR_WORD_ROWS != 0)
			all[rows / MIRROR_WORD_ROWS] = (1ull << rows % MIRROR_WORD_ROWS) - 1;
		mirror_kernels()->sum_f64(numbers + from, rows, all, center, &sums);
	}
	return sums;
}

struct moments {
	double mean, deviation; /* of a sample: divided by count - 1 */
	double least, most;
};

/* The second pass sums distances from the mean, so that large numbers lose no precision. */
static struct moments moments_of(const double *numbers, size_t count)
{
	struct mirror_sums sums = sums_of(numbers, count, 0);
	struct moments moments = { .mean = NAN, .deviation = NAN, .least = NAN, .most = NAN };
	double many = (double)count;

	if (count == 0)
		return moments;
	moments.least = sums.min;
	moments.most = sums.max;
	moments.mean = sums.sum / many;
	if (!isfinite(moments.mean))
		return moments;
	sums = sums_of(numbers, count, moments.mean);
	if (count > 1)
		moments.deviation = sqrt((sums.squares - sums.sum * sums.sum / many) / (many - 1));
	moments.mean += sums.sum / many;
	return moments;
}

/* ---- percentiles ----------------------------------------------------------------------------------- */

/* Returns an integer that increases with the number. */
static uint64_t bits_of(double number)
{
	uint64_t bits;

	memcpy(&bits, &number, sizeof(bits));
	return bits >> 63 ? ~bits : bits | 1ull << 63;
}

/* The inverse. */
static double number_of(uint64_t bits)
{
	double number;

	bits = bits >> 63 ? bits & ~(1ull << 63) : ~bits;
	memcpy(&number, &bits, sizeof(number));
	return number;
}

/* Buckets of the numbers by the first bits in which they differ, in ascending order. */
struct buckets {
	uint64_t low, high; /* bits of the least and the greatest number */
	unsigned shift;
	uint32_t counts[BUCKETS];
};

/* `least` and `most` are the extremes of the numbers. */
static void fill_buckets(const double *numbers, size_t count, double least, double most,
			 struct buckets *buckets)
{
	memset(buckets, 0, sizeof(*buckets));
	buckets->low = bits_of(least);
	buckets->high = bits_of(most);
	while ((buckets->high - buckets->low) >> buckets->shift >= BUCKETS)
		buckets->shift++;
	for (size_t i = 0; i < count; i++)
		buckets->counts[(bits_of(numbers[i]) - buckets->low) >> buckets->shift]++;
}

/* Returns the bucket that contains the position, and converts it to the position in the bucket. */
static size_t bucket_of(const struct buckets *buckets, size_t *position)
{
	size_t bucket = 0;

	while (*position >= buckets->counts[bucket])
		*position -= buckets->counts[bucket++];
	return bucket;
}

static int compare_numbers(const void *a, const void *b)
{
	const double *one = a, *other = b;

	return (*one > *other) - (*one < *other);
}

/* Copies the numbers of a bucket. */
static size_t keep_bucket(const double *numbers, size_t count, const struct buckets *buckets,
			  size_t bucket, double *ret_selected)
{
	const struct mirror_kernels *kernels = mirror_kernels();
	uint64_t first = buckets->low + ((uint64_t)bucket << buckets->shift);
	uint64_t last = first + ((1ull << buckets->shift) - 1), found[MIRROR_SEGMENT_WORDS];
	size_t left = 0;

	/* values after the greatest number may be NaN */
	last = last < first || last > buckets->high ? buckets->high : last;
	/* -0, which is not among the numbers, would match 0 of the next bucket */
	last -= last == ~(1ull << 63);
	for (size_t from = 0; from < count; from += MIRROR_SEGMENT_ROWS) {
		size_t rows = count - from < MIRROR_SEGMENT_ROWS ? count - from
								 : MIRROR_SEGMENT_ROWS;
		kernels->match_f64(numbers + from, rows, number_of(first), number_of(last), found);
		left += kernels->gather_f64(numbers + from, rows, found, ret_selected + left);
	}
	return left;
}

/* Returns the least number of the buckets after this one, or `beyond` if there is none. */
static double least_after(const double *numbers, size_t count, const struct buckets *buckets,
			  size_t bucket, double *halves, double beyond)
{
	while (++bucket < BUCKETS && buckets->counts[bucket] == 0)
		;
	if (bucket == BUCKETS)
		return beyond;
	return sums_of(halves, keep_bucket(numbers, count, buckets, bucket, halves), 0).min;
}

/*
 * Finds the numbers at a position and the next one. Splits the bucket of the position in the same way until it is
 * small, using both arrays of `kept` in turn.
 */
static void select_two(const double *numbers, size_t count, const struct buckets *of_all,
		       size_t position, double *const halves[2], double ret[2])
{
	struct buckets buckets = *of_all;
	double after = INFINITY;

	for (int side = 0;; side = !side) {
		size_t bucket = bucket_of(&buckets, &position);
		if (position + 1 >= buckets.counts[bucket])
			after = least_after(numbers, count, &buckets, bucket, halves[side], after);
		count = keep_bucket(numbers, count, &buckets, bucket, halves[side]);
		numbers = halves[side];
		if (count <= FEW)
			break;
		struct mirror_sums ends = sums_of(numbers, count, 0);
		if (ends.min >= ends.max)
			break;
		fill_buckets(numbers, count, ends.min, ends.max, &buckets);
	}
	if (count <= FEW)
		qsort((double *)numbers, count, sizeof(*numbers), compare_numbers);
	ret[0] = numbers[position];
	ret[1] = position + 1 < count ? numbers[position + 1] : after;
}

void query_metrics_percentiles(const double *numbers, size_t count, double *const halves[2],
			       const double *percents, size_t percent_count, double *ret)
{
	struct mirror_sums ends = sums_of(numbers, count, 0);
	struct buckets buckets;

	fill_buckets(numbers, count, ends.min, ends.max, &buckets);
	for (size_t i = 0; i < percent_count; i++) {
		struct pl_stats_position position = pl_stats_percentile_position(count,
										 percents[i]);
		double two[2] = { numbers[0], numbers[0] };
		if (ends.min < ends.max)
			select_two(numbers, count, &buckets, position.below, halves, two);
		ret[i] = position.share > 0 ? pl_stats_between(two[0], two[1], position.share)
					    : two[0];
	}
}

/* ---- all ------------------------------------------------------------------------------------------- */

void query_metrics_write(struct metrics_scratch *scratch, const struct mirror_column *column,
			 const struct facet_rows *rows, struct pl_buf *out)
{
	static const double percents[] = { 50, 95 };
	double percentiles[PL_ARRAY_SIZE(percents)] = { NAN, NAN };

	/* Numbers with a code follow the others, repeated for each of their rows. */
	struct tally *tally = &scratch->tally;
	query_tally_column(tally, column, rows);
	query_tally_gather(tally, column, rows);
	scratch->count = tally->elsewhere;
	size_t room = tally->class_counts[MIRROR_NUMBER] + MIRROR_GATHER_MORE;
	pl_grow((void **)&tally->numbers, &tally->number_room, room, sizeof(*tally->numbers));
	for (int i = 0; i < 2; i++)
		pl_grow((void **)&scratch->halves[i], &scratch->scratch_room[i], room,
			sizeof(*scratch->halves[i]));
	for (uint32_t code = 0; code < column->distinct; code++) {
		const struct mirror_value *value = mirror_column_value(column, code);
		if (value->class != MIRROR_NUMBER || value->is_elsewhere)
			continue;
		for (uint32_t i = 0; i < tally->counts[code]; i++)
			tally->numbers[scratch->count++] = value->number;
	}
	const double *numbers = scratch->tally.numbers;
	struct moments moments = moments_of(numbers, scratch->count);
	if (scratch->count > 0)
		query_metrics_percentiles(numbers, scratch->count, scratch->halves, percents,
					  PL_ARRAY_SIZE(percents), percentiles);
	const struct {
		const char *key;
		double number;
	} figures[] = {
		{ "mean", moments.mean },  { "std", moments.deviation }, { "min", moments.least },
		{ "p50", percentiles[0] }, { "p95", percentiles[1] },    { "max", moments.most },
	};
	pl_buf_add_text(out, "{\"n\":");
	query_out_i64(out, (int64_t)scratch->count);
	for (size_t i = 0; i < PL_ARRAY_SIZE(figures); i++) {
		query_out_key(out, figures[i].key);
		query_out_f64(out, figures[i].number);
	}
	pl_buf_add_char(out, '}');
}
