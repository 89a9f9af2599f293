/*
 * What a chart draws, from JSON to JSON as in query/query.h: rows as points of two fields or as lines over several,
 * figures of groups and of a grid's cells, counts in bins, and what tells one point from those around it.
 *
 * query_points(): {form, filter, x, y, value, axes: [id], choices: [{form, x, y, value}], color_choices: [id],
 * count_only, x_log, y_log, colour, shape, size, labels: [id], selected: [number], near, simulated, match,
 * limit (500 … 5000, 5000), significant_digits (3 … 17, 17), budget_ms}; what is null is left out. Every form answers
 *
 *	{form, count, total, drawn, simulated, excluded: {REASON: n}, matched, cautions, x: AXIS, y: AXIS, color: KINDS,
 *	 shape: KINDS, …, incomplete: [name], elapsed_ms, data_version}
 *
 * where count = drawn + all of excluded, and what was not asked for is null. Simulated rows are left out
 * where others are there and `simulated` is not true; `simulated` of the answer counts those that the filter
 * leaves.
 * - choices: axes to choose from, the preferred ones first. A request with neither x nor y draws the first choice that has at
 *   least three quarters of the rows of the best choice; choices whose x and y have several values in the rows go first.
 *   color_choices: a request without colour takes the first field that has several values in the rows, if there is one.
 * - x_log, y_log: true, false or "auto": log if all values are above zero and the greatest is at least 100 times the least.
 * - count_only: the answer has no cautions, colours or members of its form, but choices: [{form, x, y, value, count}],
 *   count being the rows that have a place on all axes. With match it says what matching would keep.
 * - match: of the rows that have a place only those stay of which every group has the like in all inputs but those of which no
 *   value occurs in all groups (query/groups/matching_priv.h). Groups are the kinds of colour, and of form "groups" without a colour those of
 *   x; what is not recorded is in none and goes. The others are left out as `unmatched`. matched: {groups, by: [id], apart: [id], cells}, groups
 *   being how many; null where it was not asked for and where there are no groups, fewer than 2 or more than
 *   QUERY_MATCH_GROUPS_MAX: then all rows stay.
 * - cautions: in what the rows that are drawn are not alike, as in a comparison of one side (result/compare/compare.h), but for
 *   what an axis, the colour or the shape shows and for inputs that were matched; of form "neighbors" none.
 * - significant_digits: positions and sizes of marks and lines are rounded to so many digits; whole numbers below 9e15 and ends
 *   of axes stay exact.
 * - budget_ms: rows and axes are always read, and cells matched. Then colour, shape, size, frontier, labels and near are made one after the
 *   other until so much time is used; those for which it was too short are as if nobody had asked, and named in incomplete.
 *
 * form "points" (of x and y; the default): marks: {id, x, y, color, shape, size, count, verdict, simulated, labels:
 * {ID: […]}}, each a list with an item for each mark, oldest row first; frontier: places of marks.
 * - Up to `limit` rows each row is a mark. Beyond it the form of the answer is "thinned": the plane of the
 *   axes as drawn (log where they are) is cut into cells; in a cell with more than OUTLIERS_MAX rows of one
 *   colour one row, the last that came, stands for those that are no marks themselves. Rows of emptier cells,
 *   those of the frontier (while they are a quarter of limit at most) and the selected are there
 *   each for itself. The sum of count is drawn.
 * - frontier: [{colour, by, marks, with_untrusted}]: per group the trusted rows that no other trusted row of the group is
 *   better than by one axis and at least as good by the other, by the directions of the fields; in order of x, best last. Of
 *   two equal rows the newer one. A group is a kind of colour; if the rows are of several models and colour is not the
 *   model, it is a kind of colour and a kind of frontier_by, a KINDS of the models. The 8 groups with the most rows are
 *   listed; frontier_group_count: all. Simulated rows are in no group unless all rows are simulated. with_untrusted: the
 *   same as if every row was trusted. frontier is null if a field has no direction. It is of all rows, before any are
 *   thinned. frontier_more_count: rows of it that had no room.
 *
 * form "groups" (of y, a field of numbers; x and colour may be left out): groups: {x, color, n, missing,
 * null, word, infinite, failed, mean, std, min, p5, p25, p50, p75, p95, max, low, high}, lists with an item for each pair of
 * kinds that some row has. n counts finite numbers, of which alone the figures are; percentiles as numpy's
 * "linear", std that of a sample, low and high the 95 % interval of the mean by Student's t over experiments: all
 * three null for fewer than two. failed: rows whose run did not end as "completed", among the others. Here x is by
 * kinds, whatever it is of.
 *
 * form "grid" (of x, y and value, a field of numbers): grid: as groups, of the kinds of x and y, 100 of each at most;
 * value: AXIS. A pair without rows is not listed; one with rows and without a number has n 0.
 *
 * form "parallel" (of 2 to 8 axes): axes: [AXIS]; gaps: [{missing, null, word, infinite, other}], why rows have no place
 * on each; lines: {id, at: [list of each axis], color, count, verdict, simulated, labels}, null where there is no
 * place. Rows with fewer than two places are left out (too_few). Beyond `limit` rows those whose lines go through the same
 * cells of all axes, in one colour, are one line, the last that came, where they are more than OUTLIERS_MAX; the selected
 * are there each for itself. The sum of count is drawn.
 *
 * form "bins" (of x): bins: {edges, counts: [[n] of each kind of colour]}; edges as of a facet's histogram
 * (query/facets/histogram.h), null where x is no field of numbers and has kinds.
 *
 * form "neighbors" (of x, y and the id `neighbors`): neighbors: {id, count, fields: [{field, value, differing_count}]}: the inputs in which
 * most of the nearest points differ from this one, at most 8; null where it is not drawn.
 *
 *	AXIS   {field, kind: "number" | "time" | "kinds", log, not_positive, min, max, kinds: KINDS or null}
 *	       positions: numbers; milliseconds since 1970; places in kinds. log is false where not_positive > 0
 *	       rows could not be shown so, although it was asked for
 *	KINDS  {field, kinds: [{state, value, low, high, count, rank}]}
 *	REASON simulated, and of each axis x_missing, x_null, x_word (or another kind of value than the axis has),
 *	       x_infinite, x_other; too_few; unmatched
 *
 * - A kind is a value ("value"), a range of numbers low <= x < high where there are many ("range", the last one with its end),
 *   unset ("null"), not recorded ("missing"), or all the rest where they are more than QUERY_POINTS_KINDS_MAX
 *   ("other"). They stand in the order of a sort, null, missing and other last. count: rows that are drawn.
 * - rank: how frequent the value is among all results, from 0: a value keeps its colour by it,
 *   whatever the filter. null of what is no value, and where there are too many values.
 */
#pragma once

#include "base/buf.h"
#include "schema/schema.h"
#include "mirror/mirror.h"

#define QUERY_POINTS_KINDS_MAX 1000

/* As query_apply(). */
int query_points(const struct mirror_snapshot *snapshot, const json_t *request,
		 struct pl_buf *ret_json, struct schema_faults *faults,
		 struct pl_err *err) PL_MUST_CHECK;
