/*
 * From a question about regressions to a verdict: stable, suspect or regression, for watches and for
 * `profllm-dashboard regress`.
 * - A series counts if it became worse. A regression on which users have decided (acknowledged, expected, fixed) does not
 *   count, and one that is wrong is none.
 * - Threads: any.
 */
#pragma once

#include "base/json.h"
#include "dash/analysis/analysis.h"

#define DASH_VERDICT_SERIES_MAX 20 /* the listed ones, the worst first */

/*
 * Asks the question, a RegressionRequest of api/openapi.yaml, of all stored results. *ret: {state, failed, message,
 * counts, series}, a new reference; a question that cannot be asked of these results has the state "error" and a
 * message. *ret_version is the data version. Returns -1 if the store failed or the query was cancelled.
 */
int dash_verdict(const struct dash_context *context, const json_t *question, const char *fail_on,
		 json_t **ret, int64_t *ret_version, struct pl_err *err) PL_MUST_CHECK;
