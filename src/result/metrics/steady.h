/*
 * Metrics of the steady part of a run: in a closed loop from the first moment at full concurrency
 * to the last, in an open loop without the first and last tenth of the planned sends.
 */
#pragma once

#include "base/json.h"
#include "result/how.h"
#include "result/outcome.h"

/*
 * Returns results.steady: an object, or null if there is no such part or it is shorter than
 * how->steady_window_s. percentiles: in percent. New reference.
 */
json_t *res_steady_compute(const struct res_outcome *outcome, const struct res_how *how,
			   const double *percentiles, size_t percentile_count);
