/*
 * The effect of each input of runs on a metric, in matched pairs (docs/reference/impact.md).
 *
 * Runs that are equal in all other inputs form a cell. A cell with two values of an input gives one
 * difference: the median of ln(metric) of the runs with the one value, less that of the other. The
 * effect is the median of the differences over all cells (Hodges, Lehmann 1963), and its interval
 * the one of the signed rank test (Wilcoxon 1945). Ratios are exp() of them, without a unit.
 *
 * - An input is credited only with what changes while every other input is equal. Inputs that always
 *   change at the same time form one effect, which is not divided. If an input always changes at the
 *   same time as a host input, it has no effect of its own.
 * - Codes of values start at 1, in the order of the values; 0 is not recorded, which is no value of
 *   an effect but distinguishes cells.
 * - The result depends on values and codes alone, not on the order of the rows.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "result/intervals.h"

#define RES_IMPACT_LEVELS_MAX   12  /* compared values of an input: the most frequent ones */
#define RES_IMPACT_WITH_MAX     8   /* named inputs that vary together with one */
#define RES_IMPACT_EVERY_RUN    0.9 /* an input with more values per run is no part of a cell … */
#define RES_IMPACT_EVERY_LEAST  20  /* … if there are at least so many runs */
#define RES_IMPACT_STRONGEST    4   /* effects whose interactions are computed in pairs */
#define RES_IMPACT_SMALL_EFFECT 0.05

struct res_impact_factor {
	const char *id;
	const uint32_t *codes; /* by row */
	uint32_t level_count;  /* codes are below */
	bool is_host;    /* host or driver: nothing is credited that changes at the same time */
	bool is_ordered; /* codes are ordered like numbers */
	/* Computed from other inputs. If no two runs differ in it alone, it is no part of a cell. */
	bool is_derived;
};

struct res_impact_question {
	const struct res_impact_factor *factors; /* in the order of their ids */
	size_t factor_count;
	const double *values; /* of the metric, by row: finite and above 0 */
	const int64_t *ids;   /* by row */
	size_t row_count;
	double effect;       /* the least effect that matters: 0.05 is 5 % */
	bool without_forest; /* no importances */
	/*
	 * Returns false once the time is over: the remaining effects and importances are omitted, and all effects if there
	 * was no time to compare the inputs with each other. NULL: never.
	 */
	bool (*goes_on)(void *data);
	void *data;
};

/* How the interval was made. */
enum res_impact_method {
	RES_IMPACT_NO_INTERVAL,
	RES_IMPACT_RUNS,    /* one cell: rank statistics of its runs (result/change/rank.h) */
	RES_IMPACT_STUDENT, /* 2 to 5 cells */
	RES_IMPACT_RANKS,   /* 6 and more cells */
};

/* A ratio with a 95 % confidence interval. NaN: unknown. */
struct res_impact_ratio {
	double ratio;
	struct res_interval interval;
	double p; /* two-sided: Student's below 20 cells, else the signed rank test's */
	enum res_impact_method method;
	size_t cell_count;
};

struct res_impact_contrast {
	uint32_t from, to; /* codes of the first input of the effect */
	struct res_impact_ratio effect;
	size_t pair_count;    /* pairs of runs within the cells */
	double plain_ratio;   /* of the plain means of all runs with these values, matched or not */
	double means[2];      /* of these runs */
	size_t run_counts[2]; /* of these runs */
	/* determined by this input, and different between these two values; at most …_WITH_MAX are listed */
	size_t with[RES_IMPACT_WITH_MAX];
	size_t with_count;
};

enum res_impact_finding {
	RES_IMPACT_UNKNOWN, /* no interval */
	RES_IMPACT_UNCLEAR, /* the interval contains 1 and an effect that matters */
	RES_IMPACT_NONE, /* the interval contains 1 and no effect that matters, or q is above 0.05 */
	RES_IMPACT_LOWER,
	RES_IMPACT_HIGHER,
};
/* "unknown", "unclear", "none", "lower", "higher" */
const char *res_impact_finding_name(enum res_impact_finding finding);

struct res_impact_effect {
	size_t *factors; /* inputs that vary only together; the first one's codes count */
	size_t factor_count;
	/* Most cells first; with equally many, the values that are furthest apart. The first one counts. */
	struct res_impact_contrast *contrasts;
	size_t contrast_count; /* at least 1 */
	size_t more_levels;
	double q; /* Benjamini and Hochberg's, of the first contrasts of all effects */
	enum res_impact_finding finding;
	/* of the forest (result/impact/forest.h), in shares of the variance of ln(metric); NaN: none */
	double importance;
};

enum res_impact_reason {
	RES_IMPACT_CONSTANT, /* never varies */
	RES_IMPACT_TOGETHER, /* varies only together with `with` */
	RES_IMPACT_DERIVED,  /* follows from the other inputs */
	RES_IMPACT_EACH_RUN, /* nearly every run has a value of its own */
	RES_IMPACT_NO_PAIRS, /* no two runs differ in it alone; the nearest ones differ in `with`, too */
	RES_IMPACT_NO_VALUES, /* no pair has two recorded values */
};
/* "constant", "together", "derived", "each_run", "no_pairs", "no_values" */
const char *res_impact_reason_name(enum res_impact_reason reason);

struct res_impact_rest {
	size_t factor;
	enum res_impact_reason reason;
	size_t with[RES_IMPACT_WITH_MAX];
	size_t with_count; /* listed */
	size_t with_more;  /* others */
	uint32_t from, to; /* the two most frequent values, in their order; 0: fewer than two */
	double plain_ratio;
	double means[2];
	size_t run_counts[2];
};

/* The effect of the first at both values of the second, and the ratio of these effects. */
struct res_impact_interaction {
	size_t first, second; /* effects; their first contrasts */
	struct res_impact_ratio ratio;
	struct res_impact_ratio at[2];
};

struct res_impact_analysis {
	struct res_impact_effect
		*effects; /* higher and lower first, then unclear; the largest first */
	size_t effect_count;
	struct res_impact_rest *rests; /* inputs without an effect, in the order of the question */
	size_t rest_count;
	struct res_impact_interaction *interactions; /* strongest effects first */
	size_t interaction_count;
	double explained; /* share of the variance that the forest predicts for runs it has not seen; NaN: none */
	/* by goes_on() */
	bool are_effects_cut; /* some inputs are in no list: omitted_count */
	bool are_importances_cut;
	size_t omitted_count; /* inputs that are in no list */
	struct impact_work *work;
};

void res_impact_analyze(const struct res_impact_question *question,
			struct res_impact_analysis *ret);
void res_impact_analysis_done(struct res_impact_analysis *analysis);
#define auto_impact \
	__attribute__((cleanup(res_impact_analysis_done), unused)) struct res_impact_analysis

/* The runs of one cell with the two values of a contrast: rows of the question, by id. */
struct res_impact_cell {
	size_t *rows; /* those with the first value, then those with the second */
	size_t counts[2];
	double medians[2];
};
/* Lists the cells of a contrast, in an order that depends on their codes and values alone. */
void res_impact_cells(const struct res_impact_analysis *analysis, size_t effect, size_t contrast,
		      struct res_impact_cell **ret_cells, size_t *ret_count);
void res_impact_cells_free(struct res_impact_cell *cells, size_t count);
/* Returns a row whose first input of the effect has the code. */
size_t res_impact_row_with(const struct res_impact_analysis *analysis, size_t factor,
			   uint32_t code);
