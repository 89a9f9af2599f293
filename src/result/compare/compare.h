/*
 * Two to eight sides, each a run or a group of runs, beside each other: which inputs differ, whether they can
 * be compared at all, and each figure with its ratio to the first side's and how sure that is. One function for
 * the page, the API and `profllm compare`, whatever holds the runs (struct res_compare_source).
 *
 *	{sides:    [{name, runs, simulated, trusted, untrusted, not_completed, …}],
 *	 effect,
 *	 cautions: [{kind, title, text, fields: [{field, label, sides: [VALUES]}]}],
 *	 comparable, unknown: [{kind, title}],
 *	 inputs:   {differing: [{field, label, group, role, between, sides: [VALUES]}], equal, partly_recorded,
 *	            equal_fields: [{field, value}], partly_recorded_fields: [id]},
 *	 metrics:  [{field, label, unit, direction, sides: [FIGURE], against: [RATIO]}],
 *	 families: [{key, title, label, unit, percentiles: [50, …], sides: [{n, value, low, high: lists}]}],
 *	 incomplete: [id]}
 *
 *	VALUES  {values: [{value, count}], distinct, null, not_recorded}: the 20 most frequent values
 *	FIGURE  {n, value, low, high, std, null, not_recorded, infinite, words}
 *	RATIO   {ratio, low, high, p, method, finding, more_runs_count, regression, sentence}, of each side but the first
 *
 * - simulated, trusted, untrusted, not_completed: how many of the runs are, have the verdict `trusted`, have another (what is left has
 *   none), have a status that is not `completed`.
 * - Numbers that there are none of are null. Ratios and findings: result/compare/ratio.h.
 * - cautions: kinds of tbl/comparability.h in which runs differ, within a side or between sides, or of which some
 *   runs tell and others do not. comparable: kinds of which some field is recorded, and all runs have the same; unknown: those of which no
 *   run has any recorded, or some run does not record failed requests. If a side has no run, no kind is alike, and all kinds
 *   without a caution are unknown.
 *   Of kind "shared" there is one without fields where runs are on several sides: its text counts them.
 * - inputs: columns (result/fields) that were chosen (role input) or were there (engine, host). differing: two
 *   runs have not the same; `between` is false where each side has the same mixture of them. First what differs
 *   between sides. partly_recorded: alike where they are recorded, and not recorded in some runs. The lists of
 *   those and of equal ones are there where they were asked for.
 * - Where all runs of a side are A's too, or the other way round, nothing tells how sure a difference is (ratio.h).
 * - metrics: those asked for, in that order; else headline figures of which some side has a number.
 * - families: percentiles of each family of tbl/metrics.h of which some side has a number.
 */
#pragma once

#include "result/compare/ratio.h"

#define RES_COMPARE_SIDES_MAX 8

/*
 * Stores the headline metrics of a list in `ret`, in the order in which they are shown: rates, derived metrics, then
 * the statistics of the headline families. Returns how many. The fields are borrowed from the list.
 */
#define RES_COMPARE_HEADLINE_MAX 64
size_t res_compare_headline(const struct res_fields *fields,
			    const struct res_field *ret[RES_COMPARE_HEADLINE_MAX]);

/* What the runs of one side have at a field: begins as { 0 }. */
struct res_compare_values {
	json_t *counts; /* by the value's canonical JSON; NULL: none */
	size_t more; /* different ones that are rarer than these and were not listed; a comparison lists all */
	size_t null;
	size_t not_recorded;
	bool has_numbers;
	double least, most; /* of all its numbers, listed or not */
};
void res_compare_values_done(struct res_compare_values *values);
#define auto_compare_values \
	__attribute__((cleanup(res_compare_values_done), unused)) struct res_compare_values

/* Of `count` runs. A whole number is one, however it was written. */
void res_compare_add_number(struct res_compare_values *values, double number, size_t count);
/* Extends least and most to a number that is not listed. */
void res_compare_reach(struct res_compare_values *values, double number);
void res_compare_add_yes(struct res_compare_values *values, bool yes, size_t count);
void res_compare_add_text(struct res_compare_values *values, const char *text, size_t count);
/* Compact, with the keys of objects in order. */
void res_compare_add_json(struct res_compare_values *values, const char *json, size_t count);

struct res_compare_side {
	const char *name;
	size_t runs;
	json_t *about; /* members that stand beside these two; or NULL */
};

struct res_compare_source {
	void *context;
	const struct res_fields *fields;
	const struct res_compare_side *sides;
	size_t side_count;
	/* How many runs are on both sides, of each pair of them with the lesser first; NULL: of one side. */
	const size_t (*shared)[RES_COMPARE_SIDES_MAX];
	/* Overwrites *ret; it is settled, and of one run has its interval. */
	void (*sample)(void *context, size_t side, const struct res_field *field,
		       struct res_sample *ret);
	/* *ret is { 0 }. */
	void (*values)(void *context, size_t side, const struct res_field *field,
		       struct res_compare_values *ret);
	/* Is there time for another figure? NULL: always. */
	bool (*is_in_time)(void *context);
	/* Does who reads the answer see what differs in the field anyhow? Then it raises no caution. NULL: no. */
	bool (*is_shown)(void *context, const char *id);
};

struct res_compare_options {
	const struct res_field *metrics; /* NULL: headline figures */
	size_t metric_count;
	double effect; /* 0: RES_RATIO_SMALL_EFFECT */
	bool list_equal;
};

/*
 * The cautions alone, a new reference. Of one side, the rows of a chart, with the fields that only a chart has to name: of the
 * source `values` and `is_shown` are used.
 */
json_t *res_compare_cautions(const struct res_compare_source *source);

/* New reference. */
json_t *res_compare(const struct res_compare_source *source,
		    const struct res_compare_options *options);
