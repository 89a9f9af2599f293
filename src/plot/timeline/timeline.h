/*
 * `--plot-timeline`: the requests over time as one self-contained HTML page that needs no network,
 * library or other file (docs/reference/plots.md). plot_timeline.html is the page; its placeholders
 * for text and data are filled in here. plot_timeline.c documents the format of the data.
 */
#pragma once

#include "base/err.h"
#include "result/record.h"

/*
 * Browsers do not open a page with more events: only the first requests are shown, and their number
 * is reported. A request also counts as some events, because of the size of its row in the page,
 * and a failed one because of its message.
 */
#define PLOT_EVENTS_MAX     ((size_t)10 * 1000 * 1000)
#define PLOT_EVENTS_REQUEST 8
#define PLOT_EVENTS_FAILED  100

struct plot_timeline_input {
	const struct res_record *records;
	size_t count;
	double thresholds_ms[2]; /* vllm_bench_thresholds() */
	const char *model;       /* NULL: unknown */
	const char *backend;
	int64_t real_offset_ns; /* CLOCK_REALTIME minus the records' clock */
	/* the simulator that responded instead of an engine; NULL: a real one */
	const char *simulator;
	size_t events_max; /* 0: PLOT_EVENTS_MAX */
};

int plot_timeline(const struct plot_timeline_input *input, const char *path,
		  struct pl_err *err) PL_MUST_CHECK;
