/*
 * One value of a column: what a cell can hold, there once. Cells are codes of values.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/* What stands in a cell. Values are sorted in this order, what is nothing behind them. */
enum store_class {
	STORE_MISSING, /* not recorded */
	STORE_NULL,
	STORE_NUMBER,
	STORE_NO,
	STORE_YES,
	STORE_TEXT,
	STORE_JSON, /* compact, keys sorted */
	STORE_CLASS_COUNT
};

struct store_value {
	unsigned char class; /* enum store_class */
	bool is_explicit;    /* the user set it: the same value, set and not set, is two */
	bool is_time;        /* TEXT of a field of times, where it is one */
	bool is_elsewhere;   /* NUMBER: any of those that stand in arrays of their own */
	uint32_t same;       /* the code of the first one that has this value, set or not */
	union {
		double number;
		int64_t time_us; /* since 1970, UTC */
	};
	const char *text; /* of TEXT and JSON; else NULL */
};
