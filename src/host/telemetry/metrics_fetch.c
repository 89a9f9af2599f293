#include "host/telemetry/metrics_fetch.h"

#include <stdlib.h>

#include "base/clock.h"
#include "io/exchange.h"

/* The caller frees it with free(). */
static char *page_path(const struct host_metrics_source *source)
{
	return pl_asprintf("%s/metrics", source->prefix != NULL ? source->prefix : "");
}

static struct io_fetch question(const struct host_metrics_source *source, const char *path)
{
	return (struct io_fetch){
		.addr = source->addr,
		.host = source->host,
		.path = path,
		.headers = source->headers,
		.timeout_ns = HOST_METRICS_TIMEOUT_NS,
		/* Rejects a page above this size: its sums would be incomplete. */
		.reply_bytes_max = HOST_METRICS_BYTES_MAX,
	};
}

static int answer(const struct io_reply *reply, struct host_metrics *ret, struct pl_err *err)
{
	if (reply->status != 200)
		return pl_err_set(err, PL_ERR_NETWORK, "'/metrics' returned status %d",
				  reply->status);
	return host_metrics_parse(reply->body, reply->body_len, ret, err);
}

int host_metrics_fetch(const struct host_metrics_source *source, struct host_metrics_sample *ret,
		       struct host_latencies *ret_latencies, struct pl_err *err)
{
	auto_free char *path = page_path(source);
	struct io_fetch fetch = question(source, path);
	auto_reply reply = { 0 };

	fetch.stop_signal = source->stop_signal;
	if (source->timeout_ns != 0)
		fetch.timeout_ns = source->timeout_ns;
	struct host_metrics_sample sample = { .request_ns = pl_clock_now_ns() };

	if (io_fetch(&fetch, &reply, err) < 0)
		return -1;
	/*
	 * Stores both times: the page was generated in between, and a slow one is visible as such.
	 */
	sample.answered_ns = pl_clock_now_ns();
	if (answer(&reply, &sample.metrics, err) < 0)
		return -1;
	sample.known = true;
	if (ret_latencies != NULL)
		host_latencies_parse(reply.body, reply.body_len, ret_latencies);
	*ret = sample;
	return 0;
}

/* A connection that stays; an exchange that is late, refused or no page is a gap. */
struct host_scrape {
	struct io_exchange *exchange;
	struct io_fetch fetch;
	char *path;
	host_scrape_fn *fn;
	void *data;
	bool busy;
	struct io_reply reply;
	struct host_metrics_sample sample;
};

static void on_over(void *data, const struct pl_err *failure)
{
	struct host_scrape *scrape = data;
	struct pl_err ignored = PL_ERR_INIT;

	scrape->busy = false;
	scrape->sample.answered_ns = pl_clock_now_ns();
	scrape->sample.known = failure == NULL &&
			       answer(&scrape->reply, &scrape->sample.metrics, &ignored) == 0;
	io_reply_done(&scrape->reply);
	scrape->fn(scrape->data, &scrape->sample);
}

bool host_scrape_ask(struct host_scrape *scrape)
{
	struct pl_err err = PL_ERR_INIT;

	if (scrape->busy)
		return false;
	scrape->busy = true;
	scrape->sample = (struct host_metrics_sample){ .request_ns = pl_clock_now_ns() };
	if (io_exchange_begin(scrape->exchange, &scrape->fetch, &scrape->reply, &err) < 0)
		on_over(scrape, &err);
	return true;
}

struct host_scrape *host_scrape_new(struct io_loop *loop, const struct host_metrics_source *source,
				    host_scrape_fn *fn, void *data)
{
	struct host_scrape *scrape = pl_alloc(sizeof(*scrape));

	scrape->exchange = io_exchange_new(loop, true, on_over, scrape);
	scrape->path = page_path(source);
	scrape->fetch = question(source, scrape->path);
	scrape->fn = fn;
	scrape->data = data;
	return scrape;
}

void host_scrape_free(struct host_scrape *scrape)
{
	if (scrape == NULL)
		return;
	io_exchange_free(scrape->exchange);
	io_reply_done(&scrape->reply);
	free(scrape->path);
	free(scrape);
}
