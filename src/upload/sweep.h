/*
 * What a dashboard is told of a sweep besides its results: FOLDER/summary.json (sweep/summary.h), put
 * at /api/data/sweeps/ID. Told again it takes the place of what was told before.
 */
#pragma once

#include "base/err.h"
#include "run/target.h"

#include <stdbool.h>

/* Is it the summary of a sweep, by its name and what is in it? */
bool upload_is_sweep(const char *path);
/* -1: it is none, or NETWORK: it cannot be sent, or was not taken. */
int upload_sweep(const struct run_target *target, const char *path,
		 struct pl_err *err) PL_MUST_CHECK;
