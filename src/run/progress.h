/*
 * The progress on standard error while requests run: a bar on a terminal, otherwise a line at intervals. Runs in its
 * own thread, which also notices the death of the server.
 */
#pragma once

#include "base/buf.h"
#include "bench/load/load.h"

#include <stdbool.h>

struct host_process;
struct run_live;
struct run_stop;

/* A snapshot of the counters. */
struct run_progress_view {
	uint64_t issued, completed, failed, in_flight, tokens;
	size_t total;
	double elapsed_s;
};

/* Formats one line of at most 79 columns, without line end. bar: for a terminal. */
void run_progress_text(const struct run_progress_view *view, bool bar, struct pl_buf *buf);

struct run_progress_spec {
	const struct bench_progress *counters;
	size_t total;
	bool quiet;
	const struct host_process *process; /* its end stops the run; NULL: none */
	struct run_stop *stop;
	struct run_live *live; /* receives the number of finished requests; NULL: none */
};

struct run_progress;
int run_progress_start(const struct run_progress_spec *spec, struct run_progress **ret,
		       struct pl_err *err) PL_MUST_CHECK;
/* Prints the last state and ends the thread. */
void run_progress_stop(struct run_progress *progress);
