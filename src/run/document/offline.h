/* `results` of an offline benchmark: its own metrics in addition to those of all results, and vLLM's file of them. */
#pragma once

#include "base/err.h"
#include "base/json.h"

struct res_how;
struct run_state;

/* Returns all keys of a result for a run without records: values that need records are null. New reference. */
json_t *run_offline_unknown(const struct res_how *how);
/* Adds the metrics of the run's kind of benchmark to `results`; none for a load on a server. */
void run_offline_results(const struct run_state *run, json_t *results);
/* Writes benchmark.output_json, unless the benchmark wrote it itself. */
int run_offline_write(const struct run_state *run, const json_t *document,
		      struct pl_err *err) PL_MUST_CHECK;
