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
#define FEW     256 /* numbers that are put in order */

void metrics_scratch_done(struct metrics_scratch *scratch)
{
	free(scratch->numbers);
	free(scratch->kept);
}

/* ---- gathering ----------------------------------------------------------------------------------- */

/* What codes mean as numbers; what is none is no number. */
struct meaning {
	double *of_code;
	uint8_t *is_elsewhere;
	uint32_t *codes; /* of a segment */
	double *numbers; /* of a segment */
};

static void meaning_init(struct meaning *meaning, const struct store_column *column)
{
	meaning->of_code = pl_alloc_array(column->distinct, sizeof(*meaning->of_code));
	meaning->is_elsewhere = pl_alloc(column->distinct);
	meaning->codes = pl_alloc_array(STORE_SEGMENT_ROWS, sizeof(*meaning->codes));
	meaning->numbers = pl_alloc_array(STORE_SEGMENT_ROWS, sizeof(*meaning->numbers));
	for (uint32_t code = 0; code < column->distinct; code++) {
		const struct store_value *value = store_column_value(column, code);
		meaning->of_code[code] = value->class == STORE_NUMBER ? value->number : NAN;
		meaning->is_elsewhere[code] = value->is_elsewhere;
	}
}

static void meaning_done(struct meaning *meaning)
{
	free(meaning->of_code);
	free(meaning->is_elsewhere);
	free(meaning->codes);
	free(meaning->numbers);
}
#define auto_meaning __attribute__((cleanup(meaning_done), unused)) struct meaning

/* A number for each row, or what is none. */
static const double *numbers_of(const struct meaning *meaning, const struct chunk *chunk,
				size_t rows)
{
	if (chunk->form == CHUNK_CONSTANT && meaning->is_elsewhere[chunk->base])
		return chunk->numbers;
	chunk_decode(chunk, rows, meaning->codes);
	for (size_t row = 0; row < rows; row++)
		meaning->numbers[row] = meaning->of_code[meaning->codes[row]];
	for (size_t row = 0; chunk->numbers != NULL && row < rows; row++) {
		if (meaning->is_elsewhere[meaning->codes[row]])
			meaning->numbers[row] = chunk->numbers[row];
	}
	return meaning->numbers;
}

static void gather(struct metrics_scratch *scratch, const struct store_view *view,
		   const struct store_column *column, const uint64_t *rows)
{
	const struct store_kernels *kernels = store_kernels();
	size_t count = kernels->count(rows, store_view_words(view));
	auto_meaning meaning = { 0 };

	meaning_init(&meaning, column);
	pl_grow((void **)&scratch->numbers, &scratch->room, count + 1, sizeof(*scratch->numbers));
	pl_grow((void **)&scratch->kept, &scratch->kept_room, count + 1, sizeof(*scratch->kept));
	scratch->count = 0;
	for (size_t i = 0; i < store_view_segments(view); i++, rows += STORE_SEGMENT_WORDS) {
		if (kernels->count(rows, STORE_SEGMENT_WORDS) == 0)
			continue;
		const double *numbers = numbers_of(&meaning, store_column_chunk(column, i),
						   store_view_rows(view, i));
		for (size_t word = 0; word < STORE_SEGMENT_WORDS; word++) {
			for (uint64_t bits = rows[word]; bits != 0; bits &= bits - 1) {
				double number = numbers[word * STORE_WORD_ROWS +
							(size_t)__builtin_ctzll(bits)];
				scratch->numbers[scratch->count] = number;
				/* what is no number is written over by the next one */
				scratch->count += !isnan(number);
			}
		}
	}
}

/* ---- percentiles ----------------------------------------------------------------------------------- */

/* Rises with the number. */
static uint64_t bits_of(double number)
{
	uint64_t bits;

	memcpy(&bits, &number, sizeof(bits));
	return bits >> 63 ? ~bits : bits | 1ull << 63;
}

/* The numbers go by the first bits in which they differ into buckets, which lie in order. */
struct buckets {
	uint64_t low;
	unsigned shift;
	uint32_t counts[BUCKETS];
};

/* False: all of them are alike. */
static bool fill_buckets(const double *numbers, size_t count, struct buckets *buckets)
{
	double least = numbers[0], most = numbers[0];
	uint64_t width;

	for (size_t i = 0; i < count; i++) {
		least = numbers[i] < least ? numbers[i] : least;
		most = numbers[i] > most ? numbers[i] : most;
	}
	memset(buckets, 0, sizeof(*buckets));
	buckets->low = bits_of(least);
	width = bits_of(most) - buckets->low;
	while (width >> buckets->shift >= BUCKETS)
		buckets->shift++;
	for (size_t i = 0; i < count; i++)
		buckets->counts[(bits_of(numbers[i]) - buckets->low) >> buckets->shift]++;
	return least < most;
}

/* The bucket that has the place, which becomes one in it. */
static size_t bucket_of(const struct buckets *buckets, size_t *place)
{
	size_t bucket = 0;

	while (*place >= buckets->counts[bucket])
		*place -= buckets->counts[bucket++];
	return bucket;
}

static int compare_numbers(const void *a, const void *b)
{
	const double *one = a, *other = b;

	return (*one > *other) - (*one < *other);
}

/* The least number of the buckets behind; infinite: there is none. */
static double least_behind(const double *numbers, size_t count, const struct buckets *buckets,
			   size_t bucket)
{
	double least = INFINITY;

	for (size_t i = 0; i < count; i++) {
		if ((bits_of(numbers[i]) - buckets->low) >> buckets->shift > bucket &&
		    numbers[i] < least)
			least = numbers[i];
	}
	return least;
}

/*
 * The numbers at a place and behind it. The bucket that has the place is looked at alone, in the same way
 * until it has few. `kept` has room for all, and may be `numbers`.
 */
static void select_two(const double *numbers, size_t count, const struct buckets *of_all,
		       size_t place, double *kept, double ret[2])
{
	struct buckets buckets;
	size_t bucket = bucket_of(of_all, &place), left = 0;
	bool is_last = place + 1 >= of_all->counts[bucket];

	/* before the numbers are written over: `kept` may be where they stand */
	ret[1] = is_last ? least_behind(numbers, count, of_all, bucket) : 0;
	for (size_t i = 0; i < count; i++) {
		kept[left] = numbers[i];
		left += (bits_of(numbers[i]) - of_all->low) >> of_all->shift == bucket;
	}
	if (left <= FEW) {
		qsort(kept, left, sizeof(*kept), compare_numbers);
	} else if (fill_buckets(kept, left, &buckets)) {
		double found[2];
		select_two(kept, left, &buckets, place, kept, found);
		ret[0] = found[0];
		ret[1] = is_last ? ret[1] : found[1];
		return;
	}
	ret[0] = kept[place];
	ret[1] = is_last ? ret[1] : kept[place + 1];
}

void metrics_percentiles(const double *numbers, size_t count, double *kept, const double *percents,
			 size_t percent_count, double *ret)
{
	struct buckets buckets;
	bool differ = fill_buckets(numbers, count, &buckets);

	for (size_t i = 0; i < percent_count; i++) {
		struct pl_stats_place place = pl_stats_percentile_place(count, percents[i]);
		double two[2] = { numbers[0], numbers[0] };
		if (differ)
			select_two(numbers, count, &buckets, place.below, kept, two);
		ret[i] = place.share > 0 ? pl_stats_between(two[0], two[1], place.share) : two[0];
	}
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
	static const double percents[] = { 50, 95 };
	double percentiles[PL_ARRAY_SIZE(percents)] = { NAN, NAN };
	double least = INFINITY, most = -INFINITY;

	gather(scratch, view, column, rows);
	bool is_none = scratch->count == 0;
	if (!is_none)
		metrics_percentiles(scratch->numbers, scratch->count, scratch->kept, percents,
				    PL_ARRAY_SIZE(percents), percentiles);
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
		{ "p50", percentiles[0] },
		{ "p95", percentiles[1] },
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
