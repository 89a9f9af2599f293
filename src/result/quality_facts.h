/*
 * The facts of the quality checks that records and the load's own counters decide.
 */
#pragma once

#include "base/json.h"
#include "result/how.h"
#include "result/outcome.h"
#include "result/quality.h"

/* Sets these of *ret and leaves the others. results: res_metrics_compute() of the outcome. */
void res_quality_facts(const struct res_outcome *outcome, const json_t *results,
		       const struct res_how *how, struct res_quality_facts *ret);
