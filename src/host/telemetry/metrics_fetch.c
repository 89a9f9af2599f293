#include "host/telemetry/metrics_fetch.h"

#include <stdlib.h>

#include "base/clock.h"

char *host_metrics_path(const struct host_metrics_source *source)
{
	return pl_asprintf("%s/metrics", source->prefix != NULL ? source->prefix : "");
}

struct io_fetch host_metrics_question(const struct host_metrics_source *source, const char *path)
{
	return (struct io_fetch){
		.addr = source->addr,
		.host = source->host,
		.path = path,
		.headers = source->headers,
		.timeout_ns = HOST_METRICS_TIMEOUT_NS,
		/* A page above the ceiling is none: what it sums up would be cut. */
		.reply_bytes_max = HOST_METRICS_BYTES_MAX,
	};
}

int host_metrics_answer(const struct io_reply *reply, struct host_metrics *ret, struct pl_err *err)
{
	if (reply->status != 200)
		return pl_err_set(err, PL_ERR_NETWORK, "'/metrics' answered %d", reply->status);
	return host_metrics_parse(reply->body, reply->body_len, ret, err);
}

int host_metrics_fetch(const struct host_metrics_source *source, struct host_metrics_sample *ret,
		       struct pl_err *err)
{
	auto_free char *path = host_metrics_path(source);
	struct io_fetch fetch = host_metrics_question(source, path);
	auto_reply reply = { 0 };
	struct host_metrics_sample sample = { .asked_ns = pl_clock_now_ns() };

	if (io_fetch(&fetch, &reply, err) < 0)
		return -1;
	/*
	 * Both times are kept: the page was made somewhere in between, and a slow one is visible as
	 * such.
	 */
	sample.answered_ns = pl_clock_now_ns();
	if (host_metrics_answer(&reply, &sample.metrics, err) < 0)
		return -1;
	sample.known = true;
	*ret = sample;
	return 0;
}
