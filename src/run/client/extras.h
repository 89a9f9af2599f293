/*
 * The actions of vLLM's client, and ours, at the server in addition to the load: profiling, probe requests, and reading
 * the server's counters of speculative decoding.
 */
#pragma once

#include "host/telemetry/spec_decode.h"
#include "run/client/probe.h"
#include "run/client/profile_window.h"

struct run_target;

struct run_extras {
	struct run_probe *probe;            /* NULL: none */
	struct run_profile_window *profile; /* NULL: none */
	struct host_spec_decode before;
	struct host_spec_decode after;
	int64_t flush_ns; /* the server may be profiling and may take this long to end that; 0: not profiling */
	bool profiled; /* it was asked to profile the load, and did so or timed out */
};

/* Asks the server to empty its prefix cache. Without this route there is a note. */
void run_extras_reset_cache(const struct run_context *run, const struct run_target *target);
/*
 * Call it just before the load. A profiler that cannot be started is reported and does not end the run; one that times
 * out may be running. `model`: its name in requests.
 */
int run_extras_start(const struct run_context *run, const struct run_route *route,
		     const char *model, struct run_extras *ret, struct pl_err *err) PL_MUST_CHECK;
/* Call it just after the load: ends probes and profiler. A second ^C ends the wait for the profiler. */
void run_extras_stop(const struct run_context *run, const struct run_target *target,
		     struct run_extras *extras);
/* Reads the counters, after the server has counted everything. */
void run_extras_count(const struct run_target *target, struct run_extras *extras);
/* Adds their metrics to `results`. */
void run_extras_results(const struct run_extras *extras, json_t *results);
void run_extras_done(struct run_extras *extras);
