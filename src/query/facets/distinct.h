/*
 * How often there is each of many numbers.
 */
#pragma once

#include <stddef.h>

#include "query/facets/histogram.h"

/*
 * No NaN and no -0 is among the numbers. ret: each different one once, in no order; room for `count`. How many
 * they are.
 */
size_t query_distinct(const double *numbers, size_t count, struct query_counted *ret);
