/* Loops over single bits or rows. There is one version of each; every set compiles it for its processor. */
#pragma once

#include <stdbool.h>
#include <string.h>

#include "mirror/kernels/kernels.h"

/* x86-64 has had an instruction for this since 2008, but the baseline lacks it. */
static inline unsigned count_bits(uint64_t word)
{
#if defined(__x86_64__) && !defined(__POPCNT__)
	word -= word >> 1 & 0x5555555555555555u;
	word = (word & 0x3333333333333333u) + (word >> 2 & 0x3333333333333333u);
	word = (word + (word >> 4)) & 0x0f0f0f0f0f0f0f0fu;
	return (unsigned)(word * 0x0101010101010101u >> 56);
#else
	return (unsigned)__builtin_popcountll(word);
#endif
}

static inline unsigned lowest_bit(uint64_t word)
{
	return (unsigned)__builtin_ctzll(word);
}

/* The lowest `count` bits, 1 to 64. */
static inline uint64_t low_bits(size_t count)
{
	return UINT64_MAX >> (MIRROR_WORD_ROWS - count);
}

/* Returns the number of rows in one word, of the rows from `first` on. */
static inline size_t rows_of_word(size_t rows, size_t first)
{
	return rows - first < MIRROR_WORD_ROWS ? rows - first : MIRROR_WORD_ROWS;
}

/* ---- bitmaps --------------------------------------------------------------------------------- */

static inline size_t list(const uint64_t *a, size_t words, uint16_t *ret_list)
{
	size_t count = 0;

	for (size_t i = 0; i < words; i++) {
		for (uint64_t bits = a[i]; bits != 0; bits &= bits - 1)
			ret_list[count++] = (uint16_t)(i * MIRROR_WORD_ROWS + lowest_bit(bits));
	}
	return count;
}

static inline void rank(const uint64_t *a, size_t words, uint32_t *ret_ranks)
{
	uint32_t before = 0;

	for (size_t i = 0; i < words; i++) {
		ret_ranks[i] = before;
		before += count_bits(a[i]);
	}
	ret_ranks[words] = before;
}

/* Counts the rows of the bitmap below `end`, which is not 0. The word after the last may not exist. */
static inline uint32_t count_below(const uint64_t *a, const uint32_t *ranks, size_t end)
{
	size_t last = end - 1;

	return ranks[last / MIRROR_WORD_ROWS] +
	       count_bits(a[last / MIRROR_WORD_ROWS] & low_bits(last % MIRROR_WORD_ROWS + 1));
}

static inline size_t count_range(const uint64_t *a, const uint32_t *ranks, size_t from, size_t to)
{
	if (from >= to)
		return 0;
	return count_below(a, ranks, to) - (from == 0 ? 0 : count_below(a, ranks, from));
}

/* ---- runs ------------------------------------------------------------------------------------ */

static inline void fill(uint64_t *rows, size_t from, size_t to)
{
	size_t first = from / MIRROR_WORD_ROWS, last = (to - 1) / MIRROR_WORD_ROWS;
	uint64_t tail = low_bits((to - 1) % MIRROR_WORD_ROWS + 1);

	for (size_t i = first; i <= last; i++)
		rows[i] |= (i == last ? tail : UINT64_MAX) &
			   (i == first ? UINT64_MAX << from % MIRROR_WORD_ROWS : UINT64_MAX);
}

static inline void match_runs(const struct mirror_run *runs, size_t count, const uint8_t *wanted,
			      uint64_t *ret_rows)
{
	size_t rows = count == 0 ? 0 : runs[count - 1].end;

	for (size_t i = 0; i < mirror_bitmap_words(rows); i++)
		ret_rows[i] = 0;
	for (size_t i = 0; i < count; i++) {
		if (wanted[runs[i].code])
			fill(ret_rows, i == 0 ? 0 : runs[i - 1].end, runs[i].end);
	}
}

static inline void tally_runs(const struct mirror_run *runs, size_t count, const uint64_t *mask,
			      const uint32_t *ranks, uint32_t *counts)
{
	uint32_t before = 0;

	for (size_t i = 0; i < count; i++) {
		uint32_t below = count_below(mask, ranks, runs[i].end);
		counts[runs[i].code] += below - before;
		before = below;
	}
}

/* ---- codes ----------------------------------------------------------------------------------- */

/* Names with the width of the codes as suffix, from the current value of CODE_BITS. */
#define WIDTH_PASTE_(name, bits) name##_u##bits
#define WIDTH_PASTE(name, bits)  WIDTH_PASTE_(name, bits)
#define CODE_TYPE_(bits)         uint##bits##_t
#define CODE_TYPE(bits)          CODE_TYPE_(bits)
#define OF_WIDTH(name)           WIDTH_PASTE(name, CODE_BITS)
#define CODE                     CODE_TYPE(CODE_BITS)

#define CODE_BITS 8
#include "mirror/kernels/scalar_codes_priv.h"
#define CODE_BITS 16
#include "mirror/kernels/scalar_codes_priv.h"
#define CODE_BITS 32
#include "mirror/kernels/scalar_codes_priv.h"

/* ---- numbers --------------------------------------------------------------------------------- */

/* The rows of one word. */
static inline size_t gather_word_f64(const double *numbers, uint64_t mask, double *ret_numbers)
{
	size_t count = 0;

	for (; mask != 0; mask &= mask - 1) {
		double number = numbers[lowest_bit(mask)];
		ret_numbers[count] = number;
		/* a NaN is overwritten by the next number */
		count += !isnan(number);
	}
	return count;
}

static inline size_t gather_each_f64(const double *numbers, size_t rows, const uint64_t *mask,
				     double *ret_numbers)
{
	size_t count = 0;

	for (size_t i = 0; i < mirror_bitmap_words(rows); i++)
		count += gather_word_f64(numbers + i * MIRROR_WORD_ROWS, mask[i],
					 ret_numbers + count);
	return count;
}

#define LANES 4 /* of sum_f64 */

/* Adds up the lanes. */
static inline void add_sums(struct mirror_sums *sums, size_t count, const double *sum,
			    const double *squares)
{
	sums->count += count;
	sums->sum += (sum[0] + sum[1]) + (sum[2] + sum[3]);
	sums->squares += (squares[0] + squares[1]) + (squares[2] + squares[3]);
	/* -0 + 0 is 0 */
	sums->min += 0.0;
	sums->max += 0.0;
}
