/* One distinct value of a column. Cells are codes of values. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/* The class of a value. Values are sorted in this order, missing and null last. */
enum mirror_class {
	MIRROR_MISSING, /* not recorded */
	MIRROR_NULL,
	MIRROR_NUMBER,
	MIRROR_NO,
	MIRROR_YES,
	MIRROR_TEXT,
	MIRROR_JSON, /* compact, keys sorted, whole numbers as integers (unify.h) */
	MIRROR_CLASS_COUNT
};

struct mirror_value {
	unsigned char class; /* enum mirror_class */
	bool is_explicit;    /* set by the user; the same value by default is a separate entry */
	bool is_time;        /* TEXT of a time field that is a valid time */
	bool is_elsewhere;   /* NUMBER: any of those that are stored in arrays */
	uint32_t same;       /* the code of the first entry with this value, explicit or not */
	union {
		double number;
		int64_t time_us; /* since 1970, UTC */
	};
	const char *text; /* of TEXT and JSON; else NULL */
};
