#include "host/telemetry/metrics_fetch.h"

#include <stdlib.h>

#include "base/clock.h"
#include "io/fetch.h"

int host_metrics_fetch(const struct host_metrics_source *source, struct host_metrics_sample *ret,
		       struct pl_err *err)
{
	auto_free char *path = pl_asprintf("%s/metrics",
					   source->prefix != NULL ? source->prefix : "");
	struct io_fetch fetch = {
		.addr = source->addr,
		.host = source->host,
		.path = path,
		.headers = source->headers,
		.timeout_ns = HOST_METRICS_TIMEOUT_NS,
		.reply_bytes_max = HOST_METRICS_BYTES_MAX,
	};
	auto_reply reply = { 0 };
	struct host_metrics_sample sample = { .asked_ns = pl_clock_now_ns() };

	if (io_fetch(&fetch, &reply, err) < 0)
		return -1;
	/*
	 * Both times are kept: the page was made somewhere in between, and a slow one is visible as
	 * such.
	 */
	sample.answered_ns = pl_clock_now_ns();
	if (reply.status != 200)
		return pl_err_set(err, PL_ERR_NETWORK, "'/metrics' answered %d", reply.status);
	if (host_metrics_parse(reply.body, reply.body_len, &sample.metrics, err) < 0)
		return -1;
	sample.known = true;
	*ret = sample;
	return 0;
}
