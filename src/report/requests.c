#include <math.h>
#include <stdlib.h>

#include "base/mem.h"
#include "report/report_priv.h"
#include "result/timing.h"

void report_requests_done(struct report_requests *requests)
{
	free(requests->items);
	*requests = (struct report_requests){ 0 };
}

static int by_start(const void *a, const void *b)
{
	const struct report_request *x = a, *y = b;

	if (x->start_s != y->start_s)
		return x->start_s < y->start_s ? -1 : 1;
	/* requests that start at once have an order, too: equal input, equal report */
	return x->index < y->index ? -1 : x->index > y->index;
}

void report_requests_of(const struct records *records, struct report_requests *ret)
{
	int64_t first_ns = INT64_MAX;

	*ret = (struct report_requests){ 0 };
	for (size_t i = 0; i < records->count; i++) {
		const struct records_row *row = &records->rows[i];
		if (row->has_start && row->acted_ns < first_ns)
			first_ns = row->acted_ns;
	}
	ret->items = pl_alloc_array(records->count, sizeof(ret->items[0]));
	for (size_t i = 0; i < records->count; i++) {
		const struct records_row *row = &records->rows[i];
		if (!row->has_start)
			continue;
		ret->items[ret->count++] = (struct report_request){
			.start_s = res_seconds(first_ns, row->acted_ns),
			.ttft_ms = 1e3 * row->ttft_s,
			.tpot_ms = 1e3 * row->tpot_s,
			.e2el_ms = 1e3 * row->e2el_s,
			.index = row->index,
			.ok = row->status == RECORDS_COMPLETED,
		};
	}
	qsort(ret->items, ret->count, sizeof(ret->items[0]), by_start);
}
