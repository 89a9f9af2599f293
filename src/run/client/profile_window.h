/*
 * A part of the load that the server profiles: from the first moment at which it runs profile_batch_threshold requests,
 * for profile_duration. A thread of its own watches /metrics.
 */
#pragma once

#include "base/err.h"

#include <stdbool.h>

struct run_context;
struct run_profile_window;
struct run_target;

int run_profile_window_start(const struct run_context *run, const struct run_target *target,
			     struct run_profile_window **ret, struct pl_err *err) PL_MUST_CHECK;
/*
 * Ends the watch, and a profile that is being taken; waits for the server to write it. Returns whether the server
 * profiled a part of the load. NULL: false.
 */
bool run_profile_window_stop(struct run_profile_window *window);
/* Ends the watch too, if it was not stopped. */
void run_profile_window_free(struct run_profile_window *window);
