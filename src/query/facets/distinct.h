/* Counts each distinct number of many. */
#pragma once

#include <stddef.h>

#include "query/facets/histogram.h"

/*
 * No number is NaN or -0. ret: each distinct number once, in no order, with room for `count`. Returns how many there
 * are.
 */
size_t query_distinct(const double *numbers, size_t count, struct query_counted *ret);
