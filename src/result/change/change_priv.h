/* Steps of the analysis of one series. Positions count the values without gaps. */
#pragma once

#include "result/change/change.h"

/* Neighboring values of a series that are tested together. */
struct res_change_part {
	const struct res_change_series *series;
	const struct res_change_options *options;
	const double *y; /* all values of the series */
	size_t from, end;
};

/* A growing list; free items with free(). */
struct res_change_list {
	struct res_change *items;
	size_t count, room;
};

/*
 * Appends the cuts of a part in order and returns p of the first test, that of the whole part; NaN:
 * the part is too short or all its values are equal.
 */
double res_change_split(const struct res_change_part *part, struct res_change_list *list);

/*
 * Sizes the cuts of the part by the values up to their neighbors, and removes those that
 * Mann-Whitney's test or the minimum effect does not confirm. States: NOISIER, otherwise STABLE.
 */
void res_change_confirm(const struct res_change_part *part, struct res_change_list *list);

/*
 * Appends the place at which the values after the last cut begin to vary more, if there is one.
 * State: NOISIER.
 */
void res_change_check_spread(const struct res_change_part *part, struct res_change_list *list);
#define RES_SPREAD_SIDES 2 /* its side_min in units of the options' one */
/* Returns the distances of n values from their median. The caller frees them with free(). */
double *res_change_distances(const double *y, size_t n);

/* Splits, confirms and checks the spread: all changes of a part. */
void res_change_find(const struct res_change_part *part, struct res_change_list *list,
		     double *ret_p);

/*
 * Compares the values from `from` to change->index with those up to `end`. Returns whether they
 * confirm a change of level or spread.
 */
bool res_change_size(const struct res_change_part *part, size_t from, size_t end,
		     struct res_change *change);

/* Sets low and high of each cut. */
void res_change_place(const struct res_change_part *part, struct res_change_list *list);

/* Sets `seen` of each cut: finds the cuts of the part without its last values. */
void res_change_persist(const struct res_change_part *part, struct res_change_list *list);

/* Compares the newest values of a part, whose `from` is the last change. versions: per value. */
void res_change_check_tail(const struct res_change_part *part, const uint32_t *versions,
			   struct res_change_tail *ret);

/* The values from `from` to `end` around the medians of their sides of a cut at `at`. */
struct res_change_rest {
	double noise;       /* robust standard deviation */
	double correlation; /* of neighbors */
};
struct res_change_rest res_change_rest_of(const double *y, size_t from, size_t at, size_t end);
/* Describes a side. */
struct res_change_side res_change_side_of(enum res_change_scale scale, const double *y, size_t n);
/* Returns the least effect that is reported: the series' one, or the noise if that is larger. */
double res_change_effect_min(const struct res_change_part *part, double noise);
/* Returns the size of a shift in the terms of effect_min: 0.1 for a ratio of 1.1. */
double res_change_effect(enum res_change_scale scale, double shift);
/* Returns the shift as `ratio` of struct res_change. */
double res_change_ratio(enum res_change_scale scale, double shift);
/* Appends a line to the reasons. */
void res_change_say(struct res_change_analysis *analysis, const char *format, ...) PL_PRINTF(2, 3);
/* Writes the reasons of a final analysis. tests: the number of tests of the family. */
void res_change_explain(struct res_change_analysis *analysis,
			const struct res_change_options *options, size_t tests);
