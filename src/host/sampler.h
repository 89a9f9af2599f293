/*
 * A thread that reads the server's /metrics on absolute ticks while a run goes on.
 *
 * - Its own connections, its own memory; the caller reads the samples after host_sampler_stop().
 * - A page that cannot be had or read is a gap, never a zero.
 */
#ifndef HOST_SAMPLER_H
#define HOST_SAMPLER_H

#include "host/metrics_page.h"
#include "io/sock.h"

#include <stdbool.h>
#include <stdint.h>

struct host_metrics_sample {
	int64_t asked_ns; /* CLOCK_MONOTONIC before and after the exchange */
	int64_t answered_ns;
	bool known; /* false: a gap */
	struct host_metrics metrics;
};

struct host_sampler_spec {
	const struct io_addr *addr;
	const char *host;    /* Host header, or NULL */
	const char *headers; /* as io/fetch.h */
	int64_t interval_ns;
};

struct host_sampler;
/* Borrows what the spec points to until the stop. */
int host_sampler_start(const struct host_sampler_spec *spec, struct host_sampler **ret,
		       struct pl_err *err) PL_MUST_CHECK;
/* Takes a last sample and ends the thread; harmless when repeated. */
void host_sampler_stop(struct host_sampler *sampler);
/* After the stop. Borrowed. */
const struct host_metrics_sample *host_sampler_samples(const struct host_sampler *sampler,
						       size_t *ret_count);
/* CPU time of the thread, after the stop. */
int64_t host_sampler_cpu_ns(const struct host_sampler *sampler);
/* Stops. */
void host_sampler_free(struct host_sampler *sampler);
PL_AUTO_DEFINE(struct host_sampler, host_sampler_free);
#define auto_sampler PL_AUTO(host_sampler_free)

/* One page, now. */
int host_metrics_fetch(const struct host_sampler_spec *spec, struct host_metrics_sample *ret,
		       struct pl_err *err) PL_MUST_CHECK;

#endif
