/*
 * The shortest decimal that reads back as the same double: the fewest digits, and of as many the nearest
 * (R. Giulietti, "The Schubfach way to render doubles", 2020).
 */
#pragma once

#include <stdint.h>

struct pl_decimal {
	uint64_t digits; /* at most 17 of them; the last is no 0 */
	int exponent;    /* the value is digits * 10^exponent */
};

/* Of a finite value above 0. */
struct pl_decimal pl_decimal_of(double value);
