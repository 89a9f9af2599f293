/*
 * The simulator as a server: one thread with one loop owns the engine and all sockets. The event log has a writer
 * thread.
 */
#pragma once

#include "base/err.h"
#include "sim/options.h"

/*
 * Serves until SIGTERM or SIGINT, which the caller must block before starting threads. Returns the exit status: 0 after
 * a normal end, that of an injected fault after reporting it, or -1 with an error to show.
 */
int sim_server_run(const struct sim_options *options, struct pl_err *err) PL_MUST_CHECK;
