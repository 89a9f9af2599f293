/*
 * Configurations that keep limits (docs/reference/slo.md), from JSON to JSON.
 *
 * query_slo(): {filter, limits: [{latency, percentile, max} | {field, min | max}], prices: [{gpu, per_hour}],
 * carbon_g_per_kwh, limit, simulated, untrusted, records, budget_ms}; only limits is required. Returns
 *
 *	{count, total, simulated, excluded, untrusted_excluded, limits: [LIMIT], configuration_count, feasible_count,
 *	 configurations: [CONFIGURATION], more_count, cheapest: {gpu, watt, price}, incomplete, data_version}
 *
 *	LIMIT          {field, label, unit, min, max, kept_count, known_count}
 *	CONFIGURATION  {ids, gpu, gpu_count, kept, feasible, values: [{mean, low, high, headroom, kept}],
 *	                goodput: {method, value, low, high, good_share, note},
 *	                costs: {output_throughput_per_gpu, energy_per_token_j, price_per_million_output_tokens,
 *	                price_per_million_input_tokens, carbon_g_per_million_output_tokens}}
 *
 * - Runs of one configuration: query/configurations/configurations_priv.h. Metrics are means over its runs.
 * - kept: whether all means keep their limits; null if one is unknown and no other is broken. feasible: the same for
 *   Student's 95 % intervals of the means: surely, perhaps, not, or unknown (a single run, or a missing metric). A run without
 *   a metric allows no surely.
 * - headroom: (max - mean)/|max|, or (mean - min)/|min|; below 0 if broken.
 * - goodput: of the latencies ttft, tpot and e2el of `limits`, applied to each request. method: recorded (the runs have
 *   request_goodput for these limits), percentiles (bounds that contain it), or null (unknown, or no such limit). The
 *   method "records" is the caller's (dash/analysis/slo.c).
 * - configurations: those that keep all limits first, then by output throughput per GPU, highest first. cheapest: among
 *   those that keep all limits, {ids, value} or null.
 * - The caller reads records and budget_ms, and may add durations: true: then goodput has the duration of each run.
 */
#pragma once

#include "base/buf.h"
#include "schema/schema.h"

struct mirror_snapshot;

/* As query_apply() (query/query.h). */
int query_slo(const struct mirror_snapshot *snapshot, const json_t *request,
	      struct pl_buf *ret_json, struct schema_faults *faults,
	      struct pl_err *err) PL_MUST_CHECK;
