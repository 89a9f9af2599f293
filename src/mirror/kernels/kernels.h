/*
 * The inner loops of every query, each over the rows of one segment.
 * - A segment has at most MIRROR_SEGMENT_ROWS rows. In its bitmap, row i is bit i % 64 of word i / 64. A bitmap has
 *   mirror_bitmap_words(rows) words, and bits at and after `rows` are 0, in arguments and in results.
 * - Codes have 1, 2 or 4 bytes and are < distinct, the number of values in the dictionary. `distinct` may exceed the
 *   range of the width, because rows keep the width they were written with. A table by code has `distinct` items.
 * - No function reads or writes outside the given arrays. Items need only the alignment of their type. An output
 *   overlaps no input, except that the result of `and`, `or` and `and_not` may be one of the operands. Any length may
 *   be 0.
 * - The functions keep no state, allocate nothing and cannot fail. Any number of threads may call them.
 * There are several sets of the same functions, with bit-identical results: "plain" for any processor, "sse2" and
 * "avx2" for x86-64.
 */
#pragma once

#include <math.h>
#include <stddef.h>
#include <stdint.h>

#define MIRROR_SEGMENT_ROWS 65536u
#define MIRROR_WORD_ROWS    64u /* per word of a bitmap */
#define MIRROR_GATHER_MORE  4

static inline size_t mirror_bitmap_words(size_t rows)
{
	return (rows + MIRROR_WORD_ROWS - 1) / MIRROR_WORD_ROWS;
}

/* Consecutive rows with the same code: from the end of the previous run, or 0, to `end`. */
struct mirror_run {
	uint32_t end; /* greater than that of the run before */
	uint32_t code;
};

/*
 * Sums over the numbers of some rows. With a center near the mean, no precision is lost in the difference of large
 * numbers:
 * mean = center + sum / count, variance = (squares - sum * sum / count) / (count - 1).
 */
struct mirror_sums {
	size_t count;
	double sum;     /* of number - center */
	double squares; /* of (number - center) squared */
	double min;     /* never -0 */
	double max;     /* never -0 */
};

/* The sums of no rows. */
#define MIRROR_SUMS_NONE ((struct mirror_sums){ .min = INFINITY, .max = -INFINITY })

struct mirror_kernels {
	const char *name;

	/* ---- bitmaps of `words` words ---- */

	size_t (*count)(const uint64_t *a, size_t words);
	size_t (*count_and)(const uint64_t *a, const uint64_t *b, size_t words); /* a & b */
	void (*and)(uint64_t *ret, const uint64_t *a, const uint64_t *b, size_t words);
	void (* or)(uint64_t *ret, const uint64_t *a, const uint64_t *b, size_t words);
	void (*and_not)(uint64_t *ret, const uint64_t *a, const uint64_t *b,
			size_t words); /* a & ~b */

	/* Lists the rows of a bitmap in ascending order and returns their number. ret_list has room for all of them. */
	size_t (*list)(const uint64_t *a, size_t words, uint16_t *ret_list);

	/* ret_ranks[i]: number of rows before word i. It has words + 1 items; the last one is the total. */
	void (*rank)(const uint64_t *a, size_t words, uint32_t *ret_ranks);
	/* Returns the number of rows from <= row < to in the bitmap, given its ranks. */
	size_t (*count_range)(const uint64_t *a, const uint32_t *ranks, size_t from, size_t to);

	/*
	 * ---- codes ----
	 * match: the rows with a wanted code (wanted[code] is 0 or 1).
	 * tally: adds to counts[code] the number of rows in the mask that have the code.
	 * gather: the same for a list of rows. Use it for few rows: above about 1 of 16, tally is faster.
	 * tally_listed: the same if only some rows have codes: codes[i] is that of row list[i].
	 */
	void (*match_u8)(const uint8_t *codes, size_t rows, const uint8_t *wanted, size_t distinct,
			 uint64_t *ret_rows);
	void (*match_u16)(const uint16_t *codes, size_t rows, const uint8_t *wanted,
			  size_t distinct, uint64_t *ret_rows);
	void (*match_u32)(const uint32_t *codes, size_t rows, const uint8_t *wanted,
			  size_t distinct, uint64_t *ret_rows);

	void (*tally_u8)(const uint8_t *codes, size_t rows, const uint64_t *mask, uint32_t *counts,
			 size_t distinct);
	void (*tally_u16)(const uint16_t *codes, size_t rows, const uint64_t *mask,
			  uint32_t *counts, size_t distinct);
	void (*tally_u32)(const uint32_t *codes, size_t rows, const uint64_t *mask,
			  uint32_t *counts, size_t distinct);

	void (*gather_u8)(const uint8_t *codes, const uint16_t *list, size_t count,
			  uint32_t *counts);
	void (*gather_u16)(const uint16_t *codes, const uint16_t *list, size_t count,
			   uint32_t *counts);
	void (*gather_u32)(const uint32_t *codes, const uint16_t *list, size_t count,
			   uint32_t *counts);

	void (*tally_listed_u8)(const uint8_t *codes, const uint16_t *list, size_t count,
				const uint64_t *mask, uint32_t *counts);
	void (*tally_listed_u16)(const uint16_t *codes, const uint16_t *list, size_t count,
				 const uint64_t *mask, uint32_t *counts);
	void (*tally_listed_u32)(const uint32_t *codes, const uint16_t *list, size_t count,
				 const uint64_t *mask, uint32_t *counts);

	/* ---- codes in runs: the last run ends at the last row; `ranks` are those of the mask, as above ---- */

	void (*match_runs)(const struct mirror_run *runs, size_t count, const uint8_t *wanted,
			   uint64_t *ret_rows);
	void (*tally_runs)(const struct mirror_run *runs, size_t count, const uint64_t *mask,
			   const uint32_t *ranks, uint32_t *counts);

	/* ---- numbers ---- */

	/* Returns the rows with low <= number <= high. NaN is in no range; -0 equals 0. */
	void (*match_f64)(const double *numbers, size_t rows, double low, double high,
			  uint64_t *ret_rows);
	/*
	 * Copies the numbers of the mask's rows without NaNs, and returns how many there are. ret_numbers has room for
	 * all rows of the mask and MIRROR_GATHER_MORE further items, which may be overwritten.
	 */
	size_t (*gather_f64)(const double *numbers, size_t rows, const uint64_t *mask,
			     double *ret_numbers);
	/*
	 * Adds the rows of the mask to *sums. Their numbers are not NaN (others may be), and center is finite. The
	 * result does not depend on the set: row i is added to lane i % 4, from low to high rows within a word of the
	 * mask, then word by word. *sums grows by (lane 0 + lane 1) + (lane 2 + lane 3).
	 */
	void (*sum_f64)(const double *numbers, size_t rows, const uint64_t *mask, double center,
			struct mirror_sums *sums);
};

/* Returns the fastest set for this processor; always the same one. */
const struct mirror_kernels *mirror_kernels(void);
/* Returns a set by its name; NULL: there is no such set, or this processor does not support it. */
const struct mirror_kernels *mirror_kernels_of(const char *name);
