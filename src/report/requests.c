#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "report/report.h"
#include "result/flat/read.h"
#include "result/flat/records.h"
#include "result/record_line.h"
#include "result/timing.h"

#define NS_PER_S       1e9
#define BLOCK_BYTES    ((size_t)256 << 10)
#define UNPACKED_MAX   ((size_t)1 << 30)
#define LINES_MAX      ((size_t)4 << 20)
#define LINE_BYTES_MAX ((size_t)32 << 20)  /* a record has 25 bytes per token */
#define MEMORY_MAX     ((size_t)256 << 20) /* of one parsed record */

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
		.index = record->index,
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

struct place {
	uint64_t index;
	size_t at;
};

static int by_index(const void *a, const void *b)
{
	const struct place *x = a, *y = b;

	if (x->index != y->index)
		return x->index < y->index ? -1 : 1;
	return x->at < y->at ? -1 : x->at > y->at;
}

/* Keeps the first record of each request. */
static void drop_repeated(struct report_requests *requests)
{
	auto_free struct place *places = pl_alloc_array(requests->count, sizeof(*places));
	auto_free bool *is_repeated = pl_alloc_array(requests->count, sizeof(*is_repeated));
	size_t used = 0;

	for (size_t i = 0; i < requests->count; i++)
		places[i] = (struct place){ requests->items[i].index, i };
	qsort(places, requests->count, sizeof(places[0]), by_index);
	for (size_t i = 1; i < requests->count; i++)
		is_repeated[places[i].at] = places[i].index == places[i - 1].index;
	for (size_t i = 0; i < requests->count; i++) {
		if (!is_repeated[i])
			requests->items[used++] = requests->items[i];
	}
	requests->skipped += requests->count - used;
	requests->count = used;
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
	    pl_json_check_memory(text, len, MEMORY_MAX, "a record", PL_ERR_IGNORED) < 0 ||
	    pl_json_parse(text, len, "a record", &json, PL_ERR_IGNORED) < 0 ||
	    res_record_from_json(json, &record, PL_ERR_IGNORED) < 0) {
		requests->skipped++;
		return;
	}
	add_record(requests, &record);
	res_record_done(&record);
}

struct reader {
	struct report_requests *requests;
	struct pl_buf *line; /* the start of a line that continues in the next block */
	bool is_line_too_long;
	size_t lines;
};

/* Takes a whole line. One that is too long is skipped. */
static int take_line(struct reader *reader, const char *text, size_t len, struct pl_err *err)
{
	if (++reader->lines > LINES_MAX)
		return pl_err_invalid(err, "more than %zu lines; the rest is not used", LINES_MAX);
	if (reader->is_line_too_long)
		reader->requests->skipped++;
	else if (len > 0)
		read_line(text, len, reader->requests);
	reader->is_line_too_long = false;
	return 0;
}

static int take_block(struct reader *reader, const char *text, size_t len, struct pl_err *err)
{
	const char *end = text + len;
	const char *newline;

	for (; (newline = memchr(text, '\n', (size_t)(end - text))) != NULL; text = newline + 1) {
		size_t part = (size_t)(newline - text);
		bool is_whole = reader->line->len == 0;
		if (!is_whole && !pl_buf_add(reader->line, text, part))
			reader->is_line_too_long = true;
		if (take_line(reader, is_whole ? text : pl_buf_text(reader->line),
			      is_whole ? part : reader->line->len, err) < 0)
			return -1;
		pl_buf_clear(reader->line);
	}
	if (!reader->is_line_too_long && !pl_buf_add(reader->line, text, (size_t)(end - text)))
		reader->is_line_too_long = true;
	return 0;
}

static int read_blocks(struct pl_unpack *file, const struct report_cancel *cancel,
		       struct reader *reader, struct pl_err *err)
{
	auto_free char *block = pl_alloc_array(BLOCK_BYTES, 1);
	size_t total = 0, len = 0;

	for (;;) {
		if (cancel != NULL && cancel->is_canceled(cancel->data))
			return pl_err_set(err, PL_ERR_INTERRUPTED, "canceled");
		if (pl_unpack_read(file, block, BLOCK_BYTES, &len, err) < 0)
			return -1;
		if (len == 0)
			return 0;
		total += len;
		if (total > UNPACKED_MAX)
			return pl_err_invalid(err,
					      "larger than %zu MiB after decompression; the rest "
					      "is not used",
					      UNPACKED_MAX >> 20);
		if (take_block(reader, block, len, err) < 0)
			return -1;
	}
}

int report_requests_read(struct pl_unpack *file, const struct report_cancel *cancel,
			 struct report_requests *ret, struct pl_err *err)
{
	auto_buf line = PL_BUF(LINE_BYTES_MAX);
	struct reader reader = { .requests = ret, .line = &line };

	*ret = (struct report_requests){ 0 };
	int rc = read_blocks(file, cancel, &reader, err);
	/* the last line may have no end */
	if (rc == 0 && (line.len > 0 || reader.is_line_too_long))
		rc = take_line(&reader, pl_buf_text(&line), line.len, err);
	drop_repeated(ret);
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
