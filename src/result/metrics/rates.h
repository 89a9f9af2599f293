/*
 * Rates (rows RATE of tbl/metrics.h): so many requests or tokens by the time from the start of sending to the last
 * answer, and the 95 % interval of each within the run (docs/reference/metrics.md).
 */
#pragma once

#include "base/json.h"
#include "result/how.h"
#include "result/outcome.h"

/*
 * KEY and KEY_ci95 of each rate, into `into`; duration_s: the run's, NaN where nothing was sent. Null is a rate without a duration, one of which a request's part is not known
 * and the goodput without limits; also an interval of fewer than RES_MEAN_REQUESTS_MIN requests, or of a run of
 * which less than RES_WINDOWS_MIN windows are twice as long as a request takes.
 */
void res_rates_write(const struct res_outcome *outcome, const struct res_how *how,
		     double duration_s, json_t *into);
