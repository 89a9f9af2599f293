/* Compares each set of kernels with simple loops, over all lengths, bitmaps and spreads of
 * codes. */
#include "mirror/kernels/kernels.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "base/mem.h"
#include "base/rng.h"
#include "unit/sanitizer.h"

#define RANDOM_LENGTHS 10
#define SUMS_LANES     4

static const char *const names[] = { "plain", "sse2", "avx2" };
/*
 * AddressSanitizer looks for bytes outside of arrays, and finds as many at the ends of short ones in
 * a fraction of the time.
 */
#ifdef __SANITIZE_ADDRESS__
#define LENGTH_MAX 4096
#else
#define LENGTH_MAX 65536
#endif
static const size_t lengths[] = {
	0, 1, 2, 63, 64, 65, 127, 128, 129, 511, 512, 513, LENGTH_MAX - 1, LENGTH_MAX
};

static struct pl_pcg64 rng;

static size_t below(size_t end)
{
	return (size_t)pl_pcg64_integers(&rng, 0, (int64_t)end);
}

static const struct mirror_kernels *set_at(size_t i)
{
	return mirror_kernels_of(names[i]);
}

#define EACH_SET(set)                                        \
	for (size_t i_ = 0; i_ < PL_ARRAY_SIZE(names); i_++) \
		for (const struct mirror_kernels *set = set_at(i_); set != NULL; set = NULL)

/* Returns the length at `i`, of the lengths above and some others. */
static bool length_at(size_t i, size_t *ret)
{
	size_t most = i % 2 == 0 ? 1000 : LENGTH_MAX;

	*ret = i < PL_ARRAY_SIZE(lengths) ? lengths[i] : below(most + 1);
	return i < PL_ARRAY_SIZE(lengths) + RANDOM_LENGTHS;
}

#define EACH_LENGTH(rows) for (size_t at_ = 0, rows; length_at(at_, &rows); at_++)

/* Exactly so many bytes, so that what lies beyond is seen by the sanitizer. */
static void *exactly(size_t count, size_t size)
{
	return count == 0 ? pl_alloc(0) : pl_realloc_array(NULL, count, size);
}

/* ---- bitmaps --------------------------------------------------------------------------------- */

enum shape { EMPTY, FULL, HALF, SPARSE, CLUSTERED, SHAPES };

static bool in_shape(enum shape shape, bool before)
{
	switch (shape) {
	case EMPTY:
		return false;
	case FULL:
		return true;
	case HALF:
		return below(2) == 0;
	case SPARSE:
		return below(200) == 0;
	default:
		return below(100) == 0 ? !before : before;
	}
}

static bool has(const uint64_t *bitmap, size_t row)
{
	return bitmap[row / MIRROR_WORD_ROWS] >> row % MIRROR_WORD_ROWS & 1;
}

static void put(uint64_t *bitmap, size_t row, bool is_in)
{
	bitmap[row / MIRROR_WORD_ROWS] |= (uint64_t)is_in << row % MIRROR_WORD_ROWS;
}

static uint64_t *no_rows(size_t rows)
{
	uint64_t *bitmap = exactly(mirror_bitmap_words(rows), sizeof(*bitmap));

	for (size_t i = 0; i < mirror_bitmap_words(rows); i++)
		bitmap[i] = 0;
	return bitmap;
}

static uint64_t *some_rows(enum shape shape, size_t rows)
{
	uint64_t *bitmap = no_rows(rows);
	bool is_in = false;

	for (size_t row = 0; row < rows; row++) {
		is_in = in_shape(shape, is_in);
		put(bitmap, row, is_in);
	}
	return bitmap;
}

/* Returns rows filled with a value that is not a result. */
static uint64_t *answer(size_t rows)
{
	size_t words = mirror_bitmap_words(rows);
	uint64_t *bitmap = exactly(words, sizeof(*bitmap));

	memset(bitmap, 0xa5, words * sizeof(*bitmap));
	return bitmap;
}

static void check_rows(const struct mirror_kernels *set, const char *kernel, const uint64_t *found,
		       const uint64_t *wanted, size_t rows)
{
	for (size_t i = 0; i < mirror_bitmap_words(rows); i++) {
		if (found[i] != wanted[i])
			fail_msg("%s of %s, %zu rows: word %zu is %016llx, not %016llx", kernel,
				 set->name, rows, i, (unsigned long long)found[i],
				 (unsigned long long)wanted[i]);
	}
}

static void check_counts(const struct mirror_kernels *set, const char *kernel, size_t rows,
			 const uint32_t *found, const uint32_t *wanted, size_t distinct)
{
	for (size_t i = 0; i < distinct; i++) {
		if (found[i] != wanted[i])
			fail_msg("%s of %s, %zu rows, %zu codes: code %zu %u times, not %u", kernel,
				 set->name, rows, distinct, i, found[i], wanted[i]);
	}
}

static void check_number(const struct mirror_kernels *set, const char *kernel, size_t rows,
			 size_t found, size_t wanted)
{
	if (found != wanted)
		fail_msg("%s of %s, %zu rows: %zu, not %zu", kernel, set->name, rows, found,
			 wanted);
}

/* ---- sets ------------------------------------------------------------------------------------ */

static void test_mirror_kernels__the_fastest_set_is_one_of_those_by_name(void **state)
{
	const char *best = mirror_kernels()->name;

	(void)state;
	assert_ptr_equal(mirror_kernels_of(best), mirror_kernels());
	assert_ptr_equal(mirror_kernels(), mirror_kernels());
	EACH_SET(set)
	{
		assert_string_equal(set->name, names[i_]);
		best = set->name;
	}
	assert_string_equal(mirror_kernels()->name, best);
	assert_non_null(mirror_kernels_of("plain"));
	assert_null(mirror_kernels_of("AVX2"));
	assert_null(mirror_kernels_of(""));
#ifdef __x86_64__
	assert_non_null(mirror_kernels_of("sse2"));
#endif
}

/* ---- bitmaps --------------------------------------------------------------------------------- */

static uint64_t both(uint64_t a, uint64_t b)
{
	return a & b;
}

static uint64_t either(uint64_t a, uint64_t b)
{
	return a | b;
}

static uint64_t first_alone(uint64_t a, uint64_t b)
{
	return a & ~b;
}

static void check_combined(const struct mirror_kernels *set, size_t rows, const uint64_t *a,
			   const uint64_t *b)
{
	const struct {
		const char *name;
		void (*kernel)(uint64_t *, const uint64_t *, const uint64_t *, size_t);
		uint64_t (*meaning)(uint64_t, uint64_t);
	} ways[] = { { "and", set->and, both },
		     { "or", set->or, either },
		     { "and_not", set->and_not, first_alone } };
	size_t words = mirror_bitmap_words(rows);

	for (size_t way = 0; way < PL_ARRAY_SIZE(ways); way++) {
		auto_free uint64_t *wanted = no_rows(rows), *found = answer(rows);
		auto_free uint64_t *in_a = answer(rows), *in_b = answer(rows);
		for (size_t i = 0; i < words; i++)
			wanted[i] = ways[way].meaning(a[i], b[i]);
		memcpy(in_a, a, words * sizeof(*a));
		memcpy(in_b, b, words * sizeof(*b));
		ways[way].kernel(found, a, b, words);
		ways[way].kernel(in_a, in_a, b, words);
		ways[way].kernel(in_b, a, in_b, words);
		check_rows(set, ways[way].name, found, wanted, rows);
		check_rows(set, ways[way].name, in_a, wanted, rows);
		check_rows(set, ways[way].name, in_b, wanted, rows);
	}
}

static void test_mirror_kernels__bitmaps_are_counted_and_combined(void **state)
{
	(void)state;
	EACH_LENGTH(rows)
	{
		for (int shape = 0; shape < SHAPES * SHAPES; shape++) {
			auto_free uint64_t *a = some_rows((enum shape)(shape / SHAPES), rows);
			auto_free uint64_t *b = some_rows((enum shape)(shape % SHAPES), rows);
			size_t count = 0, count_and = 0, words = mirror_bitmap_words(rows);
			for (size_t row = 0; row < rows; row++) {
				count += has(a, row);
				count_and += has(a, row) && has(b, row);
			}
			EACH_SET(set)
			{
				check_number(set, "count", rows, set->count(a, words), count);
				check_number(set, "count_and", rows, set->count_and(a, b, words),
					     count_and);
				check_combined(set, rows, a, b);
			}
		}
	}
}

static void check_ranges(const struct mirror_kernels *set, size_t rows, const uint64_t *bitmap,
			 const uint32_t *ranks, const uint32_t *before)
{
	for (size_t i = 0; i < 200; i++) {
		size_t from = i == 0 ? 0 : below(rows + 1);
		size_t to = i < 2 ? rows : from + below(rows + 1 - from);
		check_number(set, "count_range", rows, set->count_range(bitmap, ranks, from, to),
			     before[to] - before[from]);
	}
}

static void test_mirror_kernels__rows_of_a_bitmap_are_listed_and_ranked(void **state)
{
	(void)state;
	EACH_LENGTH(rows)
	{
		for (int shape = 0; shape < SHAPES; shape++) {
			auto_free uint64_t *bitmap = some_rows((enum shape)shape, rows);
			auto_free uint32_t *before = exactly(rows + 1, sizeof(*before));
			size_t words = mirror_bitmap_words(rows);
			before[0] = 0;
			for (size_t row = 0; row < rows; row++)
				before[row + 1] = before[row] + has(bitmap, row);
			EACH_SET(set)
			{
				auto_free uint16_t *list = exactly(before[rows], sizeof(*list));
				auto_free uint32_t *ranks = exactly(words + 1, sizeof(*ranks));
				check_number(set, "list", rows, set->list(bitmap, words, list),
					     before[rows]);
				for (size_t i = 0; i < before[rows]; i++) {
					assert_true(has(bitmap, list[i]));
					check_number(set, "list", rows, before[list[i]], i);
				}
				set->rank(bitmap, words, ranks);
				for (size_t i = 0; i < words; i++)
					check_number(set, "rank", rows, ranks[i],
						     before[i * MIRROR_WORD_ROWS]);
				check_number(set, "rank", rows, ranks[words], before[rows]);
				check_ranges(set, rows, bitmap, ranks, before);
			}
		}
	}
}

/* ---- codes ----------------------------------------------------------------------------------- */

enum spread { EVEN, ENDS, MOSTLY_ONE, SIDE_BY_SIDE, SPREADS };

static size_t some_code(enum spread spread, size_t distinct, size_t before)
{
	switch (spread) {
	case EVEN:
		return below(distinct);
	case ENDS:
		return below(2) * (distinct - 1);
	case MOSTLY_ONE:
		return below(10) == 0 ? below(distinct) : distinct / 2;
	default:
		return below(30) == 0 ? below(distinct) : before;
	}
}

/* So many of the codes, or all but so many. */
static uint8_t *some_wanted(size_t distinct, size_t count, bool is_wanted)
{
	uint8_t *wanted = exactly(distinct, 1);

	memset(wanted, !is_wanted, distinct);
	for (size_t i = 0; i < count; i++)
		wanted[below(distinct)] = is_wanted;
	wanted[distinct - 1] = count > 0 ? is_wanted : wanted[distinct - 1];
	return wanted;
}

/* Counting may begin with any counts. */
static uint32_t *some_counts(size_t distinct)
{
	uint32_t *counts = exactly(distinct, sizeof(*counts));

	for (size_t i = 0; i < distinct; i++)
		counts[i] = (uint32_t)(i * 3);
	return counts;
}

static const size_t wanted_counts[] = { 0, 1, 2, 4, 5, 9, 17, 33, 60, 1000 };

/*
 * Numbers of different codes near which a set changes its ways. The large ones are tried in turn where there
 * are many rows.
 */
#define DISTINCT_u8  1, 2, 3, 4, 5, 8, 9, 10, 16, 17, 18, 25, 33, 34, 100, 255, 256, 300
#define DISTINCT_u16 1, 2, 9, 257, 5000, 65536, 70000
#define DISTINCT_u32 1, 3, 300, 65537, 100000
#define MANY_ROWS    10000 /* of which not everything is tried */

#define WIDTH u8
#define CODE  uint8_t
#include "unit/mirror/kernels_codes.h"
#define WIDTH u16
#define CODE  uint16_t
#include "unit/mirror/kernels_codes.h"
#define WIDTH u32
#define CODE  uint32_t
#include "unit/mirror/kernels_codes.h"

/* Items need the alignment of their type alone. */
static void test_mirror_kernels__arrays_may_begin_anywhere(void **state)
{
	enum { ROWS = 200, SHIFTS = 40, DISTINCT = 20 };

	(void)state;
	for (size_t shift = 0; shift < SHIFTS; shift++) {
		auto_free uint8_t *u8 = codes_u8(EVEN, ROWS + shift, DISTINCT);
		auto_free uint16_t *u16 = codes_u16(EVEN, ROWS + shift, DISTINCT);
		auto_free uint32_t *u32 = codes_u32(EVEN, ROWS + shift, DISTINCT);
		auto_free uint8_t *wanted = some_wanted(DISTINCT + shift, DISTINCT / 2, true);
		auto_free uint64_t *mask = some_rows(HALF, ROWS);
		check_match_u8(u8 + shift, ROWS, wanted + shift, DISTINCT);
		check_match_u16(u16 + shift, ROWS, wanted + shift, DISTINCT);
		check_match_u32(u32 + shift, ROWS, wanted + shift, DISTINCT);
		check_tally_u8(u8 + shift, ROWS, mask, DISTINCT);
		check_tally_u16(u16 + shift, ROWS, mask, DISTINCT);
		check_tally_u32(u32 + shift, ROWS, mask, DISTINCT);
	}
}

/* ---- runs ------------------------------------------------------------------------------------ */

static void check_runs(size_t rows, const struct mirror_run *runs, size_t count, size_t distinct)
{
	auto_free uint8_t *wanted = some_wanted(distinct, distinct / 2, true);
	auto_free uint64_t *mask = some_rows((enum shape)below(SHAPES), rows);
	auto_free uint64_t *meant = no_rows(rows);
	auto_free uint32_t *counts = pl_alloc_array(distinct, sizeof(*counts));

	for (size_t row = 0, i = 0; row < rows; row++) {
		i += runs[i].end == row;
		put(meant, row, wanted[runs[i].code]);
		counts[runs[i].code] += has(mask, row);
	}
	EACH_SET(set)
	{
		auto_free uint64_t *found = answer(rows);
		auto_free uint32_t *seen = pl_alloc_array(distinct, sizeof(*seen));
		auto_free uint32_t *ranks = exactly(mirror_bitmap_words(rows) + 1, sizeof(*ranks));
		set->rank(mask, mirror_bitmap_words(rows), ranks);
		set->match_runs(runs, count, wanted, found);
		check_rows(set, "match_runs", found, meant, rows);
		set->tally_runs(runs, count, mask, ranks, seen);
		check_counts(set, "tally_runs", rows, seen, counts, distinct);
	}
}

static void test_mirror_kernels__runs_are_matched_and_counted(void **state)
{
	static const size_t longest[] = { 1, 3, 70, 300, 100000 };

	(void)state;
	EACH_LENGTH(rows)
	{
		for (size_t i = 0; i < PL_ARRAY_SIZE(longest); i++) {
			auto_free struct mirror_run *runs = NULL;
			size_t count = 0, room = 0, distinct = 1 + below(300);
			for (size_t end = 0; end < rows;) {
				end += 1 + below(longest[i]);
				end = end < rows ? end : rows;
				*PL_PUSH(runs, count,
					 room) = (struct mirror_run){ (uint32_t)end,
								      (uint32_t)below(distinct) };
			}
			/* no item after the last */
			runs = count == 0 ? runs : pl_realloc_array(runs, count, sizeof(*runs));
			check_runs(rows, runs, count, distinct);
		}
	}
}

/* ---- numbers --------------------------------------------------------------------------------- */

static const double odd_numbers[] = { 0.0, -0.0, INFINITY, -INFINITY, 5e-324,    -5e-324,
				      1.0, -1.0, 1e308,    -1e308,    1.0000001, 65536.0 };

static double some_number(void)
{
	return below(4) == 0 ? odd_numbers[below(PL_ARRAY_SIZE(odd_numbers))]
			     : ((double)below(2000001) - 1e6) / 997;
}

static double *some_numbers(size_t rows, double (*draw)(void))
{
	double *numbers = exactly(rows, sizeof(*numbers));

	for (size_t i = 0; i < rows; i++)
		numbers[i] = draw();
	return numbers;
}

static double number_or_none(void)
{
	return below(20) == 0 ? (double)NAN : some_number();
}

static void test_mirror_kernels__numbers_are_matched(void **state)
{
	(void)state;
	EACH_LENGTH(rows)
	{
		auto_free double *numbers = some_numbers(rows, number_or_none);
		for (size_t i = 0; i < 12; i++) {
			auto_free uint64_t *meant = no_rows(rows);
			double low = i == 0 ? -INFINITY : i == 1 ? 0.0 : some_number();
			double high = i == 0 ? INFINITY : i == 1 ? -0.0 : some_number();
			for (size_t row = 0; row < rows; row++)
				put(meant, row, numbers[row] >= low && numbers[row] <= high);
			EACH_SET(set)
			{
				auto_free uint64_t *found = answer(rows);
				set->match_f64(numbers, rows, low, high, found);
				check_rows(set, "match_f64", found, meant, rows);
			}
		}
	}
}

static void check_gathered(const double *numbers, size_t rows, const uint64_t *mask)
{
	auto_free double *meant = pl_alloc_array(rows, sizeof(*meant));
	size_t count = 0, room = 0;

	for (size_t row = 0; row < rows; row++) {
		room += has(mask, row);
		if (has(mask, row) && !isnan(numbers[row]))
			meant[count++] = numbers[row];
	}
	EACH_SET(set)
	{
		auto_free double *found = exactly(room + MIRROR_GATHER_MORE, sizeof(*found));
		check_number(set, "gather_f64's count", rows,
			     set->gather_f64(numbers, rows, mask, found), count);
		if (memcmp(found, meant, count * sizeof(*meant)) != 0)
			fail_msg("gather_f64 of %s, %zu rows: other numbers", set->name, rows);
	}
}

static void test_mirror_kernels__numbers_are_gathered(void **state)
{
	(void)state;
	EACH_LENGTH(rows)
	{
		auto_free double *numbers = some_numbers(rows, number_or_none);
		for (enum shape shape = 0; shape < SHAPES; shape++) {
			auto_free uint64_t *mask = some_rows(shape, rows);
			check_gathered(numbers, rows, mask);
		}
	}
}

static double finite_number(void)
{
	return 1e6 + ((double)below(2000001) - 1e6) / 997;
}

/* As kernels.h says it. */
static struct mirror_sums sums_of(const double *numbers, size_t rows, const uint64_t *mask,
				  double center)
{
	struct mirror_sums sums = MIRROR_SUMS_NONE;
	double sum[SUMS_LANES] = { 0 }, squares[SUMS_LANES] = { 0 };

	for (size_t first = 0; first < rows; first += MIRROR_WORD_ROWS) {
		double word_sum[SUMS_LANES] = { 0 }, word_squares[SUMS_LANES] = { 0 };
		for (size_t row = first; row < rows && row < first + MIRROR_WORD_ROWS; row++) {
			double above = numbers[row] - center;
			if (!has(mask, row))
				continue;
			sums.count++;
			sums.min = numbers[row] < sums.min ? numbers[row] : sums.min;
			sums.max = numbers[row] > sums.max ? numbers[row] : sums.max;
			word_sum[row % SUMS_LANES] += above;
			word_squares[row % SUMS_LANES] += above * above;
		}
		for (size_t i = 0; i < SUMS_LANES; i++) {
			sum[i] += word_sum[i];
			squares[i] += word_squares[i];
		}
	}
	sums.sum = (sum[0] + sum[1]) + (sum[2] + sum[3]);
	sums.squares = (squares[0] + squares[1]) + (squares[2] + squares[3]);
	sums.min += 0.0;
	sums.max += 0.0;
	return sums;
}

/* To the last bit; one NaN is as good as another. */
static void check_f64(const struct mirror_kernels *set, const char *what, size_t rows, double found,
		      double wanted)
{
	if (memcmp(&found, &wanted, sizeof(found)) != 0 && !(isnan(found) && isnan(wanted)))
		fail_msg("%s of %s, %zu rows: %a, not %a", what, set->name, rows, found, wanted);
}

static void check_sums(const double *numbers, size_t rows, const uint64_t *mask, double center)
{
	struct mirror_sums meant = sums_of(numbers, rows, mask, center);

	EACH_SET(set)
	{
		struct mirror_sums sums = MIRROR_SUMS_NONE;
		set->sum_f64(numbers, rows, mask, center, &sums);
		check_number(set, "sum_f64's count", rows, sums.count, meant.count);
		check_f64(set, "sum_f64's sum", rows, sums.sum, meant.sum);
		check_f64(set, "sum_f64's squares", rows, sums.squares, meant.squares);
		check_f64(set, "sum_f64's min", rows, sums.min, meant.min);
		check_f64(set, "sum_f64's max", rows, sums.max, meant.max);
	}
}

static void test_mirror_kernels__sums_are_alike_to_the_last_bit(void **state)
{
	(void)state;
	EACH_LENGTH(rows)
	{
		auto_free double *odd = some_numbers(rows, some_number);
		auto_free double *finite = some_numbers(rows, finite_number);
		for (int shape = 0; shape < SHAPES; shape++) {
			auto_free uint64_t *mask = some_rows((enum shape)shape, rows);
			check_sums(odd, rows, mask, 0);
			check_sums(finite, rows, mask, 0);
			check_sums(finite, rows, mask, finite_number());
			/* the number of a row outside the mask has no effect */
			for (size_t row = 0; row < rows; row++)
				finite[row] = has(mask, row) ? finite[row] : (double)NAN;
			check_sums(finite, rows, mask, 1e6);
			for (size_t row = 0; row < rows; row++)
				finite[row] = finite_number();
		}
	}
}

static void test_mirror_kernels__sums_of_segments_add_up(void **state)
{
	static const double numbers[] = { -0.0, 3, 4, 5, -0.0 };
	const uint64_t first = 0x0f, none = 0, last = 0x10;

	(void)state;
	EACH_SET(set)
	{
		struct mirror_sums sums = MIRROR_SUMS_NONE;
		set->sum_f64(numbers, 5, &none, 2, &sums);
		assert_int_equal(sums.count, 0);
		check_f64(set, "the least of none", 5, sums.min, INFINITY);
		check_f64(set, "the greatest of none", 5, sums.max, -INFINITY);
		set->sum_f64(numbers, 5, &last, 2, &sums);
		check_f64(set, "min", 5, sums.min, 0);
		check_f64(set, "max", 5, sums.max, 0);
		set->sum_f64(numbers, 5, &first, 2, &sums);
		assert_int_equal(sums.count, 5);
		check_f64(set, "sum", 5, sums.sum, 2);
		check_f64(set, "squares", 5, sums.squares, 22);
		check_f64(set, "min", 5, sums.min, 0);
		check_f64(set, "max", 5, sums.max, 5);
	}
}

static int setup(void **state)
{
	(void)state;
	pl_pcg64_seed(&rng, 17);
	return 0;
}

#define SEEDED(test) cmocka_unit_test_setup(test, setup)

int main(void)
{
	const struct CMUnitTest tests[] = {
		SEEDED(test_mirror_kernels__the_fastest_set_is_one_of_those_by_name),
		SEEDED(test_mirror_kernels__bitmaps_are_counted_and_combined),
		SEEDED(test_mirror_kernels__rows_of_a_bitmap_are_listed_and_ranked),
		SEEDED(test_mirror_kernels__codes_are_matched_u8),
		SEEDED(test_mirror_kernels__codes_are_matched_u16),
		SEEDED(test_mirror_kernels__codes_are_matched_u32),
		SEEDED(test_mirror_kernels__codes_are_counted_u8),
		SEEDED(test_mirror_kernels__codes_are_counted_u16),
		SEEDED(test_mirror_kernels__codes_are_counted_u32),
		SEEDED(test_mirror_kernels__arrays_may_begin_anywhere),
		SEEDED(test_mirror_kernels__runs_are_matched_and_counted),
		SEEDED(test_mirror_kernels__numbers_are_gathered),
		SEEDED(test_mirror_kernels__numbers_are_matched),
		SEEDED(test_mirror_kernels__sums_are_alike_to_the_last_bit),
		SEEDED(test_mirror_kernels__sums_of_segments_add_up),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
