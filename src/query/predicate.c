/*
 * A predicate becomes a table before any row is read: for which of the column's values it holds, each evaluated once,
 * and for which ranges of numbers without codes. All comparisons of numbers become ranges with both ends inclusive,
 * because doubles are discrete: x < 3 is x <= the preceding double.
 */
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "query/filter_priv.h"

#define HASH_MULTIPLIER 0x9e3779b97f4a7c15u
#define RANGES_COMPARED_MAX \
	5 /* comparing all rows with this many ranges is as fast as sifting them */
#define SIEVE_BITS_MIN 10
#define SIEVE_PART     32 /* at most one of 32 bits is set */

/* ---- one of several values ------------------------------------------------------------------ */

static int compare_i64(int64_t a, int64_t b)
{
	return (a > b) - (a < b);
}

/* Compares times as points in time, whatever their spelling. */
static int compare_operands(const void *a, const void *b)
{
	const struct operand *one = a, *other = b;

	if (one->class != other->class)
		return one->class < other->class ? -1 : 1;
	if (one->class == MIRROR_NUMBER)
		return (one->number > other->number) - (one->number < other->number);
	if (one->class < MIRROR_TEXT)
		return 0;
	if (one->is_time != other->is_time)
		return one->is_time ? -1 : 1;
	return one->is_time ? compare_i64(one->time_us, other->time_us)
			    : strcmp(one->text, other->text);
}

static bool is_operand(const struct predicate *predicate, const struct operand *value)
{
	return bsearch(value, predicate->operands, predicate->operand_count, sizeof(*value),
		       compare_operands) != NULL;
}

/* Rejects most numbers that are in none of the ranges. */
static size_t sieve_position(const struct predicate *predicate, double number)
{
	uint64_t bits;

	memcpy(&bits, &number, sizeof(bits));
	return bits * HASH_MULTIPLIER >> (64 - predicate->sieve_bits);
}

static bool may_be_in(const struct predicate *predicate, double number)
{
	size_t position = sieve_position(predicate, number);

	return predicate->sieve[position / 64] >> position % 64 & 1;
}

static void compile_equal(struct predicate *predicate, struct pl_arena *arena)
{
	qsort(predicate->operands, predicate->operand_count, sizeof(*predicate->operands),
	      compare_operands);
	predicate->ranges = pl_arena_alloc(arena,
					   predicate->operand_count * sizeof(*predicate->ranges));
	/* numbers are the first class */
	for (size_t i = 0; i < predicate->operand_count; i++) {
		double number = predicate->operands[i].number + 0.0; /* -0 is 0 */
		if (predicate->operands[i].class == MIRROR_NUMBER)
			predicate->ranges[predicate->range_count++] = (struct range){ number,
										      number };
	}
	predicate->others_too = predicate->op == FILTER_NE || predicate->op == FILTER_NOT_IN;
	if (predicate->range_count > RANGES_COMPARED_MAX) {
		predicate->sieve_bits = SIEVE_BITS_MIN;
		while (1ull << predicate->sieve_bits < predicate->range_count * SIEVE_PART)
			predicate->sieve_bits++;
		predicate->sieve = pl_arena_alloc(arena,
						  (1ull << predicate->sieve_bits) / CHAR_BIT);
		for (size_t i = 0; i < predicate->range_count; i++) {
			size_t position = sieve_position(predicate, predicate->ranges[i].low);
			predicate->sieve[position / 64] |= 1ull << position % 64;
		}
	}
}

/* ---- order ---------------------------------------------------------------------------------- */

/* Returns whether a value matches that compares like this with the operand (the first, or the second of two). */
static bool is_in_order(enum filter_op op, int with_first, int with_last)
{
	switch ((int)op) {
	case FILTER_LT:
		return with_first < 0;
	case FILTER_LE:
		return with_first <= 0;
	case FILTER_GT:
		return with_first > 0;
	case FILTER_GE:
		return with_first >= 0;
	default:
		return with_first >= 0 && with_last <= 0;
	}
}

static struct range range_of(enum filter_op op, double first, double last)
{
	switch ((int)op) {
	case FILTER_LT:
		return (struct range){ -INFINITY, nextafter(first, -INFINITY) };
	case FILTER_LE:
		return (struct range){ -INFINITY, first };
	case FILTER_GT:
		return (struct range){ nextafter(first, INFINITY), INFINITY };
	case FILTER_GE:
		return (struct range){ first, INFINITY };
	default:
		return (struct range){ first, last };
	}
}

static void compile_order(struct predicate *predicate, struct pl_arena *arena)
{
	const struct operand *first = &predicate->operands[0];
	const struct operand *last = &predicate->operands[predicate->operand_count - 1];

	if (first->class != MIRROR_NUMBER)
		return;
	/* no number is beyond infinity */
	bool is_empty = (predicate->op == FILTER_LT && first->number <= -INFINITY) ||
			(predicate->op == FILTER_GT && first->number >= INFINITY);
	predicate->ranges = pl_arena_alloc(arena, sizeof(*predicate->ranges));
	predicate->ranges[0] = range_of(predicate->op, first->number, last->number);
	predicate->range_count = !is_empty;
}

static bool holds_in_order(const struct predicate *predicate, const struct operand *value)
{
	const struct operand *first = &predicate->operands[0];
	const struct operand *last = &predicate->operands[predicate->operand_count - 1];

	return value->class == first->class && value->is_time == first->is_time &&
	       is_in_order(predicate->op, compare_operands(value, first),
			   compare_operands(value, last));
}

/* ---- one value ------------------------------------------------------------------------------ */

static bool is_in_ranges(const struct predicate *predicate, double number)
{
	size_t low = 0, high = predicate->range_count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;
		if (predicate->ranges[middle].high < number)
			low = middle + 1;
		else
			high = middle;
	}
	return low < predicate->range_count && predicate->ranges[low].low <= number;
}

/* For a recorded value. The needle is for contains and starts_with. */
static bool holds(const struct predicate *predicate, const struct mirror_value *value,
		  const struct query_needle *needle)
{
	bool is_null = value->class == MIRROR_NULL;
	struct operand operand = { .class = (enum mirror_class)value->class,
				   .text = value->text,
				   .is_time = value->is_time };
	if (value->class == MIRROR_NUMBER)
		operand.number = value->number;
	else
		operand.time_us = value->time_us;

	switch ((int)predicate->op) {
	case FILTER_IS_RECORDED:
		return true;
	case FILTER_IS_EXPLICIT:
		return value->is_explicit;
	case FILTER_IS_NULL:
		return is_null;
	case FILTER_NOT_NULL:
		return !is_null;
	case FILTER_CONTAINS:
	case FILTER_STARTS_WITH:
		return value->text != NULL && query_needle_is_in(needle, value->text);
	case FILTER_EQ:
	case FILTER_IN:
	case FILTER_NE:
	case FILTER_NOT_IN:
		if (value->class == MIRROR_NUMBER)
			return is_in_ranges(predicate, value->number) != predicate->others_too;
		return !is_null && is_operand(predicate, &operand) != predicate->others_too;
	default:
		if (value->class == MIRROR_NUMBER)
			return is_in_ranges(predicate, value->number);
		return !is_null && holds_in_order(predicate, &operand);
	}
}

/* ---- all ------------------------------------------------------------------------------------ */

/* Returns whether the result depends on the number. */
static bool asks_number(enum filter_op op)
{
	switch ((int)op) {
	case FILTER_IS_RECORDED:
	case FILTER_IS_EXPLICIT:
	case FILTER_IS_NULL:
	case FILTER_NOT_NULL:
	case FILTER_CONTAINS:
	case FILTER_STARTS_WITH:
		return false;
	default:
		return true;
	}
}

void query_predicate_compile(struct predicate *predicate, struct pl_arena *arena)
{
	const struct mirror_column *column = predicate->column;
	bool is_word = predicate->op == FILTER_CONTAINS || predicate->op == FILTER_STARTS_WITH;
	auto_needle struct query_needle *needle = NULL;

	if (is_word)
		needle = query_needle_new(predicate->operands[0].text,
					  predicate->op == FILTER_STARTS_WITH);
	else if (predicate->op <= FILTER_NOT_IN)
		compile_equal(predicate, arena);
	else if (asks_number(predicate->op))
		compile_order(predicate, arena);
	predicate->wanted = pl_arena_alloc(arena, column->distinct);
	for (uint32_t code = DICTIONARY_NULL; code < column->distinct; code++) {
		const struct mirror_value *value = mirror_column_value(column, code);
		if (!value->is_elsewhere || !asks_number(predicate->op)) {
			predicate->wanted[code] = holds(predicate, value, needle);
			continue;
		}
		if (predicate->elsewhere == NULL)
			predicate->elsewhere = pl_arena_alloc(arena, column->distinct);
		predicate->elsewhere[code] = true;
	}
}

/* Finds the rows whose number is in one of the ranges. */
static void match_ranges(const struct predicate *predicate, const double *numbers, size_t rows,
			 uint64_t ret_rows[MIRROR_SEGMENT_WORDS])
{
	const struct mirror_kernels *kernels = mirror_kernels();
	uint64_t found[MIRROR_SEGMENT_WORDS] = { 0 };

	memset(ret_rows, 0, MIRROR_SEGMENT_WORDS * sizeof(*ret_rows));
	for (size_t i = 0; predicate->sieve == NULL && i < predicate->range_count; i++) {
		kernels->match_f64(numbers, rows, predicate->ranges[i].low,
				   predicate->ranges[i].high, found);
		kernels->or (ret_rows, ret_rows, found, MIRROR_SEGMENT_WORDS);
	}
	for (size_t row = 0; predicate->sieve != NULL && row < rows; row++) {
		if (may_be_in(predicate, numbers[row]) && is_in_ranges(predicate, numbers[row]))
			ret_rows[row / 64] |= 1ull << row % 64;
	}
}

/* Keeps those of `rows`, which have numbers without codes, whose number matches. */
static void narrow_numbers(const struct predicate *predicate, const double *numbers, size_t rows,
			   uint64_t *ret_rows)
{
	const struct mirror_kernels *kernels = mirror_kernels();
	uint64_t found[MIRROR_SEGMENT_WORDS];

	match_ranges(predicate, numbers, rows, found);
	if (predicate->others_too)
		kernels->and_not(ret_rows, ret_rows, found, MIRROR_SEGMENT_WORDS);
	else
		kernels->and (ret_rows, ret_rows, found, MIRROR_SEGMENT_WORDS);
}

void query_predicate_rows(const struct predicate *predicate, size_t segment, size_t rows,
			  uint64_t ret_rows[MIRROR_SEGMENT_WORDS])
{
	const struct mirror_column *column = predicate->column;
	const struct chunk *chunk = mirror_column_chunk(column, segment);
	uint64_t numbers[MIRROR_SEGMENT_WORDS];

	mirror_chunk_match(chunk, rows, predicate->wanted, column->distinct, ret_rows);
	if (predicate->elsewhere == NULL || chunk->numbers == NULL)
		return;
	mirror_chunk_match(chunk, rows, predicate->elsewhere, column->distinct, numbers);
	/* the array ends with its last number */
	narrow_numbers(predicate, chunk->numbers,
		       rows < chunk->number_room ? rows : chunk->number_room, numbers);
	mirror_kernels()->or (ret_rows, ret_rows, numbers, MIRROR_SEGMENT_WORDS);
}
