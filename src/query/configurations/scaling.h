/*
 * How configurations scale over parallel sizes (docs/reference/scaling.md), from JSON to JSON.
 *
 * query_scaling(): {filter, axis, metric: {field, direction}, panels: [id], vary: [id], group_by: [id], gain_limit, limit,
 * simulated, untrusted, budget_ms}; every key is optional. Returns
 *
 *	{count, total, simulated, excluded, untrusted_excluded, unmeasured, unsized_count, axis, metric, panels,
 *	 gain_limit, axes: [{axis, sizes: [number], more_count}], cautions, lines: [LINE], more_count, single_count,
 *	 incomplete, data_version}
 *
 *	LINE   {id, label, fields: [{field, label, value}], key, gpu, gpu_unit, run_count, points: [POINT], stop}
 *	POINT  {size, on_line, ids, layout: {tensor, pipeline, data, expert}, fields: [{field, label, value}], gpus,
 *	        gpus_source, gpus_recorded, value: {mean, low, high}, per_gpu: {mean, low, high}, speedup: VALUE, ideal,
 *	        efficiency: VALUE, gain: VALUE, pays, panels: [{count, mean, low, high}]}
 *	VALUE  {value, low, high}
 *	stop   {from, to, gain: VALUE, certainty}, or null
 *
 * - axis: gpus (default), tensor, pipeline, data, expert or nodes. Each axis leaves arguments out of the match: those that
 *   make its size (tbl/scaling_axes.h).
 * - A line has the rows with equal values in all other inputs that were set, except those of `vary`, and of engine,
 *   release, GPU model and group_by. Runs of one point have the same size, layout, GPUs and values of `vary`.
 * - Lines with a single size are not in the response: single_count. Lines are ordered by their number of sizes, then of
 *   runs, most first, then by id: the hash of what its runs have in common. At most `limit` points of all lines together; more_count: the other lines.
 * - points: in the order of their sizes, of one size that on the line first.
 * - axes: the distinct sizes of all rows, at most the LINES_SIZES_MAX smallest ones; more_count: the others.
 * - count: rows of all lines with several sizes. unmeasured: rows without a finite number in the metric; unsized_count: rows
 *   without a size on the axis.
 * - gpus: tensor x pipeline x context x data, by the log of the server or else by its arguments, if the server ran on
 *   GPUs of its host (arguments); the recorded number if there are no such arguments or launch.hardware declared it
 *   (recorded); null for a server that the run did not start (remote), without GPUs (none), and otherwise (unknown).
 *   gpus_recorded: derived.gpu_count. gpu_unit: gpu or mig_instance.
 * - budget_ms: without time for the intervals of all lines, incomplete has "intervals".
 */
#pragma once

#include "base/buf.h"
#include "mirror/mirror.h"
#include "schema/schema.h"

/* As query_apply() (query/query.h). */
int query_scaling(const struct mirror_snapshot *snapshot, const json_t *request,
		  struct pl_buf *ret_json, struct schema_faults *faults,
		  struct pl_err *err) PL_MUST_CHECK;
