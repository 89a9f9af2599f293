/*
 * Statistics of results in groups, from JSON to JSON.
 *
 * query_summary(): {filter, group_by: [id], metrics: [id], limit (1 … 1000, 200), simulated, match, budget_ms}; every
 * key is optional. Returns
 *
 *	{count, total, simulated, excluded, matched, groups: [{key: {ID: value}, count, metrics: {ID: SUMMARY}}], more_count,
 *	 incomplete: [id], data_version}
 *
 *	SUMMARY  {n, mean, std, min, p5, p25, p50, p75, p95, max, low, high, null, not_recorded, infinite, words}
 *
 * - groups: rows with the same value in every field of group_by, in the order of its values. Null and not recorded are
 *   separate groups and come last (a missing key: not recorded). more_count: number of omitted groups. Without
 *   group_by, all rows are one group, even if there are none.
 * - simulated: number of simulated rows that match the filter. Without `simulated` in the request, they are excluded if
 *   there are others, as in a chart (query/points/points.h); excluded is their number, and count does not include them.
 * - match: keeps only rows with a counterpart in every group: equal in all inputs, except those without a value that
 *   occurs in all groups (query/groups/matching_priv.h). Rows that lack a field of group_by are in no group. matched:
 *   {groups, by: [id], apart: [id], cells, unmatched}, where unmatched is the number of removed rows. It is null if it
 *   was not requested, or if there are fewer than 2 groups or more than QUERY_MATCH_GROUPS_MAX: then all stay. count is
 *   the number of remaining rows.
 * - metrics: the default is the headline metrics (result/compare/compare.h) for which some group has a number.
 * - n: rows with a finite number; null, not_recorded, infinite and words: the others. mean, std (of a sample) and
 *   percentiles (numpy's "linear") cover these n. low and high are the 95 % confidence interval of the mean over these
 *   results by Student's t. Null if there are too few: one, two for std, low and high.
 * - budget_ms: metrics are computed in turn, always at least the first. The remaining ones are listed in incomplete.
 */
#pragma once

#include "base/buf.h"
#include "schema/schema.h"

struct mirror_snapshot;

/* As query_apply() (query/query.h). */
int query_summary(const struct mirror_snapshot *snapshot, const json_t *request,
		  struct pl_buf *ret_json, struct schema_faults *faults,
		  struct pl_err *err) PL_MUST_CHECK;
