/* A server's /metrics page: Prometheus text, reduced to the values that a run uses. */
#pragma once

#include "base/json.h"

#include <stddef.h>

/*
 * One sample of the text format. `labels` is the text between the braces. Texts are not
 * NUL-terminated.
 */
struct host_sample {
	const char *name;
	size_t name_len;
	const char *labels; /* NULL: none */
	size_t labels_len;
	double value;
};

/*
 * Calls fn for every sample, in order. Returns -1 with the line number if the text is not a
 * Prometheus page (text format 0.0.4, or OpenMetrics 1.0: names, labels with their three escapes,
 * one value, a timestamp, an exemplar, types by their names). Samples before the malformed line
 * were passed to fn. Timestamps and exemplars are validated and dropped. "# EOF" is a comment:
 * pages may be concatenated.
 */
int host_metrics_walk(const char *text, size_t len,
		      void (*fn)(void *data, const struct host_sample *sample), void *data,
		      struct pl_err *err) PL_MUST_CHECK;

/*
 * Sums over all engines of a server (maxima for usage and start time), by the rows PAGE of
 * tbl/telemetry.h; NaN: not on the page.
 */
struct host_metrics {
#define PAGE(name, unit, kind, text) double name;
#include "tbl/telemetry.h"
};

#define HOST_METRICS_VALUES_MAX 16

int host_metrics_parse(const char *text, size_t len, struct host_metrics *ret,
		       struct pl_err *err) PL_MUST_CHECK;
/* Returns every field and its name, in order, and their number. */
size_t host_metrics_values(const struct host_metrics *metrics, const char *const **ret_names,
			   double values[HOST_METRICS_VALUES_MAX]);
