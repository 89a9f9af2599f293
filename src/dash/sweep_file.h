/* Writes some runs of a sweep as an experiment file for `profllm sweep run`. */
#pragma once

#include "base/buf.h"
#include "base/json.h"

/*
 * `sweep` is from store_sweep_get(); `kinds` is an array of the kinds of runs to include ("failed", "partial",
 * "missing"). The file has the experiment of the sweep's file with only the points of these runs; repeats of a point
 * count once. Returns the number of points; 0: nothing was written.
 */
size_t dash_sweep_file(const json_t *sweep, const json_t *kinds, struct pl_buf *ret);
