/*
 * From records to figures: vLLM's keys by vLLM's formulas and ours beside them
 * (docs/reference/metrics.md). Rows of tbl/metrics.h name the families.
 */
#pragma once

#include "base/json.h"
#include "result/how.h"
#include "result/outcome.h"

/* In percent: those that results have whatever was asked for. */
#define RES_PERCENTILES 1, 5, 10, 25, 50, 75, 90, 95, 99, 99.9

/*
 * `results` of the result file: of the outcome its records, tries, start and end of sending and
 * in-flight peak. Latencies in milliseconds, rates per second over start to end; null where there
 * is no figure. New reference.
 */
json_t *res_metrics_compute(const struct res_outcome *outcome, const struct res_how *how);
