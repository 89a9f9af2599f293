/*
 * A flat result's summary against its own lists, by vLLM's formulas.
 */
#pragma once

#include "result/flat/read.h"

/*
 * Compares the summary with the values that the lists give by vLLM's own formulas. Returns the
 * largest difference of a metric as a share of it, and its key in *ret_key (static or borrowed from
 * json). NaN without lists.
 */
double res_flat_difference(const struct res_flat *flat, const char **ret_key);

/*
 * Returns the largest |TTFT + gaps - latency| of a finished request; NaN if the file lacks one of
 * the three.
 */
double res_flat_identity_us(const struct res_flat *flat);
