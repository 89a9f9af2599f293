/*
 * Quality checks (rows of tbl/quality.h): from facts to a verdict. Used for our own runs and for
 * imported files. NaN: unknown; the check is then `unknown`.
 */
#pragma once

#include "base/json.h"

#include <stddef.h>

#define RES_QUALITY_DETAIL_BYTES 200

struct res_quality_facts {
#define FACT(name, text) double name;
#include "tbl/quality.h"
#undef FACT
	const double *percentiles; /* the reported ones, for sample_size */
	size_t percentile_count;
	const json_t *mismatches; /* of config_mismatch; NULL: none */
	/* Findings of checks, for their texts; "": nothing to add. */
	char totals_detail[RES_QUALITY_DETAIL_BYTES];
	char order_detail[RES_QUALITY_DETAIL_BYTES];
	char zeros_detail[RES_QUALITY_DETAIL_BYTES];
	char lists_detail[RES_QUALITY_DETAIL_BYTES];
	char proxy_detail[RES_QUALITY_DETAIL_BYTES];
	char worst_metric[64]; /* key of `results` with the largest client error; "": unknown */
};

/* Names of verdicts and of check statuses, best first; NULL-terminated. */
extern const char *const res_quality_verdicts[];
extern const char *const res_quality_statuses[];

/* Sets all facts to unknown. */
void res_quality_init(struct res_quality_facts *facts);
/*
 * Returns the number of samples from which a percentile (in percent) has a 95 % interval by order
 * statistics: 368 for 99; infinite for 0 and 100.
 */
double res_quality_sample_needed(double percentile);
/*
 * Returns {verdict, measurement: {metric, share, lo, hi}, load: {KEY: {value, limit}, …},
 * checks: [{id, status, value, limit, unit, effect, text}]}, null if unknown. verdict: null if
 * nothing was measured or too little is known. New reference.
 */
json_t *res_quality_evaluate(const struct res_quality_facts *facts);
/* The same for an imported file, which contains little: omits the unknown checks. */
json_t *res_quality_evaluate_known(const struct res_quality_facts *facts);
