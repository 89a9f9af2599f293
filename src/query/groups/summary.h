/*
 * Figures of results in groups, from JSON to JSON.
 *
 * query_summary(): {filter, group_by: [id], metrics: [id], limit (1 … 1000, 200), simulated, match, budget_ms}, all may be left
 * out.
 * Answers
 *
 *	{count, total, simulated, excluded, matched, groups: [{key: {ID: value}, count, metrics: {ID: SUMMARY}}], more_count, incomplete: [id], data_version}
 *
 *	SUMMARY {n, mean, std, min, p5, p25, p50, p75, p95, max, low, high, null, not_recorded, infinite, words}
 *
 * - groups: rows that have the same in every field of group_by, in the order of its values; null and not recorded
 *   are groups of their own and stand last (a key that is absent: not recorded). more: how many were left out.
 *   Without group_by all rows are one group, and there is one of no row too.
 * - simulated: rows that the filter leaves which are; without `simulated` in the question they are left out where there are others, as
 *   from a chart (query/points/points.h), excluded being how many went. count is without them.
 * - match: only rows stay of which every group has the like in all inputs but those of which no value occurs in all groups
 *   (query/groups/matching_priv.h); those that lack a field of group_by are in no group. matched: {groups, by: [id], apart: [id], cells,
 *   unmatched}, unmatched being how many went; null where it was not asked for, or there are fewer than 2 groups or more than
 *   QUERY_MATCH_GROUPS_MAX: then all stay. count is of those that stay.
 * - metrics: without them the headline metrics (result/compare/compare.h) of which some group has a number.
 * - n: rows with a finite number; null, not_recorded, infinite and words: the others. mean, std (of a sample) and
 *   percentiles (numpy's "linear") are of those n; low and high are the 95 % interval of the mean over these results
 *   by Student's t. Null where there are too few: one, two for std, low and high.
 * - budget_ms: metrics are made one after the other; those for which the time was too short are named in incomplete,
 *   the first one never.
 */
#pragma once

#include "base/buf.h"
#include "schema/schema.h"
#include "mirror/mirror.h"

/* As query_apply() (query/query.h). */
int query_summary(const struct mirror_snapshot *snapshot, const json_t *request,
		  struct pl_buf *ret_json, struct schema_faults *faults,
		  struct pl_err *err) PL_MUST_CHECK;
