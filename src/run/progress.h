/* The one-line progress of a load on standard error (run/watch/watch.h draws it). */
#pragma once

#include "base/buf.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A snapshot of the counters. */
struct run_progress_view {
	uint64_t issued, completed, failed, in_flight, tokens;
	size_t total;
	double elapsed_s;
	bool pools; /* the responses have no output tokens */
};

/* Formats one line of at most 79 columns, without line end. bar: for a terminal. */
void run_progress_text(const struct run_progress_view *view, bool bar, struct pl_buf *buf);
