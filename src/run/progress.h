/*
 * What a person sees while requests run, on standard error: a bar on a terminal, a line now and
 * then elsewhere. A thread of its own, which also notices that the server died.
 */
#pragma once

#include "base/buf.h"
#include "bench/load/load.h"

#include <stdbool.h>

struct host_process;
struct run_live;
struct run_stop;

/* The counters at one moment. */
struct run_progress_view {
	uint64_t issued, completed, failed, in_flight, tokens;
	size_t total;
	double elapsed_s;
};

/* One line of at most 79 columns, without its end. bar: for a terminal. */
void run_progress_text(const struct run_progress_view *view, bool bar, struct pl_buf *buf);

struct run_progress_spec {
	const struct bench_progress *counters;
	size_t total;
	bool quiet;
	const struct host_process *process; /* its end asks the run to stop; NULL: none */
	struct run_stop *stop;
	struct run_live *live; /* learns how many are over; NULL: nobody looks on */
};

struct run_progress;
int run_progress_start(const struct run_progress_spec *spec, struct run_progress **ret,
		       struct pl_err *err) PL_MUST_CHECK;
/* Draws the last state and ends the thread. */
void run_progress_stop(struct run_progress *progress);
