/*
 * A page of a server's /metrics: Prometheus text to the few values that a run looks at.
 */
#pragma once

#include "base/json.h"

#include <stddef.h>

/* One sample of the text format. Labels as they stand between the braces; not NUL-ended. */
struct host_sample {
	const char *name;
	size_t name_len;
	const char *labels; /* NULL: none */
	size_t labels_len;
	double value;
};

/*
 * Calls fn for every sample, in order. -1 with the line number for text that is no Prometheus
 * page (text format 0.0.4, or OpenMetrics 1.0: names, labels with their three escapes, one value, a
 * timestamp, an exemplar, types by their names); samples before the broken line have been passed on.
 * Timestamps and exemplars are checked and not passed on. "# EOF" is a comment: pages may be joined.
 */
int host_metrics_walk(const char *text, size_t len,
		      void (*fn)(void *data, const struct host_sample *sample), void *data,
		      struct pl_err *err) PL_MUST_CHECK;

/*
 * Sums over all engines of a server (largest for usage and start time), by the rows PAGE of
 * tbl/telemetry.h; NaN: not on the page.
 */
struct host_metrics {
#define PAGE(name, unit, kind, text) double name;
#include "tbl/telemetry.h"
};

#define HOST_METRICS_VALUES_MAX 16

int host_metrics_parse(const char *text, size_t len, struct host_metrics *ret,
		       struct pl_err *err) PL_MUST_CHECK;
/* Every field, in order, and its name; returns how many. */
size_t host_metrics_values(const struct host_metrics *metrics, const char *const **ret_names,
			   double values[HOST_METRICS_VALUES_MAX]);
