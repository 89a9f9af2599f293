/*
 * Questions to all results, from JSON to JSON; HTTP is the dashboard's. Whatever holds the rows
 * (mirror/mirror.h) shows through nowhere here.
 *
 * A request fits api/openapi.yaml: the caller has checked it (dash/contract.h). These functions, and those of
 * points, groups and export, check what depends on the results: ids of fields and experiments, what an operator takes,
 * cursors. A null key counts as missing.
 *
 * query_apply(): {filter, sort: [{field, dir: "asc" | "desc"}], columns: [id], limit (0 … 200,
 * 50), offset | cursor, facets: true | [id], metrics: [id], budget_ms}, every key may be left out; what is
 * null is left out. Answers
 *
 *	{count, total, rows: [{id, run_id, simulated, verdict, cells: {ID: value}}], next_cursor,
 *	 facets: {ID: FACET}, metrics: {ID: METRIC}, incomplete: [id], elapsed_ms, data_version}
 *
 * - count: results that the filter (query/filter.h) means; total: all that there are.
 * - rows are sorted by each key in turn: numbers by size, then words; texts by code points; times as
 *   instants; verdicts, a run's and a check's status in the order of their list, best first; false before
 *   true. `desc` turns values round; null stands behind them and not recorded behind null either way.
 *   What is still alike, and all without sort: newest (greatest id) first.
 * - next_cursor: a text for the rows behind these, null where there are none. It is of this filter and this
 *   sort alone, and tells the last row's values and id: also when rows have come, changed or gone since, none
 *   is shown twice but one whose own values went behind that place.
 * - cells: a key that is absent is not recorded, null is null, an infinite number is "inf" or "-inf", a
 *   duration is seconds, lists and objects are JSON. Without `columns`: every column that the row has.
 * - facets: each obeys the filter but for its own field's terms (query_filter_rows_without()); true: of
 *   every column that varies among the rows of its own.
 * - budget_ms: facets and then metrics are made one after the other until they have used so much time, the first
 *   of each in any case; those that are left are named in incomplete.
 *
 * query_options(): {fields: [id], filter, search, limit (1 … 1000, 50), budget_ms}, all may be left
 * out. Answers {count, total, options: {ID: OPTION}, incomplete, data_version}; without fields: as facets: true.
 *
 * query_values(): {field, filter, search, limit (1 … 1000, 50), offset}, of which only field is needed. Answers
 * {field, count, distinct, matching, values: [{value, count}], more, data_version}: all values (words among
 * numbers, too) that contain `search`, the most frequent first; the field's own terms are left out.
 *
 *	FACET  {count, recorded, null, missing, explicit, distinct, values: [{value, count}], more}
 *	       and of times min, max where there are any; of numbers the same, words: [{value, count}], and histogram where
 *	       they are more than 12 different ones
 *	OPTION a FACET and {label, group, unit, type, direction, widget}
 *	METRIC {n, mean, std, min, p50, p95, max} of the n rows that have a number; null where there are too
 *	       few (one, two for std), std that of a sample, percentiles as numpy's "linear"
 *
 * - count = recorded + missing; null ones are among the recorded. explicit: set by the user.
 * - distinct: how many different values there are; in a field of numbers words are not among them.
 * - values: all in order where distinct <= 30; else so many as `limit`, the most frequent first. more: how
 *   many were left out. `search`: those alone (words, too) that contain it without regard to case, in the
 *   form in which they are shown; more counts these alone, distinct does not change.
 * - Numbers of which there are so many different ones that they have no codes (mirror/dictionary.h) are
 *   counted one by one, which takes its time: where nobody asked for the field by its id (facets: true,
 *   options without fields) distinct is null, values is empty, and min, max and histogram are left out.
 * - words: the 1,000 most frequent at most.
 * - histogram: {edges: [n + 1], counts: [n]} of the finite numbers: edges[i] <= x < edges[i + 1], the
 *   last one with its end (query/facets/histogram.h).
 * - widget, by which the field is filtered best: checks (at most 30 values), search (more), range (more than 12
 *   different numbers), dates, yes, none (there is no value).
 */
#pragma once

#include "base/buf.h"
#include "schema/schema.h"
#include "mirror/mirror.h"

/*
 * The answer's text is appended. -1, with something of it appended or nothing: where the request is not right
 * `faults`, which begins as { 0 }, has all that there is to say (pointer, found, expected, nearest: HTTP
 * 422), and err one line of it; else a document could not be read, the answer is beyond the buffer's
 * ceiling, or the question was ended (INTERRUPTED: mirror_end_questions(), mirror_snapshot_for()), and err
 * says so.
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
