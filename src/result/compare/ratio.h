/*
 * One figure of two sides, each a run or a group of runs: by how much it differs, and how sure that is
 * (docs/reference/compare.md).
 *
 * - What is counted is runs. The requests of one run share its server, its host and its hour: however many
 *   they are, they tell how sure the run is of its own figure and nothing of how runs differ.
 * - The same figures give the same answer everywhere, whoever asks, in whatever order they come: what is drawn
 *   for a bootstrap is drawn by a seed of the figures themselves.
 */
#pragma once

#include "result/fields/fields.h"
#include "result/intervals.h"

#include <stdint.h>

/* The figure in the runs of one side. */
struct res_sample {
	double *numbers; /* finite; an array of its own */
	size_t count;
	size_t room;
	/* runs that have none, each in its own way */
	size_t not_recorded;
	size_t null;
	size_t infinite;
	size_t words; /* what is no number at all */
	/* of a side that is one run: the interval that its document has */
	bool has_within;
	struct res_interval within;
};
void res_sample_done(struct res_sample *sample);
#define auto_sample __attribute__((cleanup(res_sample_done), unused)) struct res_sample

/* What one run has becomes part of the sample. */
void res_sample_add(struct res_sample *sample, const struct res_value *value);
/* Once all runs are there: brings the numbers into their order, on which nothing then depends. */
void res_sample_settle(struct res_sample *sample);

/* The mean over the runs; NaN: no run has a number. */
double res_sample_value(const struct res_sample *sample);
/* Deviation between runs (n - 1); NaN below two. */
double res_sample_deviation(const struct res_sample *sample);
/*
 * 95 %: of several runs Student's t over them, of one run what stands in its document. False: there is none.
 */
bool res_sample_interval(const struct res_sample *sample, struct res_interval *ret);

/* Where the interval of a ratio comes from. */
enum res_ratio_how {
	RES_RATIO_NONE,        /* there is none */
	RES_RATIO_WITHIN,      /* two runs: from the intervals within them */
	RES_RATIO_ONE_OF_MANY, /* one run and a group: the group's spread is the run's, too */
	RES_RATIO_STUDENT,     /* two groups, one of few runs or of very many */
	RES_RATIO_BOOTSTRAP,   /* two groups */
};
/* "none", "within_runs", "one_of_many", "student", "bootstrap" */
const char *res_ratio_how_name(enum res_ratio_how how);

/* What is found, by the interval alone. */
enum res_finding {
	RES_FINDING_NOTHING,   /* a side has no number */
	RES_FINDING_NO_RATIO,  /* a mean is not above 0, or their ratio is no number */
	RES_FINDING_NOT_KNOWN, /* they differ, and nothing tells how sure that is */
	RES_FINDING_EQUAL, /* equal but for rounding (1e-9 of the larger mean), without an interval */
	RES_FINDING_NO_DIFFERENCE, /* the interval holds 1 */
	RES_FINDING_BETTER,
	RES_FINDING_WORSE,
	RES_FINDING_HIGHER, /* of figures of which neither is better */
	RES_FINDING_LOWER,
};
/* "nothing", "no_ratio", "not_known", "equal", "no_difference", "better", "worse", "higher", "lower" */
const char *res_finding_name(enum res_finding finding);

#define RES_RATIO_SMALL_EFFECT \
	0.05 /* the difference that `more_runs` is about, unless said otherwise */

/* NaN where there is none. */
struct res_ratio {
	enum res_finding finding;
	enum res_ratio_how how;
	double ratio; /* of the second side's mean to the first's */
	struct res_interval interval;
	/*
	 * Of two groups Welch's t test, of one run and a group the run's place in the group's spread, of two runs
	 * from the interval.
	 */
	double p;
	/*
	 * Runs that each side lacks for a difference of `effect` to be seen in four of five comparisons; 0: it
	 * lacks none. NaN: no side has two runs, so that nothing is known of how runs differ.
	 */
	double more_runs;
};

/* id: of the figure, which is part of the seed. Both sides are settled. effect > 0. */
struct res_ratio res_ratio_of(const char *id, enum res_field_direction direction, double effect,
			      const struct res_sample *a, const struct res_sample *b);

/* Of runs that are on both sides chance cannot be told: they are no independent samples. */
void res_ratio_forget_chance(struct res_ratio *ratio);

/* Is it worse, and the interval wholly beyond `effect` (0.05: 5 % of the first side's)? */
bool res_ratio_is_regression(const struct res_ratio *ratio, double effect);
/* "better by 3.1 % (1.2 to 5.0 %)"; effect as it was given to res_ratio_of(). The caller's (free()). */
char *res_ratio_words(const struct res_ratio *ratio, double effect);
