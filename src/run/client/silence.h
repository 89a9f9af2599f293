/* Determines with /health and /metrics whether a server that sends nothing is working. */
#pragma once

#include "bench/load/load.h"
#include "run/target.h"

/*
 * Runs the load. If no stream received a byte for its stall_timeout and the server is not working, the load ends, and
 * the outcome contains the server's response. A server is working if /health responds and one of these is true: a
 * counter of its engine changes; it runs more requests than have started to respond, so it is processing a prompt; it
 * has no /metrics, and no open request has started to respond. The last two count until no byte has arrived and no
 * counter has changed for 20 times stall_timeout, because an engine that hangs during prefill looks the same.
 */
int run_silence_load(const struct run_target *target, struct bench_load *load,
		     struct res_outcome **ret, struct pl_err *err) PL_MUST_CHECK;
