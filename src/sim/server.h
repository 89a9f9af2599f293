/*
 * The simulator as a server: one thread with one loop owns the engine and all sockets; the event
 * log has a writer of its own.
 */
#pragma once

#include "base/err.h"
#include "sim/options.h"

/*
 * Serves until SIGTERM or SIGINT; both must be blocked by the caller before any thread starts.
 * Returns the exit status of a life that ended as it should (0) or by a fault that was asked for,
 * all said; -1 with an error to be shown.
 */
int sim_server_run(const struct sim_options *options, struct pl_err *err) PL_MUST_CHECK;
