/*
 * What the options say about figures: limits of latency (goodput) and percentiles, as vLLM's command
 * line writes them.
 */
#ifndef RESULT_SLO_H
#define RESULT_SLO_H

#include "base/err.h"
#include "base/json.h"
#include "base/text.h"

/* Milliseconds from 0; NaN: no limit. */
struct res_slo {
	double ttft_ms, tpot_ms, e2el_ms;
};

/* A list of texts, "ttft:200 tpot:50"; names ttft, tpot, e2el; the last of a name wins. NULL: none. */
int res_slo_parse(const json_t *list, struct res_slo *ret, struct pl_err *err) PL_MUST_CHECK;

/* "50,99.9": percent from 0 to 100, in the order given; *ret: free(). */
int res_percentiles_parse(const char *text, double **ret, size_t *ret_count,
			  struct pl_err *err) PL_MUST_CHECK;
/* As it stands in keys and labels behind their p: "99", "99.9". */
void res_percentile_text(double percentile, char text[PL_F64_TEXT_BYTES]);

#endif
