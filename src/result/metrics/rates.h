/*
 * Rates (rows RATE of tbl/metrics.h): requests or tokens divided by the time from the start of
 * sending to the last response, and the 95 % confidence interval of each within the run
 * (docs/reference/metrics.md).
 */
#pragma once

#include "base/json.h"
#include "result/how.h"
#include "result/outcome.h"

/*
 * Writes KEY and KEY_ci95 of each rate into `into`. duration_s: the run's, NaN if nothing was sent.
 * A rate is null without a duration or if a request's part is unknown, goodput also without limits.
 * An interval is null below RES_MEAN_REQUESTS_MIN requests, and if fewer than RES_WINDOWS_MIN
 * windows of twice the duration of a request fit into the run.
 */
void res_rates_write(const struct res_outcome *outcome, const struct res_how *how,
		     double duration_s, json_t *into);
