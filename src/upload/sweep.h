/*
 * Sends a sweep's FOLDER/summary.json (sweep/summary.h) to a dashboard, in addition to its results, with PUT
 * /api/data/sweeps/ID. A later call replaces the earlier summary.
 */
#pragma once

#include "base/err.h"
#include "run/target.h"

#include <stdbool.h>

/* Returns whether the file is the summary of a sweep, by its name and content. */
bool upload_is_sweep(const char *path);
/* Returns -1 if it is not a summary, or with NETWORK if it could not be sent or was refused. */
int upload_sweep(const struct run_target *target, const char *path,
		 struct pl_err *err) PL_MUST_CHECK;
