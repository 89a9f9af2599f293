/*
 * The kernels for vectors of any size. They use vector_priv.h and these operations, which the set defines:
 *
 *	top_bits_u8, top_bits_f64      the top bit of each item, as a number
 *	narrow_u16, narrow_u32         items that are 0 or all ones at half their size, those of `low` first
 *	spread_u8                      the lowest bits, each as a byte of 0 or all ones
 *	sum_bytes                      the sum of each eight bytes
 *	count_bits_u8                  the number of 1 bits in each byte
 *	least, greatest                of each pair of numbers; b if they are equal
 *	HAS_COMPRESS, compress_f64     if an instruction moves the numbers of some lanes to the front
 *	HAS_BYTE_SET, byte_set_of,     if testing whether bytes are in a set
 *	byte_set_has                   is faster than many comparisons
 *
 * Rows are processed 64 at a time, one word of a bitmap. An incomplete last word is copied, and the results for the
 * missing rows are discarded.
 */
#pragma once

#ifdef VECTOR_BYTES
#include <limits.h>
#include <stdbool.h>
#include <string.h>

#include "mirror/kernels/scalar_priv.h"
#include "mirror/kernels/vector_priv.h"

/* Returns the items of one word's rows. An incomplete word is copied to `last`, which has room for a full one. */
static inline const void *whole_word(const void *items, size_t rows, size_t size, void *last)
{
	if (rows == MIRROR_WORD_ROWS)
		return items;
	memset(last, 0, MIRROR_WORD_ROWS * size);
	return memcpy(last, items, rows * size);
}

/* ---- bitmaps --------------------------------------------------------------------------------- */

#define COMBINE(name, combined)                                                               \
	static void name(uint64_t *ret, const uint64_t *a, const uint64_t *b, size_t words)   \
	{                                                                                     \
		size_t i = 0;                                                                 \
                                                                                              \
		for (; i + LANES_OF(uint64_t) <= words; i += LANES_OF(uint64_t)) {            \
			vector_u64 x = load_u64(a + i), y = load_u64(b + i), both = combined; \
			memcpy(ret + i, &both, sizeof(both));                                 \
		}                                                                             \
		for (; i < words; i++) {                                                      \
			uint64_t x = a[i], y = b[i];                                          \
			ret[i] = combined;                                                    \
		}                                                                             \
	}

COMBINE(and_words, (x) & (y))
COMBINE(or_words, (x) | (y))
COMBINE(and_not_words, (x) & ~(y))

#define ROUND 8 /* vectors */

/* Bitwise sum: *low + x + y equals the new *low plus twice the returned value. */
static inline vector_u64 add_bits(vector_u64 *low, vector_u64 x, vector_u64 y)
{
	vector_u64 half = *low ^ x, carry = (*low & x) | (half & y);

	*low = half ^ y;
	return carry;
}

static inline vector_u64 load_and(const uint64_t *a, const uint64_t *b, size_t vector)
{
	return load_u64(a + vector * LANES_OF(uint64_t)) &
	       load_u64(b + vector * LANES_OF(uint64_t));
}

/*
 * Harley-Seal: the bits of eight vectors are added in carry-save form, and each round counts only the carry of weight
 * eight.
 */
static size_t count_and(const uint64_t *a, const uint64_t *b, size_t words)
{
	vector_u64 zero = { 0 }, ones = zero, twos = zero, fours = zero, eights = zero;
	size_t vectors = words / LANES_OF(uint64_t), i = 0;

	for (; i + ROUND <= vectors; i += ROUND) {
		vector_u64 two[4], four[2];
		for (size_t j = 0; j < 4; j++)
			two[j] = add_bits(&ones, load_and(a, b, i + 2 * j),
					  load_and(a, b, i + 2 * j + 1));
		for (size_t j = 0; j < 2; j++)
			four[j] = add_bits(&twos, two[2 * j], two[2 * j + 1]);
		eights += sum_bytes(count_bits_u8(add_bits(&fours, four[0], four[1])));
	}
	size_t rows = 8 * sum_of(eights) + 4 * sum_of(sum_bytes(count_bits_u8(fours))) +
		      2 * sum_of(sum_bytes(count_bits_u8(twos))) +
		      sum_of(sum_bytes(count_bits_u8(ones)));
	for (size_t word = i * LANES_OF(uint64_t); word < words; word++)
		rows += count_bits(a[word] & b[word]);
	return rows;
}

static size_t count(const uint64_t *a, size_t words)
{
	return count_and(a, a, words);
}

/* ---- codes ----------------------------------------------------------------------------------- */

/* Converts the vectors of one word, all ones for each row that counts, to bits. */
static inline uint64_t bits_of_u8(const vector_u8 *rows)
{
	uint64_t bits = 0;

	for (int i = 0; i < VECTORS_OF(uint8_t); i++)
		bits |= top_bits_u8(rows[i]) << i * VECTOR_BYTES;
	return bits;
}

static inline uint64_t bits_of_u16(const vector_u16 *rows)
{
	vector_u8 narrow[VECTORS_OF(uint8_t)];

	for (int i = 0; i < VECTORS_OF(uint8_t); i++)
		narrow[i] = narrow_u16(rows[2 * i], rows[2 * i + 1]);
	return bits_of_u8(narrow);
}

static inline uint64_t bits_of_u32(const vector_u32 *rows)
{
	vector_u16 narrow[VECTORS_OF(uint16_t)];

	for (int i = 0; i < VECTORS_OF(uint16_t); i++)
		narrow[i] = narrow_u32(rows[2 * i], rows[2 * i + 1]);
	return bits_of_u16(narrow);
}

#define FEW_MAX LANES_OF(uint8_t) /* of the narrowest codes */

/* The wanted codes. If all bits of `flip` are set, all other codes are wanted. */
struct few {
	size_t count;
	uint64_t flip;
	uint32_t codes[FEW_MAX];
};

#define ALIKE_MIN 4  /* rows of a word with one code, from which counting them at once is faster */
#define PAUSE_MAX 15 /* words; the pauses before are 0, 1, 3 and 7 */

#define CODE_BITS 8
#include "mirror/kernels/wide_codes_priv.h"
#define CODE_BITS 16
#include "mirror/kernels/wide_codes_priv.h"
#define CODE_BITS 32
#include "mirror/kernels/wide_codes_priv.h"

/* Returns false if more than `max` codes have the flag. Searches the table as if its flags were codes of rows. */
static bool few_with(const uint8_t *wanted, size_t distinct, uint8_t flag, size_t max,
		     struct few *ret)
{
	const vector_u8 flags = (vector_u8){ 0 } + flag;

	*ret = (struct few){ .flip = flag ? 0 : UINT64_MAX };
	for (size_t first = 0; first < distinct; first += MIRROR_WORD_ROWS) {
		uint8_t last[MIRROR_WORD_ROWS];
		size_t count = rows_of_word(distinct, first);
		const uint8_t *word = whole_word(wanted + first, count, sizeof(*word), last);
		uint64_t bits = word_of_any_u8(word, &flags, 1) & low_bits(count);
		for (; bits != 0; bits &= bits - 1) {
			if (ret->count == max)
				return false;
			ret->codes[ret->count++] = (uint32_t)(first + lowest_bit(bits));
		}
	}
	return true;
}

/* Returns false unless few codes, or all but a few, are wanted and they are fewer than the rows. */
static bool few_of(const uint8_t *wanted, size_t distinct, size_t rows, size_t max, struct few *ret)
{
	return distinct <= rows &&
	       (few_with(wanted, distinct, 1, max, ret) || few_with(wanted, distinct, 0, max, ret));
}

#ifdef HAS_BYTE_SET
/* Any set of codes. */
static void match_set_u8(const uint8_t *codes, size_t rows, const uint8_t *wanted, size_t distinct,
			 uint64_t *ret_rows)
{
	struct byte_set set = byte_set_of(wanted, distinct);

	for (size_t first = 0; first < rows; first += MIRROR_WORD_ROWS) {
		uint8_t last[MIRROR_WORD_ROWS];
		size_t count = rows_of_word(rows, first);
		const uint8_t *word = whole_word(codes + first, count, sizeof(*word), last);
		vector_u8 found[VECTORS_OF(uint8_t)];
		for (int i = 0; i < VECTORS_OF(uint8_t); i++)
			found[i] = byte_set_has(&set, load_u8(word + i * VECTOR_BYTES));
		ret_rows[first / MIRROR_WORD_ROWS] = bits_of_u8(found) & low_bits(count);
	}
}
#else
#define BYTES_COMPARED_MAX LANES_OF(uint8_t)

static void match_set_u8(const uint8_t *codes, size_t rows, const uint8_t *wanted, size_t distinct,
			 uint64_t *ret_rows)
{
	(void)distinct;
	match_table_u8(codes, rows, wanted, ret_rows);
}
#endif

/* No code of a width is >= limit, so table entries from there on do not apply to it. */
static inline size_t at_most(size_t distinct, size_t limit)
{
	return distinct < limit ? distinct : limit;
}

static void match_u8(const uint8_t *codes, size_t rows, const uint8_t *wanted, size_t distinct,
		     uint64_t *ret_rows)
{
	struct few few;

	distinct = at_most(distinct, UINT8_MAX + 1);
	if (few_of(wanted, distinct, rows, BYTES_COMPARED_MAX, &few))
		match_any_u8(codes, rows, &few, ret_rows);
	else
		match_set_u8(codes, rows, wanted, distinct, ret_rows);
}

static void match_u16(const uint16_t *codes, size_t rows, const uint8_t *wanted, size_t distinct,
		      uint64_t *ret_rows)
{
	struct few few;

	distinct = at_most(distinct, UINT16_MAX + 1);
	if (few_of(wanted, distinct, rows, LANES_OF(uint16_t), &few))
		match_any_u16(codes, rows, &few, ret_rows);
	else
		match_table_u16(codes, rows, wanted, ret_rows);
}

static void match_u32(const uint32_t *codes, size_t rows, const uint8_t *wanted, size_t distinct,
		      uint64_t *ret_rows)
{
	struct few few;

	if (few_of(wanted, distinct, rows, LANES_OF(uint32_t), &few))
		match_any_u32(codes, rows, &few, ret_rows);
	else
		match_table_u32(codes, rows, wanted, ret_rows);
}

/* ---- counts of a few codes --------------------------------------------------------------------- */

#define AT_ONCE     8                       /* codes */
#define TALLIED_MAX (LANES_OF(uint8_t) + 1) /* more codes than this are counted faster row by row */
#define SPARSE_MAX  2 /* rows per word of the mask, up to which they are counted one by one */
#define WORDS_A_BYTE \
	(UINT8_MAX / VECTORS_OF(uint8_t)) /* words before a counter byte could overflow */

/* Counts `first` and the next `n` - 1 codes. Each has one vector, whose bytes count rows. */
static inline __attribute__((always_inline)) void tally_codes(const uint8_t *codes, size_t rows,
							      const uint64_t *mask, size_t first,
							      size_t n, uint32_t *ret_counts)
{
	size_t words = mirror_bitmap_words(rows);
	vector_u8 wanted[AT_ONCE];
	vector_u64 total[AT_ONCE] = { 0 };

	for (size_t i = 0; i < n; i++)
		wanted[i] = (vector_u8){ 0 } + (uint8_t)(first + i);
	for (size_t from = 0; from < words; from += WORDS_A_BYTE) {
		size_t to = words - from < WORDS_A_BYTE ? words : from + WORDS_A_BYTE;
		vector_u8 seen[AT_ONCE] = { 0 };
		for (size_t at = from; at < to; at++) {
			uint8_t last[MIRROR_WORD_ROWS];
			const uint8_t *word;
			if (mask[at] == 0)
				continue;
			word = whole_word(codes + at * MIRROR_WORD_ROWS,
					  rows_of_word(rows, at * MIRROR_WORD_ROWS), sizeof(*word),
					  last);
			for (int i = 0; i < VECTORS_OF(uint8_t); i++) {
				vector_u8 row = load_u8(word + i * VECTOR_BYTES);
				/* 255 is never a wanted code */
				if (mask[at] != UINT64_MAX)
					row |= ~spread_u8(mask[at] >> i * VECTOR_BYTES);
				for (size_t j = 0; j < n; j++)
					seen[j] -= (vector_u8)(row == wanted[j]);
			}
		}
		for (size_t i = 0; i < n; i++)
			total[i] += sum_bytes(seen[i]);
	}
	for (size_t i = 0; i < n; i++)
		ret_counts[i] = (uint32_t)sum_of(total[i]);
}

/* Counts all codes but the last. The remaining rows have the last one. */
static void tally_few(const uint8_t *codes, size_t rows, const uint64_t *mask, uint32_t *counts,
		      size_t distinct)
{
	size_t words = mirror_bitmap_words(rows), rest = count(mask, words);

	if (rest <= SPARSE_MAX * words) {
		tally_each_u8(codes, rows, mask, counts);
		return;
	}
	for (size_t first = 0; first + 1 < distinct; first += AT_ONCE) {
		uint32_t seen[AT_ONCE];
		size_t left = distinct - 1 - first;
		if (left > 4)
			tally_codes(codes, rows, mask, first, AT_ONCE, seen);
		else if (left > 2)
			tally_codes(codes, rows, mask, first, 4, seen);
		else
			tally_codes(codes, rows, mask, first, 2, seen);
		for (size_t i = 0; i < AT_ONCE && i < left; i++) {
			counts[first + i] += seen[i];
			rest -= seen[i];
		}
	}
	counts[distinct - 1] += (uint32_t)rest;
}

static void tally_u8(const uint8_t *codes, size_t rows, const uint64_t *mask, uint32_t *counts,
		     size_t distinct)
{
	if (distinct == 0)
		return;
	if (distinct <= TALLIED_MAX)
		tally_few(codes, rows, mask, counts, distinct);
	else
		tally_many_u8(codes, rows, mask, counts);
}

static void tally_u16(const uint16_t *codes, size_t rows, const uint64_t *mask, uint32_t *counts,
		      size_t distinct)
{
	(void)distinct;
	tally_many_u16(codes, rows, mask, counts);
}

static void tally_u32(const uint32_t *codes, size_t rows, const uint64_t *mask, uint32_t *counts,
		      size_t distinct)
{
	(void)distinct;
	tally_many_u32(codes, rows, mask, counts);
}

/* ---- numbers --------------------------------------------------------------------------------- */

/* The rows of one word. */
static inline uint64_t word_in_range(const double *numbers, double low, double high)
{
	uint64_t bits = 0;

	for (int first = 0; first < (int)MIRROR_WORD_ROWS; first += CHAR_BIT) {
		uint64_t eight = 0;
		for (int i = 0; i < CHAR_BIT; i += LANES_OF(double)) {
			vector_f64 number = load_f64(numbers + first + i);
			eight |= (top_bits_f64((vector_f64)(number >= low)) &
				  top_bits_f64((vector_f64)(number <= high)))
				 << i;
		}
		bits |= eight << first;
	}
	return bits;
}

static void match_f64(const double *numbers, size_t rows, double low, double high,
		      uint64_t *ret_rows)
{
	for (size_t first = 0; first < rows; first += MIRROR_WORD_ROWS) {
		double last[MIRROR_WORD_ROWS];
		size_t count = rows_of_word(rows, first);
		const double *word = whole_word(numbers + first, count, sizeof(*word), last);
		ret_rows[first / MIRROR_WORD_ROWS] = word_in_range(word, low, high) &
						     low_bits(count);
	}
}

#ifdef HAS_COMPRESS
#define GATHERED_SINGLY 12 /* up to this number of rows per word, they are copied one by one */

/* Writes all lanes; those after the valid ones are overwritten by the next call. */
static inline size_t gather_many_f64(const double *numbers, uint64_t mask, double *ret_numbers)
{
	size_t count = 0;

	for (int i = 0; i < (int)MIRROR_WORD_ROWS; i += LANES_OF(double)) {
		vector_f64 number = load_f64(numbers + i);
		unsigned retained = (unsigned)top_bits_f64((vector_f64)(number == number)) &
				    (unsigned)(mask >> i);
		vector_f64 front = compress_f64(number, retained);
		memcpy(ret_numbers + count, &front, sizeof(front));
		count += count_bits(retained);
	}
	return count;
}

static size_t gather_f64(const double *numbers, size_t rows, const uint64_t *mask,
			 double *ret_numbers)
{
	size_t count = 0;

	for (size_t first = 0; first < rows; first += MIRROR_WORD_ROWS) {
		double last[MIRROR_WORD_ROWS];
		uint64_t bits = mask[first / MIRROR_WORD_ROWS];
		if (count_bits(bits) <= GATHERED_SINGLY) {
			count += gather_word_f64(numbers + first, bits, ret_numbers + count);
			continue;
		}
		const double *word = whole_word(numbers + first, rows_of_word(rows, first),
						sizeof(*word), last);
		count += gather_many_f64(word, bits, ret_numbers + count);
	}
	return count;
}
#else
static size_t gather_f64(const double *numbers, size_t rows, const uint64_t *mask,
			 double *ret_numbers)
{
	return gather_each_f64(numbers, rows, mask, ret_numbers);
}
#endif

#define PARTS (LANES / LANES_OF(double)) /* vectors for all lanes */

struct vector_sums {
	vector_f64 sum[PARTS];
	vector_f64 squares[PARTS];
	vector_f64 min[PARTS];
	vector_f64 max[PARTS];
};

#define KEEP_BIT(bits, lane) ((bits) >> (lane)&1 ? UINT64_MAX : 0)
#define KEEP(bits)                                                                         \
	{                                                                                  \
		KEEP_BIT(bits, 0), KEEP_BIT(bits, 1), KEEP_BIT(bits, 2), KEEP_BIT(bits, 3) \
	}

/* All ones in the lanes whose bit is 1. */
static const uint64_t keep[1 << LANES][LANES] = {
	KEEP(0), KEEP(1), KEEP(2),  KEEP(3),  KEEP(4),  KEEP(5),  KEEP(6),  KEEP(7),
	KEEP(8), KEEP(9), KEEP(10), KEEP(11), KEEP(12), KEEP(13), KEEP(14), KEEP(15),
};

/* A row outside the mask adds 0, which changes nothing because no lane is ever -0. */
static inline __attribute__((always_inline)) void sum_word(const double *numbers, uint64_t mask,
							   double center, struct vector_sums *sums)
{
	const vector_u64 none_below = (vector_u64)((vector_f64){ 0 } + INFINITY);
	const vector_u64 none_above = (vector_u64)((vector_f64){ 0 } - INFINITY);
	vector_f64 sum[PARTS] = { 0 }, squares[PARTS] = { 0 };

	for (int first = 0; first < (int)MIRROR_WORD_ROWS; first += LANES) {
		const uint64_t *keep_lanes = keep[mask >> first & ((1 << LANES) - 1)];
		for (int i = 0; i < PARTS; i++) {
			vector_u64 retained = load_u64(keep_lanes + i * LANES_OF(double));
			vector_f64 number = load_f64(numbers + first + i * LANES_OF(double));
			vector_u64 bits = (vector_u64)number & retained;
			vector_f64 above = (vector_f64)((vector_u64)(number - center) & retained);
			sum[i] += above;
			squares[i] += above * above;
			sums->min[i] = least((vector_f64)(bits | (none_below & ~retained)),
					     sums->min[i]);
			sums->max[i] = greatest((vector_f64)(bits | (none_above & ~retained)),
						sums->max[i]);
		}
	}
	for (int i = 0; i < PARTS; i++) {
		sums->sum[i] += sum[i];
		sums->squares[i] += squares[i];
	}
}

static void sum_f64(const double *numbers, size_t rows, const uint64_t *mask, double center,
		    struct mirror_sums *sums)
{
	struct vector_sums all = { 0 };
	double sum[LANES], squares[LANES];

	for (int i = 0; i < PARTS; i++) {
		all.min[i] += sums->min;
		all.max[i] += sums->max;
	}
	for (size_t first = 0; first < rows; first += MIRROR_WORD_ROWS) {
		double last[MIRROR_WORD_ROWS];
		uint64_t bits = mask[first / MIRROR_WORD_ROWS];
		const double *word;
		if (bits == 0)
			continue;
		word = whole_word(numbers + first, rows_of_word(rows, first), sizeof(*word), last);
		/* a constant full mask lets the compiler remove the masking */
		if (bits == UINT64_MAX)
			sum_word(word, UINT64_MAX, center, &all);
		else
			sum_word(word, bits, center, &all);
	}
	memcpy(sum, all.sum, sizeof(sum));
	memcpy(squares, all.squares, sizeof(squares));
	for (int i = 0; i < LANES; i++) {
		double min = all.min[i / LANES_OF(double)][i % LANES_OF(double)];
		double max = all.max[i / LANES_OF(double)][i % LANES_OF(double)];
		sums->min = min < sums->min ? min : sums->min;
		sums->max = max > sums->max ? max : sums->max;
	}
	add_sums(sums, count(mask, mirror_bitmap_words(rows)), sum, squares);
}
#endif
