/* Writes the artifacts of a result: requests, series, logs, charts. */
#pragma once

#include "base/err.h"
#include "base/json.h"

struct res_outcome;
struct run_state;

/* For a finished run; *ret_artifacts: array, *ret_series: object or NULL (new references). */
int run_artifacts(const struct run_state *run, json_t **ret_artifacts, json_t **ret_series,
		  struct pl_err *err) PL_MUST_CHECK;
/* Writes one line per record of the outcome, after those of its failed attempts. */
int run_requests_write(const char *path, const struct res_outcome *outcome,
		       struct pl_err *err) PL_MUST_CHECK;
