/*
 * Missing combinations of a grid, and the repeats that pay most (docs/reference/missing.md), from JSON to JSON.
 *
 * query_missing(): {filter, fields: [id] (1 to 8), metrics and group_by as query_pareto(), simulated, untrusted, limit,
 * budget_ms}; every key is optional. Returns
 *
 *	{count, total, simulated, excluded, untrusted_excluded, fields: [AXIS], skipped: [{field, label, reason}],
 *	 others: [{field, label}], grid_count, present_count, missing_count, too_large, missing: [COMBINATION],
 *	 invalid: [{values, problems: [{key, message}]}], more_count, repeats: [REPEAT], files: [FILE], incomplete,
 *	 data_version}
 *
 *	AXIS        {field, label, unit, settable, values: [any], followers: [{field, label}]}
 *	COMBINATION {values: [any], nearest: {id, differs: [field]}, near_frontier: [id], seconds, seconds_low, seconds_high,
 *	             seconds_runs, file}
 *	REPEAT      {ids, reason, membership, share, runs, more_runs, settles, seconds, metric, half_width,
 *	             half_width_after, gain_per_minute, file}
 *	FILE        {name, on: {field: value}, repeats, combination_count, seconds, command, text, problem, secrets}
 *
 * - A combination is one value of each axis. It is present if a result of the filter has it, whatever its status.
 * - Without `fields`, the axes are the inputs that vary, the GPU model and the release. A field whose value another axis
 *   determines follows that axis. `skipped`: fields that vary and are not axes. `others`: with `fields`, the inputs that
 *   vary and are not in the grid; a file takes their values from the nearest result.
 * - missing: most neighbors on the frontier first, then the shortest, at most `limit`; more_count: the others. Those that
 *   the argument rules refuse are in `invalid` instead.
 * - file: index in files; -1: the nearest result does not contain its experiment. A file that cannot be read back has a
 *   problem instead of a text.
 * - grid_count above 100,000: too_large, and nothing is listed. missing_count is null then.
 */
#pragma once

#include "base/buf.h"
#include "schema/schema.h"

struct mirror_snapshot;

/* As query_apply() (query/query.h). */
int query_missing(const struct mirror_snapshot *snapshot, const json_t *request,
		  struct pl_buf *ret_json, struct schema_faults *faults,
		  struct pl_err *err) PL_MUST_CHECK;
