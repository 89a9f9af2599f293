/* What the files plot_timeline*.c share. */
#ifndef BENCH_PLOT_TIMELINE_PRIV_H
#define BENCH_PLOT_TIMELINE_PRIV_H

#include "base/buf.h"
#include "base/json.h"
#include "bench/plot_timeline.h"

#include <stdio.h>

/* The page with its places as @NAME@; NUL-ended. */
extern const char bench_timeline_page[];

/* Classes of parts, in the order of the page's key. */
enum bench_timeline_class {
	BENCH_TIMELINE_TTFT,
	BENCH_TIMELINE_FAST,
	BENCH_TIMELINE_SLOWER,
	BENCH_TIMELINE_SLOW,
	BENCH_TIMELINE_FAILED, /* requests */
	BENCH_TIMELINE_CLASSES
};

/* What the page tells in words. */
struct bench_timeline_facts {
	size_t shown;  /* requests that the picture has: the first of the run */
	size_t events; /* of those */
	size_t counts[BENCH_TIMELINE_CLASSES]; /* of those */
	size_t failed;                         /* of all requests, those not sent among them */
	int64_t start_ns;                      /* the earliest start; RES_NO_TIME: none was sent */
	int64_t end_ns;                        /* the latest sign of a request */
	double *ttfts_ms; /* of the finished requests, as in the results; sorted */
	size_t ttft_count;
	char *labels[BENCH_TIMELINE_CLASSES];
};

void bench_timeline_facts_make(const struct bench_plot_timeline_input *input,
			       struct bench_timeline_facts *ret);
void bench_timeline_facts_done(struct bench_timeline_facts *facts);

/* {requests, events, thresholds_ms, labels, counts, errors} as JSON that may stand in a page. */
char *bench_timeline_about(const struct bench_plot_timeline_input *input,
			   const struct bench_timeline_facts *facts);
/* The requests shown and their events, base64. */
void bench_timeline_events(const struct bench_plot_timeline_input *input,
			   const struct bench_timeline_facts *facts, FILE *stream);

#endif
