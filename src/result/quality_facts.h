/* The facts of the quality checks that come from records and the load's counters. */
#pragma once

#include "base/json.h"
#include "result/how.h"
#include "result/outcome.h"
#include "result/quality.h"

/*
 * Sets these facts in *ret and leaves the others unchanged. results: res_metrics_compute() of the
 * outcome.
 */
void res_quality_facts(const struct res_outcome *outcome, const json_t *results,
		       const struct res_how *how, struct res_quality_facts *ret);
