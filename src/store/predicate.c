/*
 * A predicate becomes a table before any row is looked at: which of the classes it holds for, which
 * ranges of numbers, and which of the column's texts, each asked once. All comparisons of numbers are
 * ranges with both ends, since doubles have neighbours: x < 3 is x <= the last one before 3.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "store/columns_priv.h"
#include "store/filter_priv.h"

/* ---- one of several values ------------------------------------------------------------------ */

static int compare_i64(int64_t a, int64_t b)
{
	return (a > b) - (a < b);
}

/* Times by when they are, whatever they look like. */
static int compare_operands(const void *a, const void *b)
{
	const struct operand *one = a, *other = b;

	if (one->class != other->class)
		return one->class < other->class ? -1 : 1;
	if (one->class == STORE_NUMBER)
		return (one->number > other->number) - (one->number < other->number);
	if (one->class < STORE_TEXT)
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

static struct operand operand_of_text(const struct store_text *text)
{
	return (struct operand){ .class = text->class,
				 .text = text->text,
				 .is_time = text->is_time,
				 .time_us = text->time_us };
}

static void compile_equal(struct predicate *predicate, bool wanted, struct pl_arena *arena)
{
	const struct store_column *column = predicate->column;

	qsort(predicate->operands, predicate->operand_count, sizeof(*predicate->operands),
	      compare_operands);
	predicate->ranges = pl_arena_alloc(arena,
					   predicate->operand_count * sizeof(*predicate->ranges));
	/* numbers are the first class */
	for (size_t i = 0; i < predicate->operand_count; i++) {
		double number = predicate->operands[i].number;
		if (predicate->operands[i].class == STORE_NUMBER)
			predicate->ranges[predicate->range_count++] = (struct range){ number,
										      number };
	}
	predicate->others_too = !wanted;
	for (int i = STORE_NO; i <= STORE_YES; i++) {
		const struct operand value = { .class = (enum store_class)i };
		predicate->classes[i] = is_operand(predicate, &value) == wanted;
	}
	predicate->texts = pl_arena_alloc(arena, column->text_count);
	for (size_t i = 0; i < column->text_count; i++) {
		const struct operand value = operand_of_text(&column->texts[i]);
		predicate->texts[i] = is_operand(predicate, &value) == wanted;
	}
}

/* ---- order ---------------------------------------------------------------------------------- */

/* Is a value that compares so with the operand (the first, or the second of two) meant? */
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
	const struct store_column *column = predicate->column;
	const struct operand *first = &predicate->operands[0];
	const struct operand *last = &predicate->operands[predicate->operand_count - 1];

	if (first->class == STORE_NUMBER) {
		/* nothing lies beyond the infinite ones, which have no neighbour there */
		bool is_empty = (predicate->op == FILTER_LT && first->number <= -INFINITY) ||
				(predicate->op == FILTER_GT && first->number >= INFINITY);
		predicate->ranges = pl_arena_alloc(arena, sizeof(*predicate->ranges));
		predicate->ranges[0] = range_of(predicate->op, first->number, last->number);
		predicate->range_count = !is_empty;
		return;
	}
	predicate->texts = pl_arena_alloc(arena, column->text_count);
	for (size_t i = 0; i < column->text_count; i++) {
		const struct operand value = operand_of_text(&column->texts[i]);
		predicate->texts[i] = value.class == first->class &&
				      value.is_time == first->is_time &&
				      is_in_order(predicate->op, compare_operands(&value, first),
						  compare_operands(&value, last));
	}
}

/* ---- all ------------------------------------------------------------------------------------ */

static void compile_contains(struct predicate *predicate, struct pl_arena *arena)
{
	const struct store_column *column = predicate->column;
	auto_needle struct store_needle *needle = store_needle_new(
		predicate->operands[0].text, predicate->op == FILTER_STARTS_WITH);

	predicate->texts = pl_arena_alloc(arena, column->text_count);
	for (size_t i = 0; i < column->text_count; i++)
		predicate->texts[i] = store_needle_is_in(needle, column->texts[i].text);
}

/* Of all that is recorded, or of values alone. */
static void compile_state(struct predicate *predicate, bool null, bool values,
			  struct pl_arena *arena)
{
	predicate->classes[STORE_NULL] = null;
	predicate->classes[STORE_NO] = predicate->classes[STORE_YES] = values;
	predicate->others_too = values;
	predicate->texts = pl_arena_alloc(arena, predicate->column->text_count);
	memset(predicate->texts, values, predicate->column->text_count);
}

void predicate_compile(struct predicate *predicate, struct pl_arena *arena)
{
	switch ((int)predicate->op) {
	case FILTER_EQ:
	case FILTER_IN:
		compile_equal(predicate, true, arena);
		break;
	case FILTER_NE:
	case FILTER_NOT_IN:
		compile_equal(predicate, false, arena);
		break;
	case FILTER_CONTAINS:
	case FILTER_STARTS_WITH:
		compile_contains(predicate, arena);
		break;
	case FILTER_IS_NULL:
		compile_state(predicate, true, false, arena);
		break;
	case FILTER_NOT_NULL:
		compile_state(predicate, false, true, arena);
		break;
	case FILTER_IS_EXPLICIT:
		predicate->explicit_only = true;
		compile_state(predicate, true, true, arena);
		break;
	case FILTER_IS_RECORDED:
		compile_state(predicate, true, true, arena);
		break;
	default:
		compile_order(predicate, arena);
		break;
	}
}

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

static bool holds(const struct predicate *predicate, size_t row)
{
	const struct store_column *column = predicate->column;
	unsigned char byte = column->classes[row];
	enum store_class class = byte & ~STORE_EXPLICIT;

	if (predicate->explicit_only && !(byte & STORE_EXPLICIT))
		return false;
	if (class == STORE_NUMBER)
		return is_in_ranges(predicate, column->numbers[row]) != predicate->others_too;
	if (class >= STORE_TEXT)
		return predicate->texts != NULL && predicate->texts[column->codes[row]];
	return predicate->classes[class];
}

void predicate_rows(const struct predicate *predicate, size_t words, size_t rows,
		    uint64_t *ret_rows)
{
	for (size_t word = 0; word < words; word++) {
		size_t first = word * BITS;
		size_t count = rows - first < BITS ? rows - first : BITS;
		uint64_t bits = 0;
		/* what nothing records holds for none */
		for (size_t i = 0; predicate->column->classes != NULL && i < count; i++)
			bits |= (uint64_t)holds(predicate, first + i) << i;
		ret_rows[word] = bits;
	}
}
