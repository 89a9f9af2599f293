/*
 * Requests over time. Each is in the first lane that is free at its start, in the order of their starts, so that there
 * are as many lanes as requests in flight at once. If more requests were started than asked for, the longest are returned.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "dash/records/records_priv.h"
#include "result/timing.h"

struct span {
	const struct records_row *row;
	int64_t end_ns; /* the start, if it is not known */
	uint32_t lane;
};

static int by_length(const void *a, const void *b)
{
	const struct span *x = a, *y = b;
	int64_t x_ns = x->end_ns - x->row->acted_ns, y_ns = y->end_ns - y->row->acted_ns;

	if (x_ns != y_ns)
		return x_ns > y_ns ? -1 : 1;
	return x->row->index < y->row->index ? -1 : x->row->index > y->row->index;
}

/* Moves a span down a heap whose root is the shortest one. */
static void sink(struct span *heap, size_t count, size_t at)
{
	struct span moved = heap[at];

	for (size_t child; (child = 2 * at + 1) < count; at = child) {
		child += child + 1 < count && by_length(&heap[child + 1], &heap[child]) > 0;
		if (by_length(&heap[child], &moved) <= 0)
			break;
		heap[at] = heap[child];
	}
	heap[at] = moved;
}

/* Moves the longest spans to the start, in any order. count > 0 */
static void select_longest(struct span *spans, size_t all, size_t count)
{
	for (size_t i = count / 2; i > 0; i--)
		sink(spans, count, i - 1);
	for (size_t i = count; i < all; i++) {
		if (by_length(&spans[i], &spans[0]) >= 0)
			continue;
		spans[0] = spans[i];
		sink(spans, count, 0);
	}
}

static int by_start(const void *a, const void *b)
{
	const struct span *x = a, *y = b;

	if (x->row->acted_ns != y->row->acted_ns)
		return x->row->acted_ns < y->row->acted_ns ? -1 : 1;
	return x->row->index < y->row->index ? -1 : x->row->index > y->row->index;
}

/* Returns the number of lanes. */
static size_t assign_lanes(struct span *spans, size_t count)
{
	auto_free int64_t *free_ns = pl_alloc_array(count, sizeof(*free_ns));
	size_t lanes = 0;

	for (size_t i = 0; i < count; i++) {
		size_t lane = 0;
		while (lane < lanes && free_ns[lane] > spans[i].row->acted_ns)
			lane++;
		lanes = lane == lanes ? lanes + 1 : lanes;
		free_ns[lane] = spans[i].end_ns;
		spans[i].lane = (uint32_t)lane;
	}
	return lanes;
}

static json_t *seconds(const struct dash_records_question *question, int64_t t_ns)
{
	return t_ns != RES_NO_TIME ? json_real(res_seconds(question->origin_ns, t_ns))
				   : json_null();
}

/* Appends [from, to] of the first stalls; returns the number of all. */
static size_t add_stalls(const struct records *records,
			 const struct dash_records_question *question,
			 const struct records_row *row, double stall_ms, json_t *into)
{
	int64_t t_ns = row->first_ns;
	size_t count = 0;

	/* the longest gap says whether there is any */
	if (isnan(stall_ms) || !((double)row->max_gap_ns / 1e6 > stall_ms))
		return 0;
	for (uint64_t at = row->gap_at; at < row->gap_at + row->gap_count; at++) {
		int64_t ns = records_gap(records, at);
		if ((double)ns / 1e6 > stall_ms && count++ < DASH_RECORD_STALLS_MAX)
			json_array_append_new(into, json_pack("[o, o]", seconds(question, t_ns),
							      seconds(question, t_ns + ns)));
		t_ns += ns;
	}
	return count;
}

static json_t *span_json(const struct records *records,
			 const struct dash_records_question *question, const struct span *span,
			 double stall_ms)
{
	const struct records_row *row = span->row;
	json_t *stalls = json_array();
	size_t stall_count = add_stalls(records, question, row, stall_ms, stalls);

	return json_pack("{s:I, s:I, s:s, s:o, s:o, s:o, s:o, s:o, s:I}", "index",
			 (json_int_t)row->index, "lane", (json_int_t)span->lane, "status",
			 dash_records_status_names[row->status], "start_s",
			 seconds(question, row->acted_ns), "sent_s",
			 seconds(question, row->sent_ns), "first_s",
			 seconds(question, row->first_ns), "end_s", seconds(question, row->end_ns),
			 "stalls", stalls, "stall_count", (json_int_t)stall_count);
}

json_t *dash_records_lanes(const struct records *records,
			   const struct dash_records_question *question, const uint32_t *rows,
			   size_t count)
{
	double median_ms = records->itl_median_ms;
	double stall_ms = !isnan(question->stall_ms) ? question->stall_ms
						     : DASH_RECORD_STALL_MEDIANS * median_ms;
	auto_free struct span *spans = pl_alloc_array(count, sizeof(*spans));
	json_t *list = json_array();
	size_t started = 0;

	for (size_t i = 0; i < count; i++) {
		const struct records_row *row = &records->rows[rows[i]];
		int64_t end_ns = row->end_ns != RES_NO_TIME ? row->end_ns : row->acted_ns;
		if (row->has_start)
			spans[started++] = (struct span){ .row = row, .end_ns = end_ns };
	}
	size_t shown = started < question->lanes ? started : question->lanes;
	if (shown < started)
		select_longest(spans, started, shown);
	qsort(spans, shown, sizeof(*spans), by_start);
	size_t lanes = assign_lanes(spans, shown);
	for (size_t i = 0; i < shown; i++)
		json_array_append_new(list, span_json(records, question, &spans[i], stall_ms));
	return json_pack("{s:I, s:I, s:I, s:o, s:o, s:o}", "shown", (json_int_t)shown, "started",
			 (json_int_t)started, "lane_count", (json_int_t)lanes, "stall_ms",
			 pl_json_number(stall_ms), "median_itl_ms", pl_json_number(median_ms),
			 "requests", list);
}
