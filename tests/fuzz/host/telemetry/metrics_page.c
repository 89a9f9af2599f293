/*
 * Any bytes as a /metrics page: samples passed on lie within the text, and a page that is taken
 * gives JSON.
 */
#include <math.h>
#include <stdint.h>
#include <stdlib.h>

#include "host/telemetry/latencies.h"
#include "host/telemetry/metrics_page.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

struct page {
	const char *start;
	const char *end;
};

static void check_sample(void *data, const struct host_sample *sample)
{
	const struct page *page = data;

	if (sample->name < page->start || sample->name + sample->name_len > page->end)
		abort();
	if (sample->labels != NULL &&
	    (sample->labels < sample->name || sample->labels + sample->labels_len >= page->end))
		abort();
}

/* Differences of histograms are counts, and limits are ordered. */
static void check_latencies(const char *text, size_t size)
{
	const struct pl_buckets none = { 0 };
	struct host_latencies latencies;

	host_latencies_parse(text, size, &latencies);
	for (size_t i = 0; i < HOST_LATENCY_COUNT; i++) {
		struct pl_buckets between;
		if (!pl_buckets_between(&none, &latencies.of[i], &between))
			continue;
		struct pl_range half = pl_buckets_subset(&between, floor(between.count / 2));
		struct pl_range median = pl_buckets_quantile(&between, 0.5);
		if (!(half.low <= half.high) || median.low > median.high)
			abort();
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct page page = { .start = (const char *)data, .end = (const char *)data + size };
	struct host_metrics metrics;
	struct pl_err err = PL_ERR_INIT;

	int walked = host_metrics_walk(page.start, size, check_sample, &page, &err);
	int parsed = host_metrics_parse(page.start, size, &metrics, &err);
	if (walked != parsed)
		abort();
	check_latencies(page.start, size);
	return 0;
}
