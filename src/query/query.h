/*
 * Queries over all results, from JSON to JSON. The dashboard does HTTP. The storage of the rows (mirror/mirror.h) is
 * not visible here.
 *
 * A request is valid by api/openapi.yaml: the caller has checked it (dash/contract.h). These functions, and those of
 * points, groups and export, check what depends on the results: ids of fields and experiments, operands, cursors. A
 * null key counts as missing.
 *
 * query_apply(): {filter, sort: [{field, dir: "asc" | "desc"}], columns: [id], limit (0 … 200, 50), offset | cursor,
 * facets: true | [id], metrics: [id], budget_ms}; every key is optional. Returns
 *
 *	{count, total, rows: [{id, run_id, simulated, verdict, cells: {ID: value}}], next_cursor,
 *	 facets: {ID: FACET}, metrics: {ID: METRIC}, incomplete: [id], elapsed_ms, data_version}
 *
 * - count: results that match the filter (query/filter.h); total: all results.
 * - rows are sorted by each key in turn: numbers by size, then words; texts by code points; times as points in time;
 *   verdicts and the statuses of runs and checks in the order of their list, best first; false before true. `desc`
 *   reverses values; null, followed by not recorded, is last in both directions. Equal rows, and all without sort:
 *   newest (greatest id) first.
 * - next_cursor: a text for the rows after these, null if there are none. It is valid for this filter and this sort
 *   only, and holds the last row's values and id. If rows were added, changed or removed since, a row is only repeated
 *   if its own values moved it after that position.
 * - cells: a missing key is not recorded, null is null, an infinite number is "inf" or "-inf", a duration is in
 *   seconds, lists and objects are JSON. Without `columns`: every column that the row has.
 * - facets: each applies the filter without its own field's terms (query_filter_rows_without()). true: of every column
 *   that varies among its rows.
 * - budget_ms: facets, followed by metrics, are computed in turn until the time is used up, always at least the first
 *   of each. The remaining ones are listed in incomplete.
 *
 * query_options(): {fields: [id], filter, search, limit (1 … 1000, 50), budget_ms}; every key is optional. Returns
 * {count, total, options: {ID: OPTION}, incomplete, data_version}; without fields: as facets: true.
 *
 * query_values(): {field, filter, search, limit (1 … 1000, 50), offset}; only field is required. Returns {field, count,
 * distinct, matching, values: [{value, count}], more, data_version}: all values (also words among numbers) that contain
 * `search`, the most frequent first, without the field's own terms of the filter.
 *
 *	FACET   {count, recorded, null, missing, explicit, distinct, values: [{value, count}], more};
 *	        for times also min and max, if there are any; for numbers these, words: [{value, count}], and
 *	        histogram if there are more than 12 distinct ones
 *	OPTION  a FACET and {label, group, unit, type, direction, widget}
 *	METRIC  {n, mean, std, min, p50, p95, max} of the n rows that have a number; null if there are too
 *	        few (one, two for std), std that of a sample, percentiles as numpy's "linear"
 *
 * - count = recorded + missing; recorded includes null. explicit: set by the user.
 * - distinct: number of distinct values; in a numeric field without words.
 * - values: all in order if distinct <= 30; else the `limit` most frequent. more: number of omitted values. `search`:
 *   only values (also words) that contain it, ignoring case, in the form in which they are shown; more counts only
 *   these, distinct is unaffected.
 * - If a field has so many distinct numbers that they have no codes (mirror/dictionary.h), they are counted one by one,
 *   which is slow. So if the field was not requested by its id (facets: true, options without fields), distinct is
 *   null, values is empty, and min, max and histogram are omitted.
 * - words: at most the 1,000 most frequent.
 * - histogram: {edges: [n + 1], counts: [n]} of the finite numbers: edges[i] <= x < edges[i + 1], the last one with its
 *   end (query/facets/histogram.h).
 * - widget, the best form control to filter the field: checks (at most 30 values), search (more), range (more than 12
 *   distinct numbers), dates, yes, none (no values).
 */
#pragma once

#include "base/buf.h"
#include "mirror/mirror.h"
#include "schema/schema.h"

/*
 * Append the response's text. On -1, the text may be incomplete. For an invalid request, `faults`, which starts as { 0
 * }, has all details (pointer, found, expected, nearest: HTTP 422), and err one line of them. Otherwise err gives the
 * reason: a document could not be read, the response exceeds the buffer's limit, or the query was ended (INTERRUPTED:
 * mirror_end_questions(), mirror_snapshot_for()).
 */
int query_apply(const struct mirror_snapshot *snapshot, const json_t *request,
		struct pl_buf *ret_json, struct schema_faults *faults,
		struct pl_err *err) PL_MUST_CHECK;
int query_options(const struct mirror_snapshot *snapshot, const json_t *request,
		  struct pl_buf *ret_json, struct schema_faults *faults,
		  struct pl_err *err) PL_MUST_CHECK;
int query_values(const struct mirror_snapshot *snapshot, const json_t *request,
		 struct pl_buf *ret_json, struct schema_faults *faults,
		 struct pl_err *err) PL_MUST_CHECK;
