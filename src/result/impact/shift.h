/*
 * The location of paired differences: the median of the means of all pairs of them (Hodges, Lehmann
 * 1963), with the interval of the signed rank test (Wilcoxon 1945; Lehmann 1975, chapter 4).
 */
#pragma once

#include "result/impact/impact.h"

/* Overwrites *ret with exp() of the location. x is sorted by it; n > 0. */
void res_impact_shift_of(double *x, size_t n, struct res_impact_ratio *ret);
