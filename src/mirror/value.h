/*
 * One value of a column: what a cell can hold, there once. Cells are codes of values.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/* What stands in a cell. Values are sorted in this order, what is nothing behind them. */
enum mirror_class {
	MIRROR_MISSING, /* not recorded */
	MIRROR_NULL,
	MIRROR_NUMBER,
	MIRROR_NO,
	MIRROR_YES,
	MIRROR_TEXT,
	MIRROR_JSON, /* compact, keys sorted */
	MIRROR_CLASS_COUNT
};

struct mirror_value {
	unsigned char class; /* enum mirror_class */
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
