/* The reference implementation of the kernels, for any processor. */
#include "mirror/kernels/kernels_priv.h"
#include "mirror/kernels/scalar_priv.h"

static void and_words(uint64_t *ret, const uint64_t *a, const uint64_t *b, size_t words)
{
	for (size_t i = 0; i < words; i++)
		ret[i] = a[i] & b[i];
}

static void or_words(uint64_t *ret, const uint64_t *a, const uint64_t *b, size_t words)
{
	for (size_t i = 0; i < words; i++)
		ret[i] = a[i] | b[i];
}

static void and_not_words(uint64_t *ret, const uint64_t *a, const uint64_t *b, size_t words)
{
	for (size_t i = 0; i < words; i++)
		ret[i] = a[i] & ~b[i];
}

static size_t count(const uint64_t *a, size_t words)
{
	size_t rows = 0;

	for (size_t i = 0; i < words; i++)
		rows += count_bits(a[i]);
	return rows;
}

static size_t count_and(const uint64_t *a, const uint64_t *b, size_t words)
{
	size_t rows = 0;

	for (size_t i = 0; i < words; i++)
		rows += count_bits(a[i] & b[i]);
	return rows;
}

#define PLAIN_CODES(width, type)                                                         \
	static void match_##width(const type *codes, size_t rows, const uint8_t *wanted, \
				  size_t distinct, uint64_t *ret_rows)                   \
	{                                                                                \
		(void)distinct;                                                          \
		match_each_##width(codes, rows, wanted, ret_rows);                       \
	}                                                                                \
                                                                                         \
	static void tally_##width(const type *codes, size_t rows, const uint64_t *mask,  \
				  uint32_t *counts, size_t distinct)                     \
	{                                                                                \
		(void)distinct;                                                          \
		tally_each_##width(codes, rows, mask, counts);                           \
	}

PLAIN_CODES(u8, uint8_t)
PLAIN_CODES(u16, uint16_t)
PLAIN_CODES(u32, uint32_t)

static void match_f64(const double *numbers, size_t rows, double low, double high,
		      uint64_t *ret_rows)
{
	for (size_t first = 0; first < rows; first += MIRROR_WORD_ROWS) {
		uint64_t bits = 0;
		for (size_t i = 0; i < rows_of_word(rows, first); i++) {
			double number = numbers[first + i];
			bits |= (uint64_t)((number >= low) & (number <= high)) << i;
		}
		ret_rows[first / MIRROR_WORD_ROWS] = bits;
	}
}

static size_t gather_f64(const double *numbers, size_t rows, const uint64_t *mask,
			 double *ret_numbers)
{
	return gather_each_f64(numbers, rows, mask, ret_numbers);
}

/* The rows of one word. */
static void sum_word(const double *numbers, uint64_t mask, double center, double *sum,
		     double *squares, struct mirror_sums *ends)
{
	double word_sum[LANES] = { 0 }, word_squares[LANES] = { 0 };

	for (; mask != 0; mask &= mask - 1) {
		unsigned row = lowest_bit(mask);
		double number = numbers[row], above = number - center;
		word_sum[row % LANES] += above;
		word_squares[row % LANES] += above * above;
		ends->min = number < ends->min ? number : ends->min;
		ends->max = number > ends->max ? number : ends->max;
	}
	for (size_t i = 0; i < LANES; i++) {
		sum[i] += word_sum[i];
		squares[i] += word_squares[i];
	}
}

static void sum_f64(const double *numbers, size_t rows, const uint64_t *mask, double center,
		    struct mirror_sums *sums)
{
	double sum[LANES] = { 0 }, squares[LANES] = { 0 };
	size_t words = mirror_bitmap_words(rows);

	for (size_t i = 0; i < words; i++)
		sum_word(numbers + i * MIRROR_WORD_ROWS, mask[i], center, sum, squares, sums);
	add_sums(sums, count(mask, words), sum, squares);
}

const struct mirror_kernels mirror_kernels_plain = MIRROR_KERNELS_SET("plain");
