/*
 * The uncertainty of a frontier over repeats: which configurations are on it for sure, and 95 %
 * intervals of its hypervolume and of the best value at a limit (docs/reference/frontier.md).
 *
 * - The sample unit is the run. Each draw resamples the runs of every configuration; the metrics of
 *   one run stay together.
 * - With at least RES_FRONTIER_OWN_RUNS runs, a configuration has its own spread. With fewer, the
 *   relative deviations of all configurations with several runs are resampled for it. If these are
 *   too few, nothing is known about the spread: has_spread is false.
 * - The same runs always give the same result, in any order: the seed is derived from the values.
 */
#pragma once

#include "result/frontier/frontier.h"
#include "result/intervals.h"

#include <stdint.h>

#define RES_FRONTIER_OWN_RUNS   3
#define RES_FRONTIER_POOL_MIN   5 /* deviations */
#define RES_FRONTIER_DRAWS      1000
#define RES_FRONTIER_DRAWS_MIN  200
#define RES_FRONTIER_DRAWN_RUNS 1000000 /* more runs are drawn less often */
#define RES_FRONTIER_SURE       0.95    /* share of the draws */
#define RES_FRONTIER_LIMITS_MAX 8

/* Runs: `count` points of finite numbers. At least one. Borrowed. */
struct res_frontier_configuration {
	const double *runs;
	size_t count;
};

enum res_frontier_membership {
	RES_FRONTIER_UNKNOWN, /* no spread */
	RES_FRONTIER_NOT,     /* in at most 5 % of the draws */
	RES_FRONTIER_PERHAPS,
	RES_FRONTIER_SURELY, /* in at least 95 % of the draws */
};
/* "unknown", "not", "perhaps", "surely" */
const char *res_frontier_membership_name(enum res_frontier_membership membership);

/* The best mean of dimension `wanted` among configurations that keep a limit in `limited`. */
struct res_frontier_limit {
	unsigned limited;
	double value; /* at least, or at most if a lower number is better; infinite: no limit */
	unsigned wanted;
};

/* NaN: unknown, or no configuration keeps the limit. */
struct res_frontier_figure {
	double value;
	double feasible_share; /* draws in which a configuration keeps the limit */
	struct res_interval interval;
	size_t configuration; /* which one has the value; SIZE_MAX: none */
};

/* Initialize with { 0 }. All arrays have one item per configuration. */
struct res_frontier_analysis {
	double *means; /* points */
	enum res_frontier_state *states;
	enum res_frontier_membership *memberships;
	double *shares; /* of the draws in which it is on the frontier; NaN: unknown */
	size_t on_count;
	size_t knee; /* SIZE_MAX: none */
	bool has_spread;
	bool is_cut;                            /* by goes_on() */
	struct res_frontier_figure hypervolume; /* `configuration` is SIZE_MAX */
	struct res_frontier_figure limits[RES_FRONTIER_LIMITS_MAX];
};
void res_frontier_analysis_done(struct res_frontier_analysis *analysis);
#define auto_frontier_analysis \
	__attribute__((cleanup(res_frontier_analysis_done), unused)) struct res_frontier_analysis

struct res_frontier_question {
	const struct res_frontier_space *space;
	const struct res_frontier_configuration *configurations;
	size_t count;
	const double *reference; /* of the hypervolume; NULL: no hypervolume */
	const struct res_frontier_limit *limits;
	size_t limit_count; /* at most RES_FRONTIER_LIMITS_MAX */
	/* Returns false to end the draws: then has_spread is false. NULL: they take as long as they take. */
	bool (*goes_on)(void *data);
	void *data;
};

/* Overwrites *ret. */
void res_frontier_analyze(const struct res_frontier_question *question,
			  struct res_frontier_analysis *ret);
