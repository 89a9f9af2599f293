/*
 * Metrics over time or over versions, from JSON to JSON as in query/query.h (docs/reference/analysis.md).
 *
 *	rows of a filter --set--> configurations --points--> series --result/change--> verdicts
 *	                                 \__ lines of a chart
 *
 * query_regression(): {filter, metrics: [id], order: {by: "time" | "version", field}, vary: [id], keep: [id], mode,
 * min_effect, states, direction, limit, offset, series, simulated, budget_ms}; all optional. Each series is one metric of
 * one configuration. Returns their verdicts (result/change/change.h), incidents and causes.
 * - A series that was analyzed with the same points is taken from the cache. If the time ends before all series are
 *   analyzed, `incomplete` is ["series"], and the next call continues.
 *
 * query_trends(): {metric, filter, order, group_by, vary, keep, aggregate, bucket, band, max_points, limit, simulated}.
 * Returns the points of the metric as lines.
 *
 * query_releases(): {a, b, field, filter, metrics, vary, effect, axes, simulated, budget_ms}; a and b are two values of the field, by
 * default the two newest. Returns the differences of all matched configurations (result/match/grid.h) with
 *
 *	field: {field, label}, values: [{value, label, count}] of the field in their order, the newest 200,
 *	a, b: value or null, heat_map: {x, y: id or null}, excluded,
 *	metrics[]: heat_map: {log_ratio, count}, lists of rows (values of y) of columns (values of x),
 *	incomplete: ids of the metrics without time, and "unmatched" without time for the lists of unmatched configurations
 *
 * Responses depend only on the values of the results, not on codes or the order of rows: the same data give the same
 * bytes in every database, except for ids and data_version.
 */
#pragma once

#include "base/buf.h"
#include "mirror/mirror.h"
#include "query/series/cache.h"
#include "result/change/change.h"
#include "schema/schema.h"

/* Increases whenever the same data may give other verdicts. */
#define QUERY_ANALYSIS_VERSION 1

/* The inputs of an analysis in addition to results. */
struct query_regression_inputs {
	struct query_series_cache *cache; /* NULL: none */
	/*
	 * [{series, experiment_id, at, kind}] in the order in which they were made (store/analysis/decision.h): the last one
	 * about a position counts. NULL: none.
	 */
	const json_t *decisions;
};

/* As query_apply() (query/query.h). */
int query_regression(const struct mirror_snapshot *snapshot, const json_t *request,
		     const struct query_regression_inputs *inputs, struct pl_buf *ret_json,
		     struct schema_faults *faults, struct pl_err *err) PL_MUST_CHECK;
int query_releases(const struct mirror_snapshot *snapshot, const json_t *request,
		   struct pl_buf *ret_json, struct schema_faults *faults,
		   struct pl_err *err) PL_MUST_CHECK;
int query_trends(const struct mirror_snapshot *snapshot, const json_t *request,
		 struct pl_buf *ret_json, struct schema_faults *faults,
		 struct pl_err *err) PL_MUST_CHECK;
