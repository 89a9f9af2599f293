/* results.latency_breakdown of a finished run. */
#pragma once

#include "base/json.h"

struct run_state;

/* Splits the means of `results`, which must have the metrics of the records. New reference. */
json_t *run_breakdown(const struct run_state *run, const json_t *results);
