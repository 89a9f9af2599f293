/* What the files plot_timeline*.c share. */
#pragma once

#include "base/buf.h"
#include "base/json.h"
#include "plot/timeline/timeline.h"

#include <stdio.h>

/* The page with its places as @NAME@; NUL-ended. */
extern const char plot_timeline_page[];

/* Classes of parts, in the order of the page's key. */
enum plot_timeline_class {
	PLOT_TIMELINE_TTFT,
	PLOT_TIMELINE_FAST,
	PLOT_TIMELINE_SLOWER,
	PLOT_TIMELINE_SLOW,
	PLOT_TIMELINE_FAILED, /* requests */
	PLOT_TIMELINE_CLASSES
};

/* What the page tells in words. */
struct plot_timeline_facts {
	size_t shown;  /* requests that the picture has: the first of the run */
	size_t events; /* of those */
	size_t counts[PLOT_TIMELINE_CLASSES]; /* of those */
	size_t failed;                        /* of all requests, those not sent among them */
	int64_t start_ns;                     /* the earliest start; RES_NO_TIME: none was sent */
	int64_t end_ns;                       /* the latest sign of a request */
	double *ttfts_ms; /* of the finished requests, as in the results; sorted */
	size_t ttft_count;
	char *labels[PLOT_TIMELINE_CLASSES];
};

void plot_timeline_facts_make(const struct plot_timeline_input *input,
			      struct plot_timeline_facts *ret);
void plot_timeline_facts_done(struct plot_timeline_facts *facts);

/* {requests, events, thresholds_ms, labels, counts, errors} as JSON that may stand in a page. */
char *plot_timeline_about(const struct plot_timeline_input *input,
			  const struct plot_timeline_facts *facts);
/* The requests shown and their events, base64. */
void plot_timeline_events(const struct plot_timeline_input *input,
			  const struct plot_timeline_facts *facts, FILE *stream);
