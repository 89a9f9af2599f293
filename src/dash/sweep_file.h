/* Some runs of a sweep as a file that `profllm sweep run` takes. */
#pragma once

#include "base/buf.h"
#include "base/json.h"

/*
 * `sweep` as store_sweep_get() tells it; `kinds`: array of the kinds of runs that are wanted ("failed",
 * "partial", "missing"). The experiment as the sweep's file had it, with their points alone, each once however many
 * repeats of it are wanted. Returns how many points there are; 0: nothing was written.
 */
size_t dash_sweep_file(const json_t *sweep, const json_t *kinds, struct pl_buf *ret);
