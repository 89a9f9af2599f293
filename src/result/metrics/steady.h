/*
 * The figures of the part of a run in which it was steady: of a closed loop from the first moment it
 * is full to the last, of an open one without the first and last tenth of the planned sends.
 */
#pragma once

#include "base/json.h"
#include "result/how.h"
#include "result/outcome.h"

/* results.steady: an object, or null where such a part is none or shorter than 10 s. percentiles: in
 * percent. New reference. */
json_t *res_steady_compute(const struct res_outcome *outcome, const struct res_how *how,
			   const double *percentiles, size_t percentile_count);
