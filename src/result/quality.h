/*
 * Quality checks (rows of tbl/quality.h): from facts, where each has them, to a verdict.
 * Used by our own runs and for imported files. NaN: not known, the check is `unknown`.
 */
#pragma once

#include "base/json.h"

#include <stddef.h>

#define RES_QUALITY_DETAIL_BYTES 200

struct res_quality_facts {
#define FACT(name, text) double name;
#include "tbl/quality.h"
#undef FACT
	const double *percentiles; /* reported ones, for sample_size */
	size_t percentile_count;
	const json_t *mismatches; /* of config_mismatch; NULL: none */
	/* What a check found, for its text; "": nothing more to say. */
	char totals_detail[RES_QUALITY_DETAIL_BYTES];
	char order_detail[RES_QUALITY_DETAIL_BYTES];
	char zeros_detail[RES_QUALITY_DETAIL_BYTES];
	char lists_detail[RES_QUALITY_DETAIL_BYTES];
	char proxy_detail[RES_QUALITY_DETAIL_BYTES];
	char worst_figure[64]; /* key of `results` whose client error is worst; "": not known */
};

/* What a verdict and a check's status are called, best first; NULL-ended. */
extern const char *const res_quality_verdicts[];
extern const char *const res_quality_statuses[];

/* All facts unknown. */
void res_quality_init(struct res_quality_facts *facts);
/* Samples from which a percentile (in percent) has a 95 % interval by order statistics: 368 for 99;
 * infinite for 0 and 100. */
double res_quality_sample_needed(double percentile);
/*
 * {verdict, measurement: {worst_figure, share, lo, hi}, load: {KEY: {value, limit}, …}, checks: [{id,
 * status, value, limit, unit, effect, text}]}, null what is not known. verdict: null when nothing was
 * measured, or too little is known to trust it. New reference.
 */
json_t *res_quality_evaluate(const struct res_quality_facts *facts);
/* The same of a file that others wrote, which says little: without the checks that are unknown. */
json_t *res_quality_evaluate_known(const struct res_quality_facts *facts);
