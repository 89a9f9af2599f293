/*
 * Changes in a series of results: is a metric of one configuration slower since some release, how
 * much, and how sure is it (docs/reference/changes.md has each formula and the error rates).
 *
 *     points --clean--> values --divide--> cuts --confirm--> changes --persist--> verdict
 *                                  \__ tail: the newest points      family: all series together
 *
 * - A series has one value per experiment: requests of one run share its server, host and time, so
 *   they are not independent samples. Its configuration (comparability key) is equal in all points
 *   except for the version under study; the caller groups by it.
 * - Points may come in any order; they are sorted by (at, id). The same points give the same answer,
 *   bit for bit: random numbers are seeded from the key.
 * - The functions keep no state and lock nothing. Persistence is computed from the points: a change
 *   counts as found in 3 analyses if it is also found without the last point and without the last two.
 */
#pragma once

#include <stdint.h>

#include "base/json.h"
#include "result/change/clean.h"
#include "result/fields/fields.h"
#include "result/intervals.h"

struct res_change_point {
	/* position on an axis that all series share: a time, or a release's rank and the time in it */
	int64_t at;
	const char *id; /* unique in its series: orders points of the same `at` */
	double value;   /* not finite: a gap */
	/* Codes of texts, equal if and only if the texts are; 0: not recorded. */
	uint32_t hardware; /* GPUs, driver: a new one starts a new segment */
	uint32_t host;
	uint32_t version;       /* the version under study */
	const uint32_t *fields; /* of the family's fields (res_change_causes()); NULL: none */
};

/* The decision of a user on a change at `at`. */
enum res_change_decision_kind {
	RES_DECISION_NONE,
	RES_DECISION_ACKNOWLEDGED,
	RES_DECISION_EXPECTED, /* earlier points are not analyzed */
	RES_DECISION_FIXED,
	RES_DECISION_WRONG, /* no change is reported at this position */
};
/* "none", "acknowledged", "expected", "fixed", "wrong" */
const char *res_change_decision_name(enum res_change_decision_kind kind);

struct res_change_decision {
	int64_t at; /* of the first point after the change */
	enum res_change_decision_kind kind;
};

struct res_change_series {
	const char *key; /* configuration and metric: unique, seeds the random numbers */
	struct res_change_point *points; /* sorted by the analysis */
	size_t count;
	const struct res_change_decision *decisions;
	size_t decision_count;
	enum res_field_direction direction;
	enum res_change_scale scale;
	/* 0.05: changes below 5 % are not reported; on the linear scale in the unit of the metric */
	double effect_min;
};

struct res_change_options {
	size_t side_min;           /* points per side of a change, at least 2 */
	double alpha;              /* of the permutation test */
	size_t permutations;       /* its number of orders */
	size_t later_permutations; /* the same for the other analyses that must find a change */
	size_t block;              /* neighbors that stay together if points are correlated */
	/*
	 * Values that a test must cover before its change is more than SUSPECT: fewer cannot show
	 * whether neighbors are correlated.
	 */
	size_t related_min;
	double rank_alpha;  /* of Mann-Whitney's test of a change */
	double noise;       /* least effect in robust standard deviations of the points */
	double noisier;     /* ratio of spreads from which a series is noisier */
	size_t persist;     /* consecutive analyses that must find a change, 1 or more */
	size_t drift;       /* positions by which these may differ */
	size_t tail;        /* newest points that the tail check compares */
	size_t tail_before; /* with this many before them */
	double tail_alpha;
	double q; /* false discovery rate over all series */
};
extern const struct res_change_options res_change_defaults;

enum res_change_state {
	RES_CHANGE_STABLE,
	RES_CHANGE_REGRESSION,
	RES_CHANGE_IMPROVEMENT,
	RES_CHANGE_SHIFTED, /* of a metric without a better direction */
	RES_CHANGE_SUSPECT, /* not found by enough analyses, or only by the tail check */
	RES_CHANGE_NOISIER, /* same level, more variation */
	RES_CHANGE_INSUFFICIENT,
	RES_CHANGE_NOT_COMPARABLE,
};
/* "stable", "regression", "improvement", "changed", "suspect", "noisier", "insufficient_data", "not_comparable" */
const char *res_change_state_name(enum res_change_state state);

/*
 * Returns the minimum effect of a metric on the log scale: 0.03 for rates (better if higher), 0.05
 * for medians and means, 0.08 from the 90th and 0.15 from the 99th percentile and for standard
 * deviations.
 */
double res_change_effect_default(const struct res_field *field);

/* One side of a change. */
struct res_change_side {
	size_t count;
	double median; /* in the unit of the metric */
	double spread; /* robust standard deviation on the scale: of the log scale the robust CV */
};

/* A permutation test that res_change_family() repeated with more orders. */
struct res_change_test {
	double alpha;
	size_t orders; /* 0: none */
	double p;
	size_t drawn;
};
#define RES_CHANGE_TESTS_MAX 4

/* A change before the point at `index`; indexes are those of the sorted points. */
struct res_change {
	enum res_change_state state;
	enum res_change_decision_kind decision; /* about this position */
	size_t index;
	size_t low, high; /* first and last plausible index, 95 % */
	struct res_change_side before, after;
	/*
	 * exp(Hodges-Lehmann shift): 1.1 is 10 % higher; an odds ratio on the logit scale; the
	 * shift itself on the linear scale. The interval is a 95 % one.
	 */
	double ratio;
	struct res_interval interval;
	double effect_min; /* applied: the series' one, or the noise if that is larger */
	double p;          /* permutation test of the best cut */
	size_t permutations;
	double q;           /* of p over the family; NaN before res_change_family() */
	double rank_p;      /* Mann-Whitney, corrected for the correlation of neighbors */
	double delta;       /* Cliff's delta */
	bool is_correlated; /* blocks were permuted */
	bool is_spread;     /* the distances from the median were cut, not the values */
	bool is_other_host; /* no host measured on both sides */
	size_t seen;        /* consecutive analyses that found it, up to options.persist */
	/* the values that were cut, as positions among the values without gaps */
	size_t from, end;
	uint64_t seed;
	double cut_q;
	/* the newest repeated tests, so that a copy of an analysis does not repeat them */
	struct res_change_test repeated[RES_CHANGE_TESTS_MAX];
};

/* The newest points against those before them. */
struct res_change_tail {
	bool is_tested;
	bool is_hit;    /* p and effect suffice; the family may withdraw it */
	size_t missing; /* points of the newest version until it is tested */
	size_t index;   /* first of the newest points */
	double ratio, effect_min, p, q;
	struct res_change_side before, after;
};

struct res_change_analysis {
	const struct res_change_series *series; /* borrowed */
	enum res_change_state state;
	size_t missing; /* points until it can be analyzed (INSUFFICIENT); 0: that is not the reason */
	size_t gaps;
	size_t *outliers; /* indexes */
	size_t outlier_count;
	size_t *markers; /* indexes of the first point on new hardware */
	size_t marker_count;
	size_t since; /* first index of the current segment: the last change, marker or cut */
	struct res_change *changes; /* in order */
	size_t change_count, change_room;
	double p; /* of the test of the newest part if it has no change; NaN: none */
	double q;
	struct res_change_tail tail;
	struct res_change_side current; /* the points since `since` */
	json_t *reasons;                /* lines of text */
	/* values without gaps on the scale, and their indexes */
	double *y;
	size_t *index;
	size_t value_count;
};
void res_change_analysis_done(struct res_change_analysis *analysis);

/* Analyzes one series. The verdict is final after res_change_family(). */
void res_change_analyze(struct res_change_series *series, const struct res_change_options *options,
			struct res_change_analysis *ret);

/*
 * Completes a copy of an analysis without values: sets the series, and computes `y` and `index` from its points, which must be
 * equal to those that were analyzed.
 */
void res_change_attach(struct res_change_analysis *analysis,
		       const struct res_change_series *series);

/*
 * Decides over the analyses of all series: computes q by Benjamini and Hochberg, withdraws changes
 * and tail checks above options.q, and writes states and reasons. If the number of series asks for
 * smaller p than the first permutations can show, it draws more for the changes found, all changes
 * together in the order of (number of series) / q. Call it once.
 */
void res_change_family(struct res_change_analysis *analyses, size_t count,
		       const struct res_change_options *options);

/*
 * Points that a series needs after a change of `effect` (0.05: 5 % up) until half of such changes
 * are confirmed, if `before` points with this spread precede it. NaN: never, because `before` is
 * too small.
 */
double res_change_points_needed(enum res_change_scale scale, double spread, size_t before,
				double effect, const struct res_change_options *options);

/* Changes of several series at one position of the axis. */
struct res_incident_member {
	size_t analysis; /* index in the list of analyses */
	size_t change;
};
struct res_incident {
	/* the change is after the point at `from` and at or before the one at `to` */
	int64_t from, to;
	struct res_incident_member *members;
	size_t count, room;
};
/*
 * Merges regressions, improvements and shifts whose intervals, widened by `drift` positions on each
 * side (options.drift), have a common part. Stores a new list in order of the axis; free it with
 * res_incidents_free().
 */
void res_change_incidents(const struct res_change_analysis *analyses, size_t count, size_t drift,
			  struct res_incident **ret, size_t *ret_count);
void res_incidents_free(struct res_incident *incidents, size_t count);

/* A field whose value changes at the position of an incident. */
struct res_cause {
	size_t field;
	double score; /* share of affected series in which it changes there, less that of others */
	size_t affected;  /* affected series in which it changes there */
	size_t elsewhere; /* its other changes in all series */
};
/*
 * Ranks the fields of the points: stores those that change at the incident in at least half of the
 * affected series, best first, in ret[0..field_count) and returns their number.
 */
size_t res_change_causes(const struct res_change_analysis *analyses, size_t count,
			 const struct res_incident *incident, size_t field_count,
			 struct res_cause *ret);

/* Returns the analysis as JSON, a new reference: docs/reference/changes.md. */
json_t *res_change_json(const struct res_change_analysis *analysis,
			const struct res_change_options *options);
