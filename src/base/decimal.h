/*
 * The shortest decimal that reads back as the same double. If several have the fewest digits, the
 * nearest one (R. Giulietti, "The Schubfach way to render doubles", 2020).
 */
#pragma once

#include <stdint.h>

struct pl_decimal {
	uint64_t digits; /* at most 17; the last one is not 0 */
	int exponent;    /* the value is digits * 10^exponent */
};

/* Converts a finite value above 0. */
struct pl_decimal pl_decimal_of(double value);
