/*
 * A page of a server's /metrics as it was at a time.
 */
#ifndef HOST_TELEMETRY_METRICS_FETCH_H
#define HOST_TELEMETRY_METRICS_FETCH_H

#include "host/telemetry/metrics_page.h"
#include "io/fetch.h"

#include <stdbool.h>
#include <stdint.h>

#define HOST_METRICS_BYTES_MAX  (16u << 20)
#define HOST_METRICS_TIMEOUT_NS 2000000000LL

struct host_metrics_sample {
	int64_t asked_ns; /* CLOCK_MONOTONIC before and after the exchange */
	int64_t answered_ns;
	bool known; /* false: a gap */
	struct host_metrics metrics;
};

/* Where the page is. */
struct host_metrics_source {
	const struct io_addr *addr;
	const char *host;    /* Host header, or NULL */
	const char *headers; /* as io/fetch.h */
	const char *prefix;  /* in front of /metrics; NULL: none */
};

/* The question for a page, which borrows all it names; the path is the caller's (free()). */
char *host_metrics_path(const struct host_metrics_source *source);
struct io_fetch host_metrics_question(const struct host_metrics_source *source, const char *path);
/* What the page says; -1: it was refused, or is none. */
int host_metrics_answer(const struct io_reply *reply, struct host_metrics *ret,
			struct pl_err *err) PL_MUST_CHECK;

/* One page, now; blocks. */
int host_metrics_fetch(const struct host_metrics_source *source, struct host_metrics_sample *ret,
		       struct pl_err *err) PL_MUST_CHECK;

#endif
