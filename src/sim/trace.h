/*
 * The profiler: a trace in Chrome's format per rank of the engine's own steps, named as vLLM's torch profiler names
 * them, in the directory of --profiler-config or VLLM_TORCH_PROFILER_DIR. All names in it are marked as simulated.
 */
#pragma once

#include "io/loop.h"
#include "sim/engine.h"

struct sim_options;
struct sim_trace;

/* *ret NULL: no directory is set. The steps of a profile beyond SIM_TRACE_STEPS_MAX are not recorded. */
#define SIM_TRACE_STEPS_MAX 20000
struct sim_trace *sim_trace_new(const struct sim_options *options, struct io_loop *loop);
/* Accepts NULL. Files whose second half is due later (--sim-trace-delay) stay incomplete. */
void sim_trace_free(struct sim_trace *trace);

/* Begins a profile; accepts NULL. */
void sim_trace_start(struct sim_trace *trace);
/* Records a step, which begins now, while a profile is recorded; accepts NULL. */
void sim_trace_step(struct sim_trace *trace, int64_t begin_ns, int64_t duration_ns,
		    const struct sim_step *step);
/* Ends the profile and writes its files; accepts NULL, and without a start does nothing. */
int sim_trace_stop(struct sim_trace *trace, struct pl_err *err) PL_MUST_CHECK;
