/* Adds to a launch plan what the server needs to write traces (key `profiling`). */
#pragma once

#include "base/err.h"

#include <stdbool.h>

struct exp_config;
struct run_launch;

/*
 * Sets launch->trace_dir, a new directory of this run, and the argument or variable that names it; for Nsight Systems
 * also launch->wrapper_words. With launch.url it only resolves profiling.dir. look_only: makes no directory.
 */
int run_profile_setup(const struct exp_config *experiment, const char *run_id, bool look_only,
		      struct run_launch *launch, struct pl_err *err) PL_MUST_CHECK;
