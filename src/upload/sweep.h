/*
 * Sends a sweep's FOLDER/summary.json (sweep/summary.h) to a dashboard, in addition to its results, with PUT
 * /api/data/sweeps/ID. A later call replaces the earlier summary.
 */
#pragma once

#include "base/clock.h"
#include "base/err.h"
#include "run/target.h"

#include <stdbool.h>

/* Returns whether the file is the summary of a sweep, by its name and content. */
bool upload_is_sweep(const char *path);
/*
 * Waits up to wait_ns for the response. Returns -1 if it is not a summary, with NETWORK or TIMEOUT if it could not be
 * sent, or with NETWORK if it was refused.
 */
#define UPLOAD_SWEEP_NS (20 * PL_NS_PER_S)
int upload_sweep(const struct run_target *target, const char *path, int64_t wait_ns,
		 struct pl_err *err) PL_MUST_CHECK;
