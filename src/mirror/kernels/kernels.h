/*
 * What is done to the rows of one segment at a time: the inner loops of every query.
 *
 * - A segment has at most MIRROR_SEGMENT_ROWS rows. A bitmap of it has row i as bit i % 64 of word i / 64,
 *   mirror_bitmap_words(rows) words in all; bits at and beyond `rows` are 0, in those that are given and in
 *   those that come back.
 * - Codes have 1, 2 or 4 bytes; every one is below `distinct`, the number of values in the dictionary, which
 *   may be more than the width can tell apart: rows of a time when it was smaller keep their codes. A table by
 *   code has `distinct` items.
 * - What is read or written of an array is what it holds, no byte beyond. Its items need the alignment of
 *   their type alone. What is written overlaps nothing that is read, but for `and`, `or` and `and_not`,
 *   whose result may be an operand, too. Any length may be 0.
 * - Nothing is kept or allocated, nothing can fail; any number of threads may call at once.
 *
 * There are several sets of the same functions, whose results are alike to the last bit: "plain" for any
 * processor, "sse2" and "avx2" for x86-64.
 */
#pragma once

#include <math.h>
#include <stddef.h>
#include <stdint.h>

#define MIRROR_SEGMENT_ROWS 65536u
#define MIRROR_WORD_ROWS    64u /* of a word of a bitmap */
#define MIRROR_GATHER_MORE  4

static inline size_t mirror_bitmap_words(size_t rows)
{
	return (rows + MIRROR_WORD_ROWS - 1) / MIRROR_WORD_ROWS;
}

/* Rows that lie one behind the other and have one code: from the end of the run before, or 0, to `end`. */
struct mirror_run {
	uint32_t end; /* greater than that of the run before */
	uint32_t code;
};

/*
 * Numbers of some rows. With the mean near the center, nothing is lost by taking one large number from another:
 * mean = center + sum / count, variance = (squares - sum * sum / count) / (count - 1).
 */
struct mirror_sums {
	size_t count;
	double sum;     /* of number - center */
	double squares; /* of (number - center) squared */
	double min;     /* never -0 */
	double max;     /* never -0 */
};

/* Of no row. */
#define MIRROR_SUMS_NONE ((struct mirror_sums){ .min = INFINITY, .max = -INFINITY })

struct mirror_kernels {
	const char *name;

	/* ---- bitmaps, of `words` words ---- */

	size_t (*count)(const uint64_t *a, size_t words);
	size_t (*count_and)(const uint64_t *a, const uint64_t *b, size_t words); /* a & b */
	void (*and)(uint64_t *ret, const uint64_t *a, const uint64_t *b, size_t words);
	void (* or)(uint64_t *ret, const uint64_t *a, const uint64_t *b, size_t words);
	void (*and_not)(uint64_t *ret, const uint64_t *a, const uint64_t *b,
			size_t words); /* a & ~b */

	/* The rows of a bitmap, rising; ret_list has room for all of them. How many they are. */
	size_t (*list)(const uint64_t *a, size_t words, uint16_t *ret_list);

	/* ret_ranks[i]: rows in front of word i; words + 1 items, the last one counts all. */
	void (*rank)(const uint64_t *a, size_t words, uint32_t *ret_ranks);
	/* How many of the rows from <= row < to are in the bitmap, by its ranks. */
	size_t (*count_range)(const uint64_t *a, const uint32_t *ranks, size_t from, size_t to);

	/*
	 * ---- codes ----
	 *
	 * match: the rows whose code is wanted (wanted[code]: 0 or 1).
	 * tally: counts[code] grows by the rows of the mask that have it.
	 * gather: the same for rows of a list, where they are few (below some 1 of 16, tally reads all).
	 * tally_listed: the same where codes stand for few rows only: codes[i] is that of row list[i].
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

	/* ---- codes in runs, the last of which ends with the last row; `ranks` of the mask as above ---- */

	void (*match_runs)(const struct mirror_run *runs, size_t count, const uint8_t *wanted,
			   uint64_t *ret_rows);
	void (*tally_runs)(const struct mirror_run *runs, size_t count, const uint64_t *mask,
			   const uint32_t *ranks, uint32_t *counts);

	/* ---- numbers ---- */

	/* The rows with low <= number <= high. A NaN is in no range; -0 is 0. */
	void (*match_f64)(const double *numbers, size_t rows, double low, double high,
			  uint64_t *ret_rows);
	/*
	 * The numbers of the mask's rows, one behind the other; a NaN is left out. ret_numbers has room for all rows
	 * of the mask and MIRROR_GATHER_MORE items behind them, which may be written. How many they are.
	 */
	size_t (*gather_f64)(const double *numbers, size_t rows, const uint64_t *mask,
			     double *ret_numbers);
	/*
	 * Adds the rows of the mask to *sums; none of them is a NaN (other rows may be), center is finite.
	 * Sums do not depend on the set: four lanes, row i in lane i % 4, each the sum of its sums over the
	 * words of the mask, all from the low rows to the high ones; (lane 0 + lane 1) + (lane 2 + lane 3) is
	 * what *sums grows by.
	 */
	void (*sum_f64)(const double *numbers, size_t rows, const uint64_t *mask, double center,
			struct mirror_sums *sums);
};

/* The fastest set that this processor has. Always the same one. */
const struct mirror_kernels *mirror_kernels(void);
/* By its name; NULL: there is no such set, or this processor has not what it takes. */
const struct mirror_kernels *mirror_kernels_of(const char *name);
