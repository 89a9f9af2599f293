/*
 * The files that lie beside a result: requests, series, logs, pictures.
 */
#pragma once

#include "base/err.h"
#include "base/json.h"

struct res_outcome;
struct run_state;

/* Of a finished run; *ret_artifacts: array, *ret_series: object or NULL (new references). */
int run_side_files(const struct run_state *run, json_t **ret_artifacts, json_t **ret_series,
		   struct pl_err *err) PL_MUST_CHECK;
/* One line a record of the outcome, behind those of its failed tries. */
int run_requests_write(const char *path, const struct res_outcome *outcome,
		       struct pl_err *err) PL_MUST_CHECK;
