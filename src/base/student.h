/*
 * Student's t and the normal distribution: how likely a deviation is, and which one is so likely. Both count
 * both sides: p is the share that lies further from 0 than t, above and below. Right to some 12 digits, for p
 * from 1e-300 to 1 and any number of degrees of freedom above 0, fractions too.
 */
#pragma once

/* NaN where one of them is NaN or df is not above 0. */
double pl_student_p(double t, double df);
/* The t >= 0 beyond which p lies (0 < p <= 1): of p = 0.05 the half width of a 95 % interval. */
double pl_student_t(double p, double df);
double pl_normal_p(double z);
