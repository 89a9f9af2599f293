/*
 * Pages of a server's /metrics with the time of each: a single blocking read, or one after the
 * other on an event loop.
 */
#pragma once

#include "host/telemetry/latencies.h"
#include "host/telemetry/metrics_page.h"
#include "io/loop.h"
#include "io/sock.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#define HOST_METRICS_BYTES_MAX  (16u << 20)
#define HOST_METRICS_TIMEOUT_NS 2000000000LL

struct host_metrics_sample {
	int64_t request_ns; /* CLOCK_MONOTONIC before and after the exchange */
	int64_t answered_ns;
	bool known; /* false: a gap */
	struct host_metrics metrics;
};

/* The location of the page. */
struct host_metrics_source {
	const struct io_addr *addr;
	const char *host;              /* Host header, or NULL */
	const char *headers;           /* as in io/fetch.h */
	const char *prefix;            /* path before /metrics; NULL: none */
	int64_t timeout_ns;            /* for host_metrics_fetch(); 0: HOST_METRICS_TIMEOUT_NS */
	const atomic_int *stop_signal; /* likewise; as in io/fetch.h */
};

/* Reads one page now; blocks. ret_latencies: its histograms; NULL: not wanted. */
int host_metrics_fetch(const struct host_metrics_source *source, struct host_metrics_sample *ret,
		       struct host_latencies *ret_latencies, struct pl_err *err) PL_MUST_CHECK;

/*
 * Reading on a loop: one persistent connection, one exchange at a time, without blocking. All calls
 * belong to the loop's thread.
 */
struct host_scrape;
/* Called once for every host_scrape_ask() that was started; a gap if `known` is false. */
typedef void host_scrape_fn(void *data, const struct host_metrics_sample *sample);

/* Copies the source but borrows what it points to. Sends no request yet. */
struct host_scrape *host_scrape_new(struct io_loop *loop, const struct host_metrics_source *source,
				    host_scrape_fn *fn, void *data);
/* Does not call fn again. */
void host_scrape_free(struct host_scrape *scrape);
/* Starts a request. False: the previous exchange has not finished. */
bool host_scrape_ask(struct host_scrape *scrape);
