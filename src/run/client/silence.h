/*
 * Is a server that sends nothing at work? It is asked for /health and /metrics.
 */
#pragma once

#include "bench/load/load.h"
#include "run/target.h"

/*
 * Runs the load. If no byte came from any stream for its stall_timeout and the server is not at work, the load
 * ends, and the outcome says what the server answered. A server is at work if /health answers and one of these is
 * true: a counter of its engine moves; it runs more requests than have started to answer, so that it reads a
 * prompt; it has no /metrics, and no open request has started to answer. The last two count until nothing has
 * come and no counter has moved for 20 times stall_timeout: an engine that stops while it reads looks the same.
 */
int run_silence_load(const struct run_target *target, struct bench_load *load,
		     struct res_outcome **ret, struct pl_err *err) PL_MUST_CHECK;
