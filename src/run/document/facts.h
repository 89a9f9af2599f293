/*
 * The input of a finished run's quality checks: facts from its records, the server's counters before and after, and
 * telemetry.
 */
#pragma once

#include "base/json.h"

struct res_how;
struct res_quality_facts;
struct run_state;

/* Returns 1 if the server restarted during the measured run, else 0; NaN: unknown. */
double run_server_restarted(const struct run_state *run);
/* Sets the prefix-cache hit rates, measured and expected. */
void run_prefix_results(const struct run_state *run, json_t *results);
/* `how` and `mismatches` (run_mismatches()) are borrowed by *ret. */
void run_facts(const struct run_state *run, const json_t *results, const struct res_how *how,
	       const json_t *mismatches, struct res_quality_facts *ret);
