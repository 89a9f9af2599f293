/*
 * Any bytes as a /metrics page: samples passed on lie within the text, and a page that is taken
 * gives JSON.
 */
#include <stdint.h>
#include <stdlib.h>

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

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct page page = { .start = (const char *)data, .end = (const char *)data + size };
	struct host_metrics metrics;
	struct pl_err err = PL_ERR_INIT;

	int walked = host_metrics_walk(page.start, size, check_sample, &page, &err);
	int parsed = host_metrics_parse(page.start, size, &metrics, &err);
	if (walked != parsed)
		abort();
	return 0;
}
