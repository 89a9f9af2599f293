/*
 * Power over time as a closed formula, so that a test can integrate it too.
 *
 * Time is CLOCK_MONOTONIC in seconds, so every process sees the same curve.
 *   const:W              W
 *   sine:MIN:MAX:PERIOD  (MIN + MAX) / 2 + (MAX - MIN) / 2 * sin(2 pi t / PERIOD)
 *   square:LOW:HIGH:PERIOD  HIGH in the first half of each period, LOW in the second
 *   ramp:MIN:MAX:PERIOD  from MIN up to MAX in each period
 */
#pragma once

#include <stdbool.h>

enum pretend_shape { PRETEND_CONST, PRETEND_SINE, PRETEND_SQUARE, PRETEND_RAMP };

struct pretend_curve {
	enum pretend_shape shape;
	double low_w;
	double high_w;
	double period_s;
};

bool pretend_curve_parse(const char *text, struct pretend_curve *ret);
double pretend_curve_power_w(const struct pretend_curve *curve, double t_s);
/* The integral from 0 to t. */
double pretend_curve_energy_j(const struct pretend_curve *curve, double t_s);
