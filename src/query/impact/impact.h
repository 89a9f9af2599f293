/*
 * The effect of each input on a metric in matched pairs (docs/reference/impact.md), from JSON to JSON.
 *
 * query_impact(): {filter, metric, vary: [id], effect (0.05), pairs_of: {field, from, to}, limit, simulated, untrusted,
 * budget_ms}; every key is optional. Returns
 *
 *	{count, total, simulated, excluded, untrusted_excluded, unmeasured, metric, effect, ignored: [INPUT], effects: [EFFECT],
 *	 rest: [REST], constant: [{…INPUT, value}], interactions: [INTERACTION], explained_share, cautions, pairs: PAIRS or null,
 *	 omitted_count, incomplete, data_version}
 *
 *	INPUT        {field, label, unit, host}
 *	EFFECT       {inputs: [INPUT], finding, q, importance, contrasts: [CONTRAST], more_level_count}
 *	CONTRAST     {from: [value], to: [value], RATIO, pair_count, with: [id], plain: PLAIN}
 *	RATIO        ratio, low, high, p, method, cell_count
 *	PLAIN        {ratio, from_mean, to_mean, from_count, to_count}
 *	REST         {…INPUT, reason, with: [INPUT], with_more_count, from, to, plain: PLAIN or null}
 *	INTERACTION  {first: {inputs, from, to}, second: {…}, RATIO, at_from: {RATIO}, at_to: {RATIO}}
 *	PAIRS        {inputs: [INPUT], from: [value], to: [value], fields: [INPUT], cells: [CELL], more_count}
 *	CELL         {from: {ids, median}, to: {ids, median}, ratio, values: [value of each of `fields`]}
 *
 * - Inputs: column fields with the role input, except keys of JSON arguments, and arguments that no row sets; engine and its
 *   release, GPU model and count, host and driver, and the CPUs and neighbors of a server. vary: inputs that need not be
 *   equal within a cell.
 * - unmeasured: number of rows without a finite number above 0 in the metric; they are excluded.
 * - pairs_of: the effect of this field; without from and to, its first contrast. pairs is null if there is none. `fields`
 *   differ between the cells; at most `limit` cells, the largest differences first.
 * - omitted_count: inputs that are in no list because the time of budget_ms was over; incomplete then has "effects".
 * - simulated, untrusted: as in query/configurations/pareto.h.
 * - The same data give the same bytes in every database, except for ids and data_version.
 */
#pragma once

#include "base/buf.h"
#include "mirror/mirror.h"
#include "schema/schema.h"

/* As query_apply() (query/query.h). */
int query_impact(const struct mirror_snapshot *snapshot, const json_t *request,
		 struct pl_buf *ret_json, struct schema_faults *faults,
		 struct pl_err *err) PL_MUST_CHECK;
