/*
 * All numbers of a field are gathered once; percentiles are found without putting the rest in order.
 */
#include "store/metrics_priv.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/stats.h"
#include "store/out_priv.h"

#define BUCKETS 4096
#define FEW     64 /* numbers that are put in order */

void metrics_scratch_done(struct metrics_scratch *scratch)
{
	free(scratch->numbers);
}

/* ---- gathering ----------------------------------------------------------------------------------- */

static void gather_segment(struct metrics_scratch *scratch, const struct store_column *column,
			   const double *of_code, size_t segment, const uint64_t *rows,
			   uint32_t *codes, size_t row_count)
{
	const struct chunk *chunk = store_column_chunk(column, segment);

	chunk_decode(chunk, row_count, codes);
	for (size_t word = 0; word < STORE_SEGMENT_WORDS; word++) {
		for (uint64_t bits = rows[word]; bits != 0; bits &= bits - 1) {
			size_t row = word * STORE_WORD_ROWS + (size_t)__builtin_ctzll(bits);
			double number = of_code[codes[row]];
			if (isinf(number) && chunk->numbers != NULL &&
			    store_column_value(column, codes[row])->is_elsewhere)
				number = chunk->numbers[row];
			scratch->numbers[scratch->count] = number;
			/* what is no number is written over by the next one */
			scratch->count += !isnan(number);
		}
	}
}

static void gather(struct metrics_scratch *scratch, const struct store_view *view,
		   const struct store_column *column, const uint64_t *rows)
{
	auto_free double *of_code = pl_alloc_array(column->distinct, sizeof(*of_code));
	auto_free uint32_t *codes = pl_alloc_array(STORE_SEGMENT_ROWS, sizeof(*codes));
	size_t count = store_kernels()->count(rows, store_view_words(view));

	for (uint32_t code = 0; code < column->distinct; code++) {
		const struct store_value *value = store_column_value(column, code);
		of_code[code] = value->class != STORE_NUMBER ? NAN
				: value->is_elsewhere        ? INFINITY
							     : value->number;
	}
	pl_grow((void **)&scratch->numbers, &scratch->room, count + 1, sizeof(*scratch->numbers));
	scratch->count = 0;
	for (size_t i = 0; i < store_view_segments(view); i++)
		gather_segment(scratch, column, of_code, i, rows + i * STORE_SEGMENT_WORDS, codes,
			       store_view_rows(view, i));
}

/* ---- percentiles ----------------------------------------------------------------------------------- */

/* Rises with the number. */
static uint64_t bits_of(double number)
{
	uint64_t bits;

	memcpy(&bits, &number, sizeof(bits));
	return bits >> 63 ? ~bits : bits | 1ull << 63;
}

/*
 * Numbers go by the first bits in which they differ into buckets, which lie in order; the bucket that has the
 * place is looked at alone, in the same way, until it has few.
 */
double metrics_select(double *numbers, size_t count, size_t place)
{
	while (count > FEW) {
		uint32_t counts[BUCKETS] = { 0 };
		uint64_t low = UINT64_MAX, high = 0;
		size_t bucket = 0, kept = 0;
		for (size_t i = 0; i < count; i++) {
			uint64_t bits = bits_of(numbers[i]);
			low = bits < low ? bits : low;
			high = bits > high ? bits : high;
		}
		if (low == high)
			return numbers[0];
		unsigned shift = 0;
		while ((high - low) >> shift >= BUCKETS)
			shift++;
		for (size_t i = 0; i < count; i++)
			counts[(bits_of(numbers[i]) - low) >> shift]++;
		while (place >= counts[bucket])
			place -= counts[bucket++];
		for (size_t i = 0; i < count; i++) {
			if ((bits_of(numbers[i]) - low) >> shift == bucket)
				numbers[kept++] = numbers[i];
		}
		count = kept;
	}
	pl_stats_sort(numbers, count);
	return numbers[place];
}

/* numpy's "linear"; `copy` has room for all of them. */
static double percentile(const struct metrics_scratch *scratch, double p, double *copy)
{
	struct pl_stats_place place = pl_stats_percentile_place(scratch->count, p);
	size_t bytes = scratch->count * sizeof(*copy);

	memcpy(copy, scratch->numbers, bytes);
	double below = metrics_select(copy, scratch->count, place.below);
	if (place.share <= 0)
		return below;
	memcpy(copy, scratch->numbers, bytes);
	return pl_stats_between(below, metrics_select(copy, scratch->count, place.below + 1),
				place.share);
}

/* ---- all ------------------------------------------------------------------------------------------- */

/* Of a sample: divided by one less than there are. */
static double deviation(const struct metrics_scratch *scratch)
{
	double count = (double)scratch->count;

	if (scratch->count < 2)
		return NAN;
	return pl_stats_std(scratch->numbers, scratch->count) * sqrt(count / (count - 1));
}

void metrics_write(struct metrics_scratch *scratch, const struct store_view *view,
		   const struct store_column *column, const uint64_t *rows, struct pl_buf *out)
{
	gather(scratch, view, column, rows);
	auto_free double *copy = pl_alloc_array(scratch->count, sizeof(*copy));
	double least = INFINITY, most = -INFINITY;
	bool is_none = scratch->count == 0;

	for (size_t i = 0; i < scratch->count; i++) {
		least = scratch->numbers[i] < least ? scratch->numbers[i] : least;
		most = scratch->numbers[i] > most ? scratch->numbers[i] : most;
	}
	const struct {
		const char *key;
		double number;
	} figures[] = {
		{ "mean", pl_stats_mean(scratch->numbers, scratch->count) },
		{ "std", deviation(scratch) },
		{ "min", is_none ? NAN : least },
		{ "p50", is_none ? NAN : percentile(scratch, 50, copy) },
		{ "p95", is_none ? NAN : percentile(scratch, 95, copy) },
		{ "max", is_none ? NAN : most },
	};
	pl_buf_add_text(out, "{\"n\":");
	out_i64(out, (int64_t)scratch->count);
	for (size_t i = 0; i < PL_ARRAY_SIZE(figures); i++) {
		out_key(out, figures[i].key);
		out_f64(out, figures[i].number);
	}
	pl_buf_add_char(out, '}');
}
