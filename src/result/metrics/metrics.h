/*
 * Computation of metrics from records: vLLM's keys by vLLM's formulas, and additional ones
 * (docs/reference/metrics.md). Rows of tbl/metrics.h name the families.
 */
#pragma once

#include "base/json.h"
#include "result/how.h"
#include "result/outcome.h"

/* Percentiles, in percent, that results always have. */
#define RES_PERCENTILES 1, 5, 10, 25, 50, 75, 90, 95, 99, 99.9

/*
 * Returns `results` of the result file, from the outcome's records, tries, start and end of sending
 * and in-flight peak. Latencies are in milliseconds, rates per second from start to end; null if a
 * metric does not exist. New reference.
 */
json_t *res_metrics_compute(const struct res_outcome *outcome, const struct res_how *how);
