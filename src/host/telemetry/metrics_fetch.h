/*
 * Pages of a server's /metrics, each as it was at a time: one at once, or one after the other on an
 * event loop.
 */
#pragma once

#include "host/telemetry/metrics_page.h"
#include "io/loop.h"
#include "io/sock.h"

#include <stdatomic.h>
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
	const char *host;              /* Host header, or NULL */
	const char *headers;           /* as io/fetch.h */
	const char *prefix;            /* in front of /metrics; NULL: none */
	int64_t timeout_ns;            /* for host_metrics_fetch(); 0: HOST_METRICS_TIMEOUT_NS */
	const atomic_int *stop_signal; /* the same; as io/fetch.h */
};

/* One page, now; blocks. */
int host_metrics_fetch(const struct host_metrics_source *source, struct host_metrics_sample *ret,
		       struct pl_err *err) PL_MUST_CHECK;

/*
 * On a loop: one connection that is kept, one exchange at a time, nothing waits for it. The loop's
 * thread only.
 */
struct host_scrape;
/* Called once for every host_scrape_ask() that was begun; a gap where `known` is false. */
typedef void host_scrape_fn(void *data, const struct host_metrics_sample *sample);

/* Copies the source but borrows what it points to. Asks nothing yet. */
struct host_scrape *host_scrape_new(struct io_loop *loop, const struct host_metrics_source *source,
				    host_scrape_fn *fn, void *data);
/* Without a last call of fn. */
void host_scrape_free(struct host_scrape *scrape);
/* False: the exchange before is still under way. */
bool host_scrape_ask(struct host_scrape *scrape);
