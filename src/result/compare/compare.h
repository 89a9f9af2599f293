/*
 * A comparison of two to eight sides, each a run or a group of runs: which inputs differ, whether
 * the sides are comparable, and each metric with its ratio to the first side and the confidence
 * interval of that ratio. One function serves the web UI, the API and `profllm compare`, whatever
 * stores the runs (struct res_compare_source).
 *
 *  {sides:    [{name, runs, simulated, trusted, untrusted, not_completed, …}],
 *   effect,
 *   cautions: [{kind, title, text, fields: [{field, label, sides: [VALUES]}]}],
 *   comparable, unknown: [{kind, title}],
 *   inputs:   {differing: [{field, label, group, role, between, sides: [VALUES]}], equal, partly_recorded,
 *              equal_fields: [{field, value}], partly_recorded_fields: [id]},
 *   metrics:  [{field, label, unit, direction, sides: [FIGURE], against: [RATIO]}],
 *   families: [{key, title, label, unit, percentiles: [50, …], sides: [{n, value, low, high: lists}]}],
 *   incomplete: [id]}
 *
 *  VALUES  {values: [{value, count}], distinct, null, not_recorded}: the 20 most frequent values
 *  FIGURE  {n, value, low, high, std, null, not_recorded, infinite, words}
 *  RATIO   {ratio, low, high, p, method, finding, more_runs_count, regression, sentence}, for each side but the first
 *
 * - simulated, trusted, untrusted, not_completed: number of runs that are simulated, have the
 *   verdict `trusted`, have another verdict (the remaining runs have none), and have a status other
 *   than `completed`.
 * - Unknown numbers are null. Ratios and findings: result/compare/ratio.h.
 * - cautions: kinds of tbl/comparability.h in which runs differ, within a side or between sides, or
 *   which only some runs record. comparable: kinds with a recorded field and equal values in all
 *   runs. unknown: kinds that no run records, and kinds for which some run does not record failed
 *   requests. If a side has no run, no kind is comparable, and all kinds without a caution are
 *   unknown. If runs are on several sides, kind "shared" has a caution without fields, whose text
 *   counts these runs.
 * - inputs: columns (result/fields) that the user chose (role input) or that describe the
 *   environment (engine, host). differing: two runs have different values; `between` is false if
 *   each side has the same mixture of them. Differences between sides come first. partly_recorded:
 *   equal where recorded, but some runs do not record them. The lists of these and of equal fields
 *   are included on request.
 * - If all runs of a side are also on the first side, or the other way round, nothing shows whether
 *   a difference is random (ratio.h).
 * - metrics: the requested ones, in that order; otherwise the headline metrics that have a number
 *   on some side.
 * - families: percentiles of each family of tbl/metrics.h that has a number on some side.
 */
#pragma once

#include "result/compare/ratio.h"

#define RES_COMPARE_SIDES_MAX 8

/*
 * Stores the headline metrics of a list in `ret`, in display order: rates, derived metrics, then
 * the statistics of the headline families. Returns their number. The fields are borrowed from the
 * list.
 */
#define RES_COMPARE_HEADLINE_MAX 64
size_t res_compare_headline(const struct res_fields *fields,
			    const struct res_field *ret[RES_COMPARE_HEADLINE_MAX]);

/* The values of a field in the runs of one side. Initialize with { 0 }. */
struct res_compare_values {
	json_t *counts; /* by the value's canonical JSON; NULL: none */
	/* number of distinct rarer values that were not listed; a comparison lists all */
	size_t more;
	size_t null;
	size_t not_recorded;
	bool has_numbers;
	double least, most; /* over all its numbers, listed or not */
};
void res_compare_values_done(struct res_compare_values *values);
#define auto_compare_values \
	__attribute__((cleanup(res_compare_values_done), unused)) struct res_compare_values

/* Counts a number of `count` runs. Integers are counted as such, whatever their notation. */
void res_compare_add_number(struct res_compare_values *values, double number, size_t count);
/* Extends least and most to a number that is not listed. */
void res_compare_reach(struct res_compare_values *values, double number);
void res_compare_add_yes(struct res_compare_values *values, bool yes, size_t count);
void res_compare_add_text(struct res_compare_values *values, const char *text, size_t count);
/* `json` must be compact, with sorted keys of objects. */
void res_compare_add_json(struct res_compare_values *values, const char *json, size_t count);

struct res_compare_side {
	const char *name;
	size_t runs;
	json_t *about; /* members added to these two in the output; or NULL */
};

struct res_compare_source {
	void *context;
	const struct res_fields *fields;
	const struct res_compare_side *sides;
	size_t side_count;
	/*
	 * Number of runs on both sides of each pair, indexed with the lower side first; NULL: none.
	 */
	const size_t (*shared)[RES_COMPARE_SIDES_MAX];
	/* Overwrites *ret, which is settled and, for a single run, has its interval. */
	void (*sample)(void *context, size_t side, const struct res_field *field,
		       struct res_sample *ret);
	/* *ret is { 0 } before the call. */
	void (*values)(void *context, size_t side, const struct res_field *field,
		       struct res_compare_values *ret);
	/* Returns whether there is time for another metric. NULL: always. */
	bool (*is_in_time)(void *context);
	/*
	 * Returns whether the reader sees differences in the field anyway; then it causes no
	 * caution. NULL: never.
	 */
	bool (*is_shown)(void *context, const char *id);
};

struct res_compare_options {
	const struct res_field *metrics; /* NULL: headline metrics */
	size_t metric_count;
	double effect; /* 0: RES_RATIO_SMALL_EFFECT */
	bool list_equal;
};

/*
 * Returns only the cautions, a new reference, for one side: the rows of a chart. Includes the
 * fields that only a chart must name. Uses `values` and `is_shown` of the source.
 */
json_t *res_compare_cautions(const struct res_compare_source *source);

/* Returns a new reference. */
json_t *res_compare(const struct res_compare_source *source,
		    const struct res_compare_options *options);
