/*
 * `--plot-timeline`: the requests over time as one HTML page that needs nothing else: no network,
 * no library, no file beside it (docs/reference/plots.md). plot_timeline.html is the page, whose
 * places for text and data are filled in here; the data's form is told in plot_timeline.c.
 */
#pragma once

#include "base/err.h"
#include "result/record.h"

/*
 * A page with more does not open any more: the first requests are shown, and their number told. A
 * request counts as some events, too, for what its row takes in the page, a failed one for its
 * message.
 */
#define PLOT_EVENTS_MAX     ((size_t)10 * 1000 * 1000)
#define PLOT_EVENTS_REQUEST 8
#define PLOT_EVENTS_FAILED  100

struct plot_timeline_input {
	const struct res_record *records;
	size_t count;
	double thresholds_ms[2]; /* vllm_bench_thresholds() */
	const char *model;       /* NULL: not known */
	const char *backend;
	int64_t real_offset_ns; /* CLOCK_REALTIME less the records' clock */
	const char *simulator;  /* what answered in place of an engine; NULL: a real one */
	size_t events_max;      /* 0: PLOT_EVENTS_MAX */
};

int plot_timeline(const struct plot_timeline_input *input, const char *path,
		  struct pl_err *err) PL_MUST_CHECK;
