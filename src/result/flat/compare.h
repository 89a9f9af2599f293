/*
 * A flat result's summary against its own lists, by vLLM's formulas.
 */
#pragma once

#include "result/flat/read.h"

/*
 * The summary against what the lists give by vLLM's own formulas: the largest difference of a
 * figure, as a share of it, and *ret_key, which is it (static or of json). NaN where there are no
 * lists.
 */
double res_flat_difference(const struct res_flat *flat, const char **ret_key);

/* The worst finished request's |TTFT + gaps - latency|; NaN where the file does not tell all
 * three. */
double res_flat_identity_us(const struct res_flat *flat);
