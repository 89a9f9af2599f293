/*
 * Shared by filter_parse.c (JSON to a checked tree), predicate.c (one predicate over a column) and filter.c (the rows
 * of a tree).
 */
#pragma once

#include "query/filter.h"
#include "query/pointer.h"

enum filter_op {
#define FILTER_OP(ID, name, about, value) FILTER_##ID,
#include "tbl/filter_ops.h"
#undef FILTER_OP
	FILTER_OP_COUNT
};

/* One value of a filter; the filter's arena owns its text. */
struct operand {
	enum mirror_class class; /* NUMBER, NO, YES, TEXT, JSON */
	double number;
	const char *text;
	bool is_time;
	int64_t time_us;
};

/* Includes both ends. */
struct range {
	double low, high;
};

/* A condition on a column, evaluated once per value. */
struct predicate {
	const struct mirror_column *column;
	enum filter_op op;
	struct operand *operands; /* sorted if there are many: compare_operands() */
	size_t operand_count;

	uint8_t *wanted; /* by code: whether it holds for this value */
	/* for numbers without codes: those in a range, ascending, or all others */
	struct range *ranges;
	size_t range_count;
	uint64_t *sieve;     /* for many ranges of one number each: a bit per hash of a number */
	unsigned sieve_bits; /* number of bits, as a power of two */
	bool others_too;
	uint8_t *
		elsewhere; /* by code: numbers without codes, which the ranges decide; NULL: `wanted` decides
			     * everything */
};

/* The operands must fit column and op. */
void query_predicate_compile(struct predicate *predicate, struct pl_arena *arena);
/* Returns the matching rows of one segment, including dead rows. */
void query_predicate_rows(const struct predicate *predicate, size_t segment, size_t rows,
			  uint64_t ret_rows[MIRROR_SEGMENT_WORDS]);

enum filter_kind { FILTER_AND, FILTER_OR, FILTER_NOT, FILTER_PREDICATE };

struct filter_node {
	enum filter_kind kind;
	struct filter_node *children;
	size_t count;
	struct predicate predicate;
	const struct mirror_column *only; /* the only column in it; NULL: several */
};

/* Returns false if faults were added. Otherwise *ret is compiled, in the arena. */
bool query_filter_parse(const struct mirror_view *view, const json_t *tree,
			struct query_pointer *pointer, struct pl_arena *arena,
			struct filter_node *ret);
