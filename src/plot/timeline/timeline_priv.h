/* Shared by the files of this directory. */
#pragma once

#include "base/buf.h"
#include "base/json.h"
#include "plot/timeline/timeline.h"

#include <stdio.h>

/* The page with placeholders @NAME@; NUL-terminated. */
extern const char plot_timeline_page[];

/* Classes of parts, in the order of the page's legend. */
enum plot_timeline_class {
	PLOT_TIMELINE_TTFT,
	PLOT_TIMELINE_FAST,
	PLOT_TIMELINE_SLOWER,
	PLOT_TIMELINE_SLOW,
	PLOT_TIMELINE_FAILED, /* requests */
	PLOT_TIMELINE_CLASSES
};

/* The data for the page's texts. */
struct plot_timeline_facts {
	size_t shown;  /* number of requests in the picture: the first of the run */
	size_t events; /* of those */
	size_t counts[PLOT_TIMELINE_CLASSES]; /* of those */
	size_t failed;                        /* among all requests, including those not sent */
	int64_t start_ns;                     /* earliest start; RES_NO_TIME: none was sent */
	int64_t end_ns;                       /* latest time of any request */
	double *ttfts_ms; /* of the finished requests, as in the results; sorted */
	size_t ttft_count;
	char *labels[PLOT_TIMELINE_CLASSES];
};

void plot_timeline_facts_make(const struct plot_timeline_input *input,
			      struct plot_timeline_facts *ret);
void plot_timeline_facts_done(struct plot_timeline_facts *facts);

/*
 * Returns {requests, events, thresholds_ms, labels, counts, errors} as JSON that is safe inside a
 * page.
 */
char *plot_timeline_about(const struct plot_timeline_input *input,
			  const struct plot_timeline_facts *facts);
/* Writes the requests shown and their events, in base64. */
void plot_timeline_events(const struct plot_timeline_input *input,
			  const struct plot_timeline_facts *facts, FILE *stream);
