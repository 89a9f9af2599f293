#include "host/telemetry/scrape.h"

#include <stdlib.h>

#include "base/clock.h"
#include "io/exchange.h"

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
			       host_metrics_answer(&scrape->reply, &scrape->sample.metrics,
						   &ignored) == 0;
	io_reply_done(&scrape->reply);
	scrape->fn(scrape->data, &scrape->sample);
}

bool host_scrape_ask(struct host_scrape *scrape)
{
	struct pl_err err = PL_ERR_INIT;

	if (scrape->busy)
		return false;
	scrape->busy = true;
	scrape->sample = (struct host_metrics_sample){ .asked_ns = pl_clock_now_ns() };
	if (io_exchange_begin(scrape->exchange, &scrape->fetch, &scrape->reply, &err) < 0)
		on_over(scrape, &err);
	return true;
}

struct host_scrape *host_scrape_new(struct io_loop *loop, const struct host_metrics_source *source,
				    host_scrape_fn *fn, void *data)
{
	struct host_scrape *scrape = pl_alloc(sizeof(*scrape));

	scrape->exchange = io_exchange_new(loop, true, on_over, scrape);
	scrape->path = host_metrics_path(source);
	scrape->fetch = host_metrics_question(source, scrape->path);
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
