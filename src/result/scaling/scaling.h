/*
 * How a metric scales over sizes, such as 1, 2, 4 and 8 GPUs, and where more of them stop paying
 * (docs/reference/scaling.md). Pure functions.
 *
 * With x the mean of a metric over the runs of a point, x0 that of the base, and g and g0 their GPUs:
 *
 *	speed-up    S = x / x0, or x0 / x if a lower value is better
 *	ideal       I = g / g0, or the ratio of the sizes
 *	efficiency  E = S / I
 *	gain        G = (S - S') / (I - I'), from the previous size (') on the line: the share of an ideal GPU's
 *	            contribution that each added GPU makes
 *
 * - S, I, E and G have no unit; 1 is ideal for E and G.
 * - The line has one point for each size: the one with the best mean; of equal ones that with fewer
 *   GPUs, then the first. The base is the point of the smallest size on the line.
 * - All intervals are 95 % intervals over repeated runs. That of S is the interval of a comparison
 *   (result/compare/ratio.h); E has the same, divided by I. That of G follows from the variances of the
 *   means (delta method) with Welch's and Satterthwaite's degrees of freedom.
 * - For G, a point with a single run takes the pooled relative variance of the points of the line with several
 *   runs, if those have RES_SCALING_POOL_MIN degrees of freedom.
 * - The same runs always give the same result, in any order.
 */
#pragma once

#include "result/fields/fields.h"
#include "result/intervals.h"

#define RES_SCALING_POOL_MIN 4
#define RES_SCALING_GAIN     0.5 /* the default limit of the gain */

/* The runs of one configuration. Numbers are finite. Borrowed. */
struct res_scaling_runs {
	double size;
	double gpus; /* NaN: unknown */
	const double *values;
	size_t count; /* at least 1 */
};

/* NaN: unknown. */
struct res_scaling_value {
	double value;
	struct res_interval interval;
};

/* Whether each added GPU contributes at least the limit. */
enum res_scaling_pays {
	RES_SCALING_PAYS_NONE,    /* no gain: the first size, or not on the line */
	RES_SCALING_PAYS_UNKNOWN, /* no interval */
	RES_SCALING_PAYS_YES,     /* the whole interval is at least the limit */
	RES_SCALING_PAYS_PERHAPS, /* the interval contains the limit */
	RES_SCALING_PAYS_NO,      /* the whole interval is below the limit */
};
/* "none", "unknown", "yes", "perhaps", "no" */
const char *res_scaling_pays_name(enum res_scaling_pays pays);

struct res_scaling_point {
	bool is_on_line;
	struct res_scaling_value mean;    /* Student's interval */
	struct res_scaling_value per_gpu; /* mean / gpus; unknown if a lower value is better */
	struct res_scaling_value speedup;
	double ideal;
	struct res_scaling_value efficiency;
	struct res_scaling_value gain;
	enum res_scaling_pays pays;
};

struct res_scaling_question {
	const char *metric; /* id: part of the seed of intervals */
	bool higher;        /* a higher value is better */
	/* Without known GPUs, the ideal is the ratio of the sizes: other sizes are equal, and GPUs their product. */
	bool multiplies;
	double gain_limit;
	bool with_intervals; /* false: no interval of speed-up, efficiency and gain */
	const struct res_scaling_runs *runs;
	size_t count;
};

/*
 * Sets ret_points[count], in the order of the runs. Returns the index of the point at which more GPUs stop
 * paying: the first one on the line, by size, whose gain is below the limit; SIZE_MAX: none.
 */
size_t res_scaling_analyze(const struct res_scaling_question *question,
			   struct res_scaling_point *ret_points);

/* ---- sizes -------------------------------------------------------------------------------------- */

/* Parallel sizes of a server; NaN: unknown. */
struct res_scaling_layout {
	double tensor;   /* unknown: nothing is known about the others */
	double pipeline; /* this and the others below: unknown counts as 1 */
	double data;
	double data_local;      /* replicas on one node; unknown: all */
	double prefill_context; /* multiplies, too */
	double nodes;
	bool is_expert; /* experts are divided among the tensor x context x data ranks */
};

/* The GPUs that all ranks use together: tensor x pipeline x context x data. Expert parallelism divides the same GPUs. */
double res_scaling_gpus(const struct res_scaling_layout *layout);
/* 1 without expert parallelism. */
double res_scaling_experts(const struct res_scaling_layout *layout);
/* nnodes, or else the replicas divided by those of one node. */
double res_scaling_nodes(const struct res_scaling_layout *layout);
