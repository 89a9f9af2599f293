/*
 * The server's /metrics, read on an event loop: one connection that is kept, one exchange at a
 * time, nothing waits for it. The loop's thread only.
 */
#ifndef HOST_TELEMETRY_SCRAPE_H
#define HOST_TELEMETRY_SCRAPE_H

#include "host/telemetry/metrics_fetch.h"
#include "io/loop.h"

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

#endif
