/*
 * The data of a chart, from JSON to JSON as in query/query.h: rows as points of two fields or as lines over several,
 * statistics of groups and grid cells, counts in bins, and the differences between a point and its neighbors.
 *
 * query_points(): {form, filter, x, y, value, axes: [id], choices: [{form, x, y, value}], color_choices: [id],
 * count_only, x_log, y_log, colour, shape, size, labels: [id], selected: [number], near, simulated, match, limit (500 …
 * 5000, 5000), significant_digits (3 … 17, 17), budget_ms}; null keys count as missing. Every form returns
 *
 *	{form, count, total, drawn, simulated, excluded: {REASON: n}, matched, cautions, x: AXIS, y: AXIS, color: KINDS,
 *	 shape: KINDS, …, incomplete: [name], elapsed_ms, data_version}
 *
 * where count = drawn + the sum of excluded, and parts that were not requested are null. Simulated rows are excluded if
 * there are others and `simulated` is not true. `simulated` in the response counts those that match the filter.
 *
 * - choices: possible axes, in order of preference. A request with neither x nor y draws the first choice that has at
 *   least three quarters of the rows of the best choice. Choices whose x and y have several values in the rows come
 *   first. color_choices: a request without color uses the first field that has several values in the rows, if there is
 *   one.
 * - x_log, y_log: true, false or "auto": log if all values are positive and the greatest is at least 100 times the
 *   least.
 * - count_only: the response has no cautions, colors or members of its form, but choices: [{form, x, y, value, count}],
 *   where count is the number of rows with a position on all axes. With match, it reports what matching would keep.
 * - match: keeps only rows with a counterpart in every group: equal in all inputs, except those without a value that
 *   occurs in all groups (query/groups/matching_priv.h). Groups are the kinds of color, or of x for form "groups"
 *   without a color. Rows that are not recorded there are in no group and are removed. Removed rows are excluded as
 *   `unmatched`. matched: {groups, by: [id], apart: [id], cells}, where groups is their number. It is null if it was
 *   not requested, and if there are fewer than 2 groups or more than QUERY_MATCH_GROUPS_MAX: then all rows stay.
 * - cautions: the inputs in which the drawn rows differ but should match, as in a comparison of one side
 *   (result/compare/compare.h), except those shown by an axis, the color or the shape, and matched inputs. None for
 *   form "neighbors".
 * - significant_digits: positions and sizes of marks and lines are rounded to this number of digits. Whole numbers
 *   below 9e15 and ends of axes stay exact.
 * - budget_ms: rows and axes are always read, and cells matched. Then colour, shape, size, frontier, labels and near
 *   are computed in turn until the time is used up. The remaining ones are treated as not requested, and listed in
 *   incomplete.
 *
 * form "points" (of x and y; the default): marks: {id, x, y, color, shape, size, count, verdict, simulated, labels:
 * {ID: […]}}, each a list with one item per mark, oldest row first; frontier: indexes of marks.
 * - With up to `limit` rows, each row is a mark. With more, the form of the response is "thinned": the plane of the
 *   axes as drawn (log if they are) is divided into cells. In a cell with more than OUTLIERS_MAX rows of one color, the
 *   latest row represents all that are not marks themselves. Rows of other cells, the selected rows, and those of the
 *   frontier (if at most a quarter of limit) are marks themselves. The sum of count is drawn.
 * - frontier: [{colour, by, marks, with_untrusted}]: the trusted rows of each group that no other trusted row of the
 *   group dominates, that is, is better on one axis and at least as good on the other, by the directions of the fields;
 *   in order of x, best last. The newer of two equal rows counts. A group is a kind of color. If the rows are of
 *   several models and the color is not the model, it is a kind of color and a kind of frontier_by, a KINDS of the
 *   models. The 8 groups with the most rows are listed; frontier_group_count: all. Simulated rows are in no group
 *   unless all rows are simulated. with_untrusted: the same as if every row were trusted. frontier is null if a field
 *   has no direction. It covers all rows, before thinning. frontier_more_count: its rows that did not fit.
 *
 * form "groups" (of y, a numeric field; x and color are optional): groups: {x, color, n, missing, null, word, infinite,
 * failed, mean, std, min, p5, p25, p50, p75, p95, max, low, high}, lists with one item per pair of kinds that some row
 * has. n counts finite numbers, the only ones in the statistics; percentiles as numpy's "linear", std that of a sample,
 * low and high the 95 % confidence interval of the mean by Student's t over experiments: all three null for fewer than
 * two. failed: rows whose run did not end as "completed", included in the others. Here x always has kinds.
 *
 * form "grid" (of x, y and value, a numeric field): grid: as groups, of the kinds of x and y, at most 100 of each;
 * value: AXIS. A pair without rows is not listed; one with rows but without a number has n 0.
 *
 * form "parallel" (of 2 to 8 axes): axes: [AXIS]; gaps: [{missing, null, word, infinite, other}], why rows have no
 * position on each; lines: {id, at: [list per axis], color, count, verdict, simulated, labels}, null without a
 * position. Rows with fewer than two positions are excluded (too_few). With more than `limit` rows, lines of one color
 * through the same cells of all axes become one line, that of the latest row, if they are more than OUTLIERS_MAX;
 * selected rows keep their own. The sum of count is drawn.
 *
 * form "bins" (of x): bins: {edges, counts: [[n] per kind of color]}; edges as in a facet's histogram
 * (query/facets/histogram.h), null if x is not numeric and has kinds.
 *
 * form "neighbors" (of x, y and the id `neighbors`): neighbors: {id, count, fields: [{field, value, differing_count}]}:
 * the inputs in which most of the nearest points differ from this one, at most 8; null if the point is not drawn.
 *
 *	AXIS    {field, kind: "number" | "time" | "kinds", log, not_positive, min, max, kinds: KINDS or null}
 *	        positions: numbers; milliseconds since 1970; indexes of kinds. log is false if a log axis was
 *	        requested, but not_positive > 0 rows could not be shown on it
 *	KINDS   {field, kinds: [{state, value, low, high, count, rank}]}
 *	REASON  simulated, and per axis x_missing, x_null, x_word (or another kind of value than the axis has),
 *	        x_infinite, x_other; too_few; unmatched
 *
 * - A kind is a value ("value"), a range of numbers low <= x < high if there are many ("range", the last one includes
 *   its end), unset ("null"), not recorded ("missing"), or all others if there are more than QUERY_POINTS_KINDS_MAX
 *   ("other"). They are in sort order; null, missing and other come last. count: drawn rows.
 * - rank: position of the value, from 0, in the order in which results first had it, so that neither a filter nor a
 *   later result changes its color. Missing for kinds without a value, and for numbers without a code
 *   (mirror/dictionary.h).
 */
#pragma once

#include "base/buf.h"
#include "schema/schema.h"

struct mirror_snapshot;

#define QUERY_POINTS_KINDS_MAX 1000

/* As query_apply(). */
int query_points(const struct mirror_snapshot *snapshot, const json_t *request,
		 struct pl_buf *ret_json, struct schema_faults *faults,
		 struct pl_err *err) PL_MUST_CHECK;
