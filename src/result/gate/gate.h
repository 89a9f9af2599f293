/*
 * Is a candidate slower than its baseline? For each configuration that both have and each metric:
 * the logarithm of the ratio, counted so that above 0 is worse, and its evidence (evidence.h).
 *
 *	pass        the interval excludes the minimum effect: it is not worse by that much
 *	regression  the interval excludes equality, and the ratio is at least half the minimum effect
 *	undecided   neither yet: more runs are needed
 *
 * - An unchanged candidate becomes a regression with probability alpha at most, over all
 *   configurations, metrics and looks together: each test gets its share of alpha. A candidate that is
 *   worse by the minimum effect or more passes with probability beta at most in each test.
 * - Between equality and the minimum effect, either decision is right.
 * - A configuration without a match is never compared; it is listed and prevents `pass`.
 * - Failed runs have no metrics. A candidate that has more of them than its baseline explains is a
 *   regression, whatever its other runs measure.
 *
 *  {base, candidate: {name, runs, failed, interrupted, copies}, state, alpha, beta,
 *   rounds: number or null,
 *   failed_runs: {state: pass or regression, max: share, sentence: text or null},
 *   cells: [{key, label, state, base_count, candidate_count, metrics: [TEST]}],
 *   missing: [{label, count, differs}], added: [the same],
 *   releases: res_grid_json()}
 *  TEST {field, label, unit, direction, effect, state, paired, count, base, candidate, ratio, low,
 *        high, more_runs_count: number or null, sentence}
 *
 * - copies: results with the run_id of an earlier one of this side. They are not counted: a copy is
 *   not a measurement.
 * - interrupted: results of runs that a signal ended. They are not counted either.
 * - state: pass, regression, undecided, not_judged. The worst of failed_runs and of the tests:
 *   regression, not_judged, undecided, pass.
 * - failed_runs: a regression if the candidate has more failed runs than the baseline's share of its
 *   own runs, rounded up to whole runs, plus the share `max` of them.
 * - not_judged: a configuration is missing. Or a metric is missing or 0: in the baseline, in all runs of
 *   the candidate, or missing (a rate: or 0) in several runs and more than twice the baseline's share.
 * - count: pairs, or the runs of the smaller group. rounds: null if the runs are not paired.
 * - ratio, low, high: candidate divided by baseline; low or high is null while there is no bound.
 * - missing: configurations of the baseline that the candidate lacks; added: the reverse.
 */
#pragma once

#include "base/buf.h"
#include "result/fields/fields.h"

#define RES_GATE_ALPHA 0.01
#define RES_GATE_BETA  0.05

enum res_gate_state {
	RES_GATE_PASS,
	RES_GATE_UNDECIDED,
	RES_GATE_NOT_JUDGED,
	RES_GATE_REGRESSION, /* in the order of their weight */
};
const char *res_gate_state_name(enum res_gate_state state);

/* ---- one test ------------------------------------------------------------------------------ */

struct res_gate_limits {
	double effect; /* least difference that matters, a logarithm above 0 */
	double alpha, beta;
};

/* From the logarithms of candidate/baseline of pairs, or of two groups; above 0 is worse. */
enum res_gate_state res_gate_judge_pairs(const struct res_gate_limits *limits, const double *x,
					 size_t n);
enum res_gate_state res_gate_judge_groups(const struct res_gate_limits *limits, const double *a,
					  size_t m, const double *b, size_t k);

/* ---- results ------------------------------------------------------------------------------- */

enum { RES_GATE_BASE, RES_GATE_CANDIDATE, RES_GATE_SIDES };

struct res_gate_options {
	const struct res_field *metrics; /* borrowed; in this order */
	size_t metric_count;
	double effect; /* share, such as 0.05; 0: the default of each metric */
	double alpha, beta;
	const char *names[RES_GATE_SIDES];
	const char *const *vary; /* inputs that may differ between the sides */
	size_t vary_count;
	bool skip_empty; /* metrics that the baseline lacks do not count, instead of not being judged */
	/* share of failed runs that the candidate may have in addition to the baseline's; 1: any number */
	double max_failed;
};

struct res_gate;

/* Borrows both. */
struct res_gate *res_gate_new(const struct res_fields *fields,
			      const struct res_gate_options *options);
void res_gate_free(struct res_gate *gate);
PL_AUTO_DEFINE(struct res_gate, res_gate_free);
#define auto_gate PL_AUTO(res_gate_free)

/*
 * Adds a result. round: runs of both sides with the same round and configuration are a pair, measured
 * one after the other; 0: not paired. Results that did not complete are counted as failed.
 */
void res_gate_add(struct res_gate *gate, unsigned side, int64_t round, const json_t *document);

/* The key of a result's configuration, free(); and the state of a configuration. */
char *res_gate_key(const struct res_gate *gate, const json_t *document);
enum res_gate_state res_gate_cell_state(const struct res_gate *gate, const char *key);

/* Returns a new reference. */
json_t *res_gate_json(const struct res_gate *gate);
/* The worst state of the tests, without failed_runs: that share is certain only at the end. */
enum res_gate_state res_gate_tests_state(const struct res_gate *gate);

/* For a terminal, and as Markdown for a comment. Both append. */
void res_gate_text(const json_t *report, bool color, struct pl_buf *buf);
#define RES_GATE_MARKDOWN_HEAD "### Performance gate: "
void res_gate_markdown(const json_t *report, struct pl_buf *buf);
