/*
 * What vLLM's client does at the server besides its load, and ours with it: the server's profiler,
 * probe requests, and the server's counters of speculative decoding over that time.
 */
#pragma once

#include "host/telemetry/spec_decode.h"
#include "run/client/probe.h"

struct run_target;

struct run_extras {
	struct run_probe *probe; /* NULL: none */
	struct host_spec_decode before;
	struct host_spec_decode after;
	int64_t flush_ns; /* the server may be profiling, and take so long to end that; 0: it is not */
	bool profiled;    /* it was asked to profile the load, and did or did not answer in time */
};

/* Just before the load. A profiler that cannot be started is told, and no reason to stop; one that
 * does not answer in time may well run. `model`: what requests call it. */
int run_extras_start(const struct run_context *run, const struct run_route *route,
		     const char *model, struct run_extras *ret, struct pl_err *err) PL_MUST_CHECK;
/* Just behind it: ends probes and profiler; a second ^C ends the wait for the latter. */
void run_extras_stop(const struct run_context *run, const struct run_target *target,
		     struct run_extras *extras);
/* Once the server has counted all: its counters. */
void run_extras_count(const struct run_target *target, struct run_extras *extras);
/* Their figures into `results`. */
void run_extras_results(const struct run_extras *extras, json_t *results);
void run_extras_done(struct run_extras *extras);
