/* Names, and the reasons of a verdict as lines of text. */
#include "result/change/change_priv.h"

#include <math.h>

const char *res_change_state_name(enum res_change_state state)
{
	static const char *const names[] = {
		[RES_CHANGE_STABLE] = "stable",
		[RES_CHANGE_REGRESSION] = "regression",
		[RES_CHANGE_IMPROVEMENT] = "improvement",
		[RES_CHANGE_SHIFTED] = "changed",
		[RES_CHANGE_SUSPECT] = "suspect",
		[RES_CHANGE_NOISIER] = "noisier",
		[RES_CHANGE_INSUFFICIENT] = "insufficient_data",
		[RES_CHANGE_NOT_COMPARABLE] = "not_comparable",
	};

	return names[state];
}

const char *res_change_decision_name(enum res_change_decision_kind kind)
{
	static const char *const names[] = {
		[RES_DECISION_NONE] = "none",         [RES_DECISION_ACKNOWLEDGED] = "acknowledged",
		[RES_DECISION_EXPECTED] = "expected", [RES_DECISION_FIXED] = "fixed",
		[RES_DECISION_WRONG] = "wrong",
	};

	return names[kind];
}

/* "9.5 % higher"; the odds are what is higher on the logit scale. The caller frees it. */
static char *size_words(enum res_change_scale scale, double ratio)
{
	static const char *const units[] = { [RES_SCALE_LOG] = " %",
					     [RES_SCALE_LOGIT] = " % of the odds",
					     [RES_SCALE_LINEAR] = "" };
	double size = scale == RES_SCALE_LINEAR ? ratio : 100 * (ratio - 1);

	return pl_asprintf("%.3g%s %s", fabs(size), units[scale], size < 0 ? "lower" : "higher");
}

static void explain_change(struct res_change_analysis *analysis,
			   const struct res_change_options *options, size_t tests,
			   const struct res_change *change)
{
	enum res_change_scale scale = analysis->series->scale;
	auto_free char *size = size_words(scale, change->ratio);
	auto_free char *low = size_words(scale, change->interval.low);
	auto_free char *high = size_words(scale, change->interval.high);
	bool is_level = change->state != RES_CHANGE_NOISIER;

	res_change_say(analysis,
		       "position %zu (%zu to %zu): median %.4g of %zu points, before %.4g of %zu",
		       change->index, change->low, change->high, change->after.median,
		       change->after.count, change->before.median, change->before.count);
	if (is_level)
		res_change_say(analysis, "%s (95 %% interval: %s to %s; minimum effect %.3g)", size,
			       low, high, change->effect_min);
	else
		res_change_say(analysis, "spread %.3g, before %.3g", change->after.spread,
			       change->before.spread);
	res_change_say(analysis,
		       "permutation test p = %.2g (%zu orders%s), q = %.2g over %zu tests; "
		       "Mann-Whitney p = %.2g, Cliff's delta %.2f",
		       change->p, change->permutations,
		       change->is_correlated ? " of blocks: neighbors are correlated" : "",
		       change->q, tests, change->rank_p, change->delta);
	if (change->seen < options->persist)
		res_change_say(analysis, "found by %zu of %zu consecutive analyses", change->seen,
			       options->persist);
	if (change->is_other_host)
		res_change_say(analysis, "no host measured both before and after it");
	if (change->decision != RES_DECISION_NONE)
		res_change_say(analysis, "decision: %s",
			       res_change_decision_name(change->decision));
}

static void explain_missing(struct res_change_analysis *analysis,
			    const struct res_change_options *options)
{
	if (analysis->missing > 0)
		res_change_say(analysis, "%zu more points are needed: a change needs %zu per side",
			       analysis->missing, options->side_min);
	else
		res_change_say(analysis, "all values are equal");
	if (analysis->gaps > 0)
		res_change_say(analysis, "%zu of %zu points have no value", analysis->gaps,
			       analysis->series->count);
}

static void explain_tail(struct res_change_analysis *analysis)
{
	const struct res_change_tail *tail = &analysis->tail;

	if (tail->missing > 0)
		res_change_say(analysis, "%zu more points of the newest version are needed",
			       tail->missing);
	if (!tail->is_hit)
		return;
	auto_free char *size = size_words(analysis->series->scale, tail->ratio);
	res_change_say(analysis,
		       "the last %zu points are %s than the %zu before: Mann-Whitney p = %.2g, "
		       "q = %.2g",
		       tail->after.count, size, tail->before.count, tail->p, tail->q);
}

void res_change_explain(struct res_change_analysis *analysis,
			const struct res_change_options *options, size_t tests)
{
	size_t quiet = 0;

	if (analysis->state == RES_CHANGE_INSUFFICIENT)
		explain_missing(analysis, options);
	for (size_t i = 0; i < analysis->change_count; i++) {
		if (analysis->changes[i].state == RES_CHANGE_STABLE)
			quiet++;
		else
			explain_change(analysis, options, tests, &analysis->changes[i]);
	}
	if (quiet > 0)
		res_change_say(analysis, "%zu differences are not reported: q above %.2g, or wrong",
			       quiet, options->q);
	explain_tail(analysis);
	if (analysis->state == RES_CHANGE_STABLE && !isnan(analysis->p))
		res_change_say(analysis, "no change: permutation test p = %.2g of the best cut",
			       analysis->p);
}
