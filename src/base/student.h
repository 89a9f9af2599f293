/*
 * Student's t and the normal distribution, two-sided: p is the probability of a value further from
 * 0 than t. Accurate to about 12 digits, for p from 1e-300 to 1 and any degrees of freedom above 0,
 * including fractions.
 */
#pragma once

/* NaN if an argument is NaN or df is not above 0. */
double pl_student_p(double t, double df);
/*
 * Returns the t >= 0 that is exceeded with probability p (0 < p <= 1). For p = 0.05 it gives the
 * half-width of a 95 % confidence interval.
 */
double pl_student_t(double p, double df);
double pl_normal_p(double z);
