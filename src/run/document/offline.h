/*
 * `results` of an offline benchmark: its own figures beside those of all results, and vLLM's file of them.
 */
#pragma once

#include "base/err.h"
#include "base/json.h"

struct res_how;
struct run_state;

/* All keys that a result has, of a run without records: what only records tell is null. New reference. */
json_t *run_offline_unknown(const struct res_how *how);
/* The figures of the run's kind of benchmark into `results`; of a load at a server nothing. */
void run_offline_results(const struct run_state *run, json_t *results);
/* benchmark.output_json, where the benchmark did not write it itself. */
int run_offline_write(const struct run_state *run, const json_t *document,
		      struct pl_err *err) PL_MUST_CHECK;
