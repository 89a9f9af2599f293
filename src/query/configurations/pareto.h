/*
 * Pareto frontiers of configurations (docs/reference/frontier.md), from JSON to JSON.
 *
 * query_pareto(): {filter, metrics: [{field, direction}] (2 or 3), group_by: [id], limits: [{field, value, wanted}],
 * reference: [number], since: {time | version}, columns: [id], limit, simulated, untrusted, budget_ms}; every key is
 * optional. Returns
 *
 *	{count, total, simulated, excluded, untrusted_excluded, unmeasured, configuration_count, metrics, reference,
 *	 limits: [{field, value, wanted}], cautions, groups: [GROUP], more_count, incomplete, data_version}
 *
 *	GROUP  {key, count, configuration_count, frontier_count, dominated_share, has_spread, hypervolume: FIGURE,
 *	        limits: [FIGURE], points: [POINT], more_count, entered: [POINT], left: [POINT]}
 *	FIGURE {value, low, high}, and of a limit: feasible_share, ids
 *	POINT  {ids, values: [{mean, low, high}], frontier, membership, share, knee, dominated_by: [id], row}
 *
 * - The default metrics are derived.tokens_per_s_per_user and derived.output_throughput_per_gpu. A metric without a
 *   better direction needs `direction`.
 * - A configuration's runs have equal inputs, engine, release, GPU model and GPU count, and equal values of group_by.
 *   unmeasured: number of rows without a finite number in each metric; they are excluded.
 * - simulated and untrusted: include simulated rows, and rows whose verdict is not `trusted`. Without them, such rows
 *   are excluded if there are others.
 * - reference: of the hypervolume, for all groups. The default is the worst mean of each metric among all groups.
 * - points: the frontier, then other configurations that are perhaps on it, then the others; each by the first metric,
 *   best first. At most `limit` of all groups together; more_count: the others.
 * - since: entered and left compare the frontier with that of the runs before the time, or of the runs of releases
 *   before the version. Runs without a time or a release are in neither. dominated_by: the newest run of each
 *   configuration on the frontier that dominates this one, at most 5.
 * - columns: row is that of the newest run, with these cells (query/rows_priv.h); null without columns.
 * - cautions: inputs in which the rows differ but should match (result/compare/compare.h), without the metrics and the
 *   fields of group_by.
 * - budget_ms: groups are resampled in turn. If there is no time for all, incomplete has "membership", and has_spread of
 *   the others is false.
 */
#pragma once

#include "base/buf.h"
#include "schema/schema.h"

struct mirror_snapshot;

/* As query_apply() (query/query.h). */
int query_pareto(const struct mirror_snapshot *snapshot, const json_t *request,
		 struct pl_buf *ret_json, struct schema_faults *faults,
		 struct pl_err *err) PL_MUST_CHECK;
