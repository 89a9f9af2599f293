#include "records/image.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/image.h"
#include "result/record.h"

/* Raise it with each change of the rows or of what is read into them. */
#define FORM_VERSION 1
#define PARTS        5

/* The members of struct records that are not arrays. */
struct totals {
	uint64_t lines;
	uint64_t skipped;
	uint64_t attempts;
	uint64_t is_foreign;
	uint64_t itl_count;
	double itl_median_ms;
	double itl[RECORDS_POSITIONS];
};

static char *form_of_records(void)
{
	return pl_asprintf("records %d, rows of %zu, " PROFLLM_VERSION, FORM_VERSION,
			   sizeof(struct records_row));
}

int records_save(const struct records *records, int fd, struct pl_err *err)
{
	auto_free char *form = form_of_records();
	struct totals totals = { .lines = records->lines,
				 .skipped = records->skipped,
				 .attempts = records->attempts,
				 .is_foreign = records->is_foreign,
				 .itl_count = records->itl_count,
				 .itl_median_ms = records->itl_median_ms };
	const struct pl_image_part parts[PARTS] = {
		{ &totals, sizeof(totals) },
		{ records->rows, records->count * sizeof(records->rows[0]) },
		{ records->gaps, records->gap_count * sizeof(records->gaps[0]) },
		{ records->long_gaps, records->long_count * sizeof(records->long_gaps[0]) },
		{ records->texts, records->text_len },
	};

	memcpy(totals.itl, records->itl, sizeof(totals.itl));
	return pl_image_write(fd, form, parts, PARTS, err);
}

/* ---- checks: no row refers to anything outside the arrays, or overflows a sum ------------------ */

static bool is_time(int64_t t_ns)
{
	return t_ns == RES_NO_TIME || (t_ns >= -RES_TIME_MAX && t_ns <= RES_TIME_MAX);
}

static bool has_times(const struct records_row *row)
{
	return is_time(row->queued_ns) && is_time(row->acted_ns) && is_time(row->sent_ns) &&
	       is_time(row->headers_ns) && is_time(row->first_ns) && is_time(row->content_ns) &&
	       is_time(row->last_ns) && is_time(row->end_ns) && row->max_gap_ns >= -1 &&
	       row->max_gap_ns <= RES_TIME_MAX &&
	       (row->gap_count == 0 ||
		(row->first_ns != RES_NO_TIME && row->last_ns != RES_NO_TIME)) &&
	       (!row->has_start || (row->acted_ns != RES_NO_TIME &&
				    (row->end_ns == RES_NO_TIME || row->end_ns >= row->acted_ns)));
}

/* JSON has no infinite numbers. */
static bool has_numbers(const struct records_row *row)
{
	return !isinf(row->ttft_s) && !isinf(row->tpot_s) && !isinf(row->e2el_s) &&
	       !isinf(row->server_queue_s) && !isinf(row->server_ttft_s) &&
	       !isinf(row->server_decode_s) && row->prompt_tokens >= RES_NO_COUNT &&
	       row->cached_tokens >= RES_NO_COUNT && row->output_tokens >= RES_NO_COUNT;
}

static bool is_row_possible(const struct records *records, const struct records_row *row)
{
	unsigned char has_start;

	memcpy(&has_start, &row->has_start, 1);
	return row->gap_at <= records->gap_count &&
	       row->gap_count <= records->gap_count - row->gap_at &&
	       row->id_at < records->text_len && row->message_at < records->text_len &&
	       row->finish_at < records->text_len && row->status < RECORDS_STATUSES &&
	       row->failure < RECORDS_FAILURES && has_start <= 1 && has_times(row) &&
	       has_numbers(row);
}

/* Each long gap is in the list, and nothing else is. */
static bool has_long_gaps(const struct records *records)
{
	size_t found = 0;
	int64_t total_ns = 0;

	for (size_t i = 0; i < records->gap_count; i++)
		found += records->gaps[i] == RECORDS_LONG_GAP;
	for (size_t i = 0; i < records->long_count; i++) {
		uint64_t at = records->long_gaps[i].at;
		if (at >= records->gap_count || records->gaps[at] != RECORDS_LONG_GAP ||
		    (i > 0 && at <= records->long_gaps[i - 1].at))
			return false;
		int64_t ns = records->long_gaps[i].ns;
		if (ns < RECORDS_LONG_GAP || ns > RES_TIME_MAX - total_ns)
			return false;
		total_ns += ns;
	}
	return found == records->long_count;
}

static bool is_possible(const struct records *records)
{
	if (records->text_len == 0 || records->texts[0] != '\0' ||
	    records->texts[records->text_len - 1] != '\0' || !has_long_gaps(records))
		return false;
	for (size_t i = 0; i < records->count; i++) {
		if (!is_row_possible(records, &records->rows[i]) ||
		    (i > 0 && records->rows[i].index <= records->rows[i - 1].index))
			return false;
	}
	return true;
}

/* Returns false if a part is missing. */
static bool take_parts(struct pl_image *image, struct totals **ret_totals, struct records *ret)
{
	size_t count = 0;

	if (pl_image_count(image) != PARTS ||
	    (*ret_totals = pl_image_take(image, sizeof(**ret_totals), &count)) == NULL ||
	    count != 1 ||
	    (ret->rows = pl_image_take(image, sizeof(ret->rows[0]), &ret->room)) == NULL ||
	    (ret->gaps = pl_image_take(image, sizeof(ret->gaps[0]), &ret->gap_room)) == NULL ||
	    (ret->long_gaps = pl_image_take(image, sizeof(ret->long_gaps[0]), &ret->long_room)) ==
		    NULL ||
	    (ret->texts = pl_image_take(image, 1, &ret->text_room)) == NULL)
		return false;
	ret->count = ret->room;
	ret->gap_count = ret->gap_room;
	ret->long_count = ret->long_room;
	ret->text_len = ret->text_room;
	return true;
}

int records_load(int fd, size_t bytes_max, struct records **ret, struct pl_err *err)
{
	auto_free char *form = form_of_records();
	auto_records struct records *records = pl_alloc(sizeof(*records));
	auto_image struct pl_image *image = NULL;
	auto_free struct totals *totals = NULL;

	atomic_init(&records->references, 1);
	if (pl_image_read(fd, form, bytes_max, &image, err) < 0)
		return -1;
	if (!take_parts(image, &totals, records) || !is_possible(records))
		return pl_err_invalid(err, "the image has no records");
	records->lines = totals->lines;
	records->skipped = totals->skipped;
	records->attempts = totals->attempts;
	records->is_foreign = totals->is_foreign != 0;
	records->itl_count = totals->itl_count;
	records->itl_median_ms = totals->itl_median_ms;
	memcpy(records->itl, totals->itl, sizeof(records->itl));
	*ret = pl_take(records);
	return 0;
}
