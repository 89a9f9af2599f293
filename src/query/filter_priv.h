/*
 * Between query_filter_parse.c (JSON to a checked tree), predicate.c (what one predicate asks of a column) and
 * filter.c (which rows the tree means).
 */
#pragma once

#include "query/faults.h"
#include "query/filter.h"

enum filter_op {
#define FILTER_OP(ID, name, about, value) FILTER_##ID,
#include "tbl/filter_ops.h"
#undef FILTER_OP
	FILTER_OP_COUNT
};

/* One value of a filter, its text of the filter's arena. */
struct operand {
	enum mirror_class class; /* NUMBER, NO, YES, TEXT, JSON */
	double number;
	const char *text;
	bool is_time;
	int64_t time_us;
};

/* Both ends belong to it. */
struct range {
	double low, high;
};

/* What is asked of a column, judged once of each of its values. */
struct predicate {
	const struct mirror_column *column;
	enum filter_op op;
	struct operand *operands; /* sorted where they are many: compare_operands() */
	size_t operand_count;

	uint8_t *wanted; /* by code: it holds for this value */
	/* of numbers that have no codes: those in a range, rising, or all others */
	struct range *ranges;
	size_t range_count;
	uint64_t *
		sieve; /* of ranges of one number each, where they are many: bits by a number's hash */
	unsigned sieve_bits; /* there are 2 to the power of */
	bool others_too;
	uint8_t *elsewhere; /* by code: such numbers, which ranges tell; NULL: wanted says all */
};

/* The operands were checked: they fit column and op. */
void query_predicate_compile(struct predicate *predicate, struct pl_arena *arena);
/* Of one segment, rows that are no more, too. */
void query_predicate_rows(const struct predicate *predicate, size_t segment, size_t rows,
			  uint64_t ret_rows[MIRROR_SEGMENT_WORDS]);

enum filter_kind { FILTER_AND, FILTER_OR, FILTER_NOT, FILTER_PREDICATE };

struct filter_node {
	enum filter_kind kind;
	struct filter_node *children;
	size_t count;
	struct predicate predicate;
	const struct mirror_column *only; /* that all of it speaks of; NULL: several */
};

/* False: faults were added. Compiled, of the arena. */
bool query_filter_parse(const struct mirror_view *view, const json_t *tree, struct place *place,
			struct pl_arena *arena, struct filter_node *ret);
