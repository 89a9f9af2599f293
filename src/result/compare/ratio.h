/*
 * One metric of two sides, each a run or a group of runs: the difference and its confidence
 * interval (docs/reference/compare.md).
 *
 * - The sample unit is the run. The requests of one run share its server, host and time: however
 *   many there are, they show the uncertainty within that run, but not the variation between runs.
 * - The same values always give the same result, in any order: the seed of a bootstrap is derived
 *   from the values.
 */
#pragma once

#include "result/fields/fields.h"
#include "result/intervals.h"

#include <stdint.h>

/* The values of a metric in the runs of one side. */
struct res_sample {
	double *numbers; /* finite; owned array */
	size_t count;
	size_t room;
	/* runs without a number, by reason */
	size_t not_recorded;
	size_t null;
	size_t infinite;
	size_t words; /* values that are not numbers */
	/* for a side with one run: the interval that its document records */
	bool has_within;
	struct res_interval within;
};
void res_sample_done(struct res_sample *sample);
#define auto_sample __attribute__((cleanup(res_sample_done), unused)) struct res_sample

/* Adds the value of one run to the sample. */
void res_sample_add(struct res_sample *sample, const struct res_value *value);
/* Call it after the last run: sorts the numbers, so that nothing depends on their order. */
void res_sample_settle(struct res_sample *sample);

/* Returns the mean over the runs; NaN: no run has a number. */
double res_sample_value(const struct res_sample *sample);
/* Returns the standard deviation between runs (n - 1); NaN below two. */
double res_sample_deviation(const struct res_sample *sample);
/*
 * Gets the 95 % interval: for several runs by Student's t, for one run the interval in its
 * document. False: none.
 */
bool res_sample_interval(const struct res_sample *sample, struct res_interval *ret);

/* The method for the interval of a ratio. */
enum res_ratio_how {
	RES_RATIO_NONE,   /* no interval */
	RES_RATIO_WITHIN, /* two runs: from the intervals within them */
	/* one run and a group: assumes the group's spread for the run, too */
	RES_RATIO_ONE_OF_MANY,
	RES_RATIO_STUDENT,   /* two groups, one of few runs or of very many */
	RES_RATIO_BOOTSTRAP, /* two groups */
};
/* "none", "within_runs", "one_of_many", "student", "bootstrap" */
const char *res_ratio_how_name(enum res_ratio_how how);

/* The finding, from the interval alone. */
enum res_finding {
	RES_FINDING_NO_VALUE,    /* a side has no number */
	RES_FINDING_NO_RATIO,    /* a mean is not above 0, or their ratio is not a number */
	RES_FINDING_NO_INTERVAL, /* they differ, and the uncertainty is unknown */
	RES_FINDING_EQUAL, /* equal but for rounding (1e-9 of the larger mean), without an interval */
	RES_FINDING_NO_DIFFERENCE, /* the interval contains 1 */
	RES_FINDING_BETTER,
	RES_FINDING_WORSE,
	RES_FINDING_HIGHER, /* for metrics without a better direction */
	RES_FINDING_LOWER,
};
/* "no_value", "no_ratio", "no_interval", "equal", "no_difference", "better", "worse", "higher", "lower" */
const char *res_finding_name(enum res_finding finding);

#define RES_RATIO_SMALL_EFFECT 0.05 /* the difference for `more_runs`, unless set otherwise */

/* NaN: no value. */
struct res_ratio {
	enum res_finding finding;
	enum res_ratio_how how;
	double ratio; /* the second side's mean divided by the first's */
	struct res_interval interval;
	/*
	 * Two groups: Welch's t test. One run and a group: the position of the run in the group's
	 * distribution. Two runs: derived from the interval.
	 */
	double p;
	/*
	 * Additional runs per side needed to detect a difference of `effect` in four of five
	 * comparisons; 0: none. NaN: no side has two runs, so the variation between runs is
	 * unknown.
	 */
	double more_runs;
};

/* id: of the metric, part of the seed. Both sides must be settled. effect > 0. */
struct res_ratio res_ratio_of(const char *id, enum res_field_direction direction, double effect,
			      const struct res_sample *a, const struct res_sample *b);

/* Removes interval and p if runs are on both sides: they are not independent samples. */
void res_ratio_forget_chance(struct res_ratio *ratio);

/*
 * Returns whether it is worse and the whole interval exceeds `effect` (0.05: 5 % of the first
 * side).
 */
bool res_ratio_is_regression(const struct res_ratio *ratio, double effect);
/*
 * Returns "better by 3.1 % (1.2 to 5.0 %)"; effect as passed to res_ratio_of(). The caller frees it
 * with free().
 */
char *res_ratio_words(const struct res_ratio *ratio, double effect);
