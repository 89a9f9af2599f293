/*
 * Questions to all results, from JSON to JSON; HTTP is the dashboard's. Whatever holds the rows (today
 * plain arrays: store/columns.h) shows through nowhere here.
 *
 * store_query_apply(): {filter, sort: [{field, dir: "asc" | "desc"}], columns: [id], limit (0 … 200,
 * 50), offset, facets: true | [id]}, every key may be left out; what is null is left out. Answers
 *
 *	{count, total, rows: [{id, run_id, simulated, verdict, cells: {ID: value}}], facets: {ID: FACET},
 *	 elapsed_ms, data_version}
 *
 * - count: results that the filter (store/filter.h) means; total: all that there are.
 * - rows are sorted by each key in turn: numbers by size, then words; texts by code points; times as
 *   instants; verdicts, a run's and a check's status in the order of their list, best first; false before
 *   true. `desc` turns values round; null stands behind them and not recorded behind null either way.
 *   What is still alike, and all without sort: newest (greatest id) first.
 * - cells: a key that is absent is not recorded, null is null, an infinite number is "inf" or "-inf", a
 *   duration is seconds, lists and objects are JSON. Without `columns`: every column that the row has.
 * - facets: each obeys the filter but for its own field's terms (store_filter_rows_without()); true: of
 *   every column that varies among the rows of its own.
 *
 * store_query_options(): {fields: [id], filter, search, limit (1 … 1000, 50)}, all may be left out.
 * Answers {count, total, data_version, options: {ID: FACET}}; without fields: as facets: true.
 *
 * and each FACET has in front label, group, unit, type, direction of the field and the widget by which it
 * is filtered best (store/option.h).
 *
 * store_query_values(): {field, search, filter, limit (1 … 1000, 50), offset}, all but the field may be
 * left out. Answers {field, count, distinct, matching, values: [{value, count}], more, data_version}: the
 * values of one field, words too, the most frequent first, from the one at `offset` on. matching: how many
 * `search` finds; more: how many of these are behind.
 *
 *	FACET  {count, recorded, null, missing, explicit, distinct, values: [{value, count}], more}
 *	       and of times min, max where there are any; of numbers the same, words: [{value, count}], and histogram where
 *	       they are more than 12 different ones
 *
 * - count = recorded + missing; null ones are among the recorded. explicit: set by the user.
 * - distinct: how many different values there are; in a field of numbers words are not among them.
 * - values: all in order where distinct <= 30; else so many as `limit`, the most frequent first. more: how
 *   many were left out. `search`: those alone (words, too) that contain it without regard to case, in the
 *   form in which they are shown; more counts these alone, distinct does not change.
 * - histogram: {edges: [n + 1], counts: [n]} of the finite numbers: edges[i] <= x < edges[i + 1], the
 *   last one with its end (store/histogram.h).
 */
#pragma once

#include "result/schema/schema.h"
#include "store/columns.h"

#define STORE_QUERY_ROWS_MAX   200
#define STORE_QUERY_VALUES_MAX 1000
#define STORE_QUERY_KEYS_MAX   16 /* of a sort */

/*
 * *ret: a new reference. -1: where the request is not right `faults`, which begins as { 0 }, has all
 * that there is to say (pointer, found, expected, nearest: HTTP 422), and err one line of it; else a
 * document could not be read, and err says why.
 */
int store_query_apply(const struct store_columns *columns, const json_t *request, json_t **ret,
		      struct res_schema_faults *faults, struct pl_err *err) PL_MUST_CHECK;
int store_query_options(const struct store_columns *columns, const json_t *request, json_t **ret,
			struct res_schema_faults *faults, struct pl_err *err) PL_MUST_CHECK;
int store_query_values(const struct store_columns *columns, const json_t *request, json_t **ret,
		       struct res_schema_faults *faults, struct pl_err *err) PL_MUST_CHECK;
