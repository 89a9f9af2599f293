#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "report/report.h"
#include "result/flat/read.h"
#include "result/flat/records.h"
#include "result/record_line.h"
#include "result/timing.h"

#define NS_PER_S       1e9
#define BLOCK_BYTES    (256u << 10)
#define LINE_BYTES_MAX (64u << 20) /* a record has 25 bytes per token */

void report_requests_done(struct report_requests *requests)
{
	free(requests->items);
	*requests = (struct report_requests){ 0 };
}

/* Its start is absolute until settle(). */
static void add_record(struct report_requests *requests, const struct res_record *record)
{
	if (record->retried || record->acted_ns == RES_NO_TIME)
		return;
	struct res_timing timing = res_timing_of(record);
	*PL_PUSH(requests->items, requests->count, requests->room) = (struct report_request){
		.start_s = (double)record->acted_ns / NS_PER_S,
		.ttft_ms = 1e3 * timing.ttft_s,
		/* a response in one piece has no time between tokens */
		.tpot_ms = timing.mirror_chunk_count > 0 && timing.output_tokens > 1
				   ? 1e3 * timing.tpot_s
				   : NAN,
		.e2el_ms = 1e3 * timing.e2el_s,
		.ok = record->ok,
	};
}

static int by_start(const void *a, const void *b)
{
	const struct report_request *x = a, *y = b;

	if (x->start_s != y->start_s)
		return x->start_s < y->start_s ? -1 : 1;
	/* requests that start at once have an order, too: equal input, equal report */
	if (x->e2el_ms != y->e2el_ms)
		return x->e2el_ms < y->e2el_ms ? -1 : 1;
	return x->ttft_ms < y->ttft_ms ? -1 : x->ttft_ms > y->ttft_ms;
}

static void settle(struct report_requests *requests)
{
	if (requests->count == 0)
		return;
	qsort(requests->items, requests->count, sizeof(requests->items[0]), by_start);
	double first = requests->items[0].start_s;
	for (size_t i = 0; i < requests->count; i++)
		requests->items[i].start_s -= first;
}

static void read_line(const char *text, size_t len, struct report_requests *requests)
{
	auto_json json_t *json = NULL;
	struct res_record record;

	if (requests->count == REPORT_REQUESTS_MAX ||
	    pl_json_parse(text, len, "a record", &json, PL_ERR_IGNORED) < 0 ||
	    res_record_from_json(json, &record, PL_ERR_IGNORED) < 0) {
		requests->skipped++;
		return;
	}
	add_record(requests, &record);
	res_record_done(&record);
}

/* Takes the complete lines of the buffer, or all of it at the end. A line that is too long is dropped. */
static void take_lines(struct pl_buf *buf, bool is_end, struct report_requests *requests)
{
	const char *at = pl_buf_text(buf), *end = at + buf->len;

	while (at < end) {
		const char *newline = memchr(at, '\n', (size_t)(end - at));
		if (newline == NULL && !is_end)
			break;
		const char *stop = newline != NULL ? newline : end;
		if (stop > at)
			read_line(at, (size_t)(stop - at), requests);
		at = newline != NULL ? newline + 1 : end;
	}
	pl_buf_consume(buf, buf->len - (size_t)(end - at));
}

int report_requests_read(struct pl_unpack *file, struct report_requests *ret, struct pl_err *err)
{
	auto_buf buf = PL_BUF(LINE_BYTES_MAX);
	auto_free char *block = pl_alloc_array(BLOCK_BYTES, 1);
	size_t len = 0;
	int rc;

	*ret = (struct report_requests){ 0 };
	while ((rc = pl_unpack_read(file, block, BLOCK_BYTES, &len, err)) == 0 && len > 0) {
		if (!pl_buf_add(&buf, block, len)) {
			/* the rest of such a line is skipped, too, because it is no record */
			pl_buf_clear(&buf);
			buf.full = false;
			ret->skipped++;
			(void)pl_buf_add(&buf, block, len);
		}
		take_lines(&buf, false, ret);
	}
	take_lines(&buf, true, ret);
	settle(ret);
	return rc;
}

void report_requests_of_flat(const struct res_flat *flat, struct report_requests *ret)
{
	*ret = (struct report_requests){ 0 };
	if (flat->count == 0 || !flat->has_starts || flat->lists_fault[0] != '\0')
		return;
	struct res_record *records = pl_alloc_array(flat->count, sizeof(*records));
	const struct res_flat_how how = { .shift_ns = 0 };
	res_flat_records(flat, &how, records);
	for (size_t i = 0; i < flat->count; i++) {
		add_record(ret, &records[i]);
		res_record_done(&records[i]);
	}
	free(records);
	settle(ret);
}
