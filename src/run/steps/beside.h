/*
 * What goes on at the server beside the measured load: its profiler, probe requests, and its
 * counters of speculative decoding over that time.
 */
#ifndef RUN_STEPS_BESIDE_H
#define RUN_STEPS_BESIDE_H

#include "run/steps/probe.h"
#include "host/telemetry/spec_decode.h"

struct run_beside {
	struct run_probe *probe; /* NULL: none */
	struct host_spec_decode before;
	struct host_spec_decode after;
	bool profiling;
};

/* Just before the load. A profiler that cannot be started is told, and no reason to stop. */
int run_beside_start(struct run_state *run, struct pl_err *err) PL_MUST_CHECK;
/* Just behind it: ends probes and profiler. */
void run_beside_stop(struct run_state *run);
/* Once the server has counted all: its counters. */
void run_beside_count(struct run_state *run);
/* Their figures into `results`. */
void run_beside_results(const struct run_state *run, json_t *results);
void run_beside_done(struct run_beside *beside);

#endif
