/*
 * What goes on at the server beside the measured load: its profiler, probe requests, and its
 * counters of speculative decoding over that time.
 */
#ifndef EXPERIMENT_BESIDE_H
#define EXPERIMENT_BESIDE_H

#include "experiment/probe.h"
#include "host/spec_decode.h"

struct exp_beside {
	struct exp_probe *probe; /* NULL: none */
	struct host_spec_decode before;
	struct host_spec_decode after;
	bool profiling;
};

/* Just before the load. A profiler that cannot be started is told, and no reason to stop. */
int exp_beside_start(struct exp_run *run, struct pl_err *err) PL_MUST_CHECK;
/* Just behind it: ends probes and profiler. */
void exp_beside_stop(struct exp_run *run);
/* Once the server has counted all: its counters. */
void exp_beside_count(struct exp_run *run);
/* Their figures into `results`. */
void exp_beside_results(const struct exp_run *run, json_t *results);
void exp_beside_done(struct exp_beside *beside);

#endif
