/*
 * Regressions and trends of the stored results (query/series/series.h) for routes, watches and commands. Analyses of single
 * series are cached for all of them.
 */
#pragma once

#include "base/buf.h"
#include "base/err.h"
#include "base/json.h"
#include "schema/schema.h"

struct dash_context;
struct mirror_cancel_token;

/*
 * Answers a request of POST /api/analysis/regression with the response as JSON text, and repeats it if results change
 * meanwhile. The request is valid by api/openapi.yaml; without budget_ms it takes the time it needs. Any thread; the token may
 * be NULL. Returns -1 if faults were added or the store failed.
 */
int dash_regression(const struct dash_context *context, struct mirror_cancel_token *cancel_token,
		    const json_t *question, struct pl_buf *ret_json, struct schema_faults *faults,
		    struct pl_err *err) PL_MUST_CHECK;
