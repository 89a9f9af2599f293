#include "result/metrics/peaks.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "option/row.h"
#include "result/timing.h"

/* Beyond this span (2 years) one bucket a second is not worth its memory: no figure. */
#define BUCKETS_MAX (1 << 26)

struct buckets {
	int64_t start_ns;
	size_t count;
	int64_t *events;
	int64_t *requests; /* differences; their running sum counts */
};

static bool span_of(const struct res_outcome *outcome, int64_t *ret_start, int64_t *ret_end)
{
	bool any = false;

	for (size_t i = 0; i < outcome->count; i++) {
		if (!outcome->records[i].ok)
			continue;
		struct res_timing timing = res_timing_of(&outcome->records[i]);
		if (isnan(timing.e2el_s))
			continue;
		if (!any || timing.acted_ns < *ret_start)
			*ret_start = timing.acted_ns;
		if (!any || timing.last_chunk_ns > *ret_end)
			*ret_end = timing.last_chunk_ns;
		any = true;
	}
	return any;
}

static size_t bucket_of(const struct buckets *buckets, int64_t t_ns)
{
	return (size_t)((t_ns - buckets->start_ns) / PL_NS_PER_S);
}

static void count_record(struct buckets *buckets, const struct res_record *record)
{
	struct res_event_cursor cursor = res_record_cursor(record);
	struct res_timing timing = res_timing_of(record);
	struct res_event_at at;

	while (res_record_next_chunk(&cursor, &at))
		buckets->events[bucket_of(buckets, at.t_ns)]++;
	if (isnan(timing.e2el_s))
		return;
	buckets->requests[bucket_of(buckets, record->acted_ns)]++;
	/* up to and with the last second that it touches */
	buckets->requests[bucket_of(buckets, timing.last_chunk_ns) + 1]--;
}

/*
 * Writes vLLM's two peaks: one-second buckets from the first start. They depend on that start, and
 * a request counts in each second that it touches. So two exact peaks are added: of requests in
 * flight, and of the busiest second wherever it begins.
 */
static void write_buckets(const struct res_outcome *outcome, json_t *into)
{
	struct buckets buckets = { 0 };
	int64_t end_ns = 0, events = 0, requests = 0, open = 0;

	json_object_set_new(into, "max_output_tokens_per_s", json_null());
	json_object_set_new(into, "max_concurrent_requests", json_null());
	if (!span_of(outcome, &buckets.start_ns, &end_ns) ||
	    (end_ns - buckets.start_ns) / PL_NS_PER_S >= BUCKETS_MAX)
		return;
	buckets.count = bucket_of(&buckets, end_ns) + 1;
	buckets.events = pl_alloc_array(buckets.count, sizeof(int64_t));
	buckets.requests = pl_alloc_array(buckets.count + 1, sizeof(int64_t));
	for (size_t i = 0; i < outcome->count; i++) {
		if (outcome->records[i].ok && outcome->records[i].acted_ns != RES_NO_TIME)
			count_record(&buckets, &outcome->records[i]);
	}
	for (size_t i = 0; i < buckets.count; i++) {
		open += buckets.requests[i];
		requests = open > requests ? open : requests;
		events = buckets.events[i] > events ? buckets.events[i] : events;
	}
	/* answers that all came in one piece have no events to count */
	if (events > 0)
		json_object_set_new(into, "max_output_tokens_per_s", json_real((double)events));
	json_object_set_new(into, "max_concurrent_requests", json_integer(requests));
	free(buckets.events);
	free(buckets.requests);
}

struct change {
	int64_t t_ns;
	int64_t by;
};

/* Sorts by time; at equal times the smaller change first: an end before a start. */
static int compare_changes(const void *a, const void *b)
{
	const struct change *x = a, *y = b;

	if (x->t_ns != y->t_ns)
		return x->t_ns < y->t_ns ? -1 : 1;
	return (x->by > y->by) - (x->by < y->by);
}

static json_t *peak_in_flight(const struct res_outcome *outcome)
{
	auto_free struct change *changes = pl_alloc_array(outcome->count * 2, sizeof(*changes));
	size_t count = 0;
	int64_t open = 0, peak = 0;

	/* the load's counter, if available, includes requests without a record */
	if (outcome->inflight_peak != OPTION_NO_I64)
		return json_integer(outcome->inflight_peak);
	for (size_t i = 0; i < outcome->count; i++) {
		const struct res_record *record = &outcome->records[i];
		if (record->acted_ns == RES_NO_TIME || record->end_ns == RES_NO_TIME)
			continue;
		changes[count++] = (struct change){ record->acted_ns, 1 };
		changes[count++] = (struct change){ record->end_ns, -1 };
	}
	if (count == 0)
		return json_null();
	qsort(changes, count, sizeof(*changes), compare_changes);
	for (size_t i = 0; i < count; i++) {
		open += changes[i].by;
		peak = open > peak ? open : peak;
	}
	return json_integer(peak);
}

/* Merges two adjacent sorted runs. */
static void merge(const struct change *left, const struct change *right, const struct change *end,
		  struct change *to)
{
	const struct change *middle = right;

	while (left < middle && right < end)
		*to++ = right->t_ns < left->t_ns ? *right++ : *left++;
	to = mempcpy(to, left, (size_t)(middle - left) * sizeof(*left));
	memcpy(to, right, (size_t)(end - right) * sizeof(*right));
}

/* Merges sorted runs pairwise until one is left; returns the array that holds it. */
static const struct change *merge_runs(struct change *x, struct change *other, size_t *ends,
				       size_t runs)
{
	while (runs > 1) {
		struct change *merged = other;
		size_t from = 0, count = 0;
		for (size_t i = 0; i < runs; i += 2) {
			size_t middle = ends[i], end = i + 1 < runs ? ends[i + 1] : middle;
			merge(x + from, x + middle, x + end, merged + from);
			ends[count++] = end;
			from = end;
		}
		other = x;
		x = merged;
		runs = count;
	}
	return x;
}

/* The busiest [t, t + 1 s): the best t is the time of some event. */
static json_t *sliding_peak(const struct res_outcome *outcome)
{
	auto_free struct change *by_record = NULL;
	auto_free size_t *ends = pl_alloc_array(outcome->count, sizeof(*ends));
	size_t room = 0, count = 0, runs = 0, last = 0;
	int64_t tokens = 0, peak = 0;

	/* those of one record are in order of time already */
	for (size_t i = 0; i < outcome->count; i++) {
		if (!outcome->records[i].ok || outcome->records[i].acted_ns == RES_NO_TIME)
			continue;
		const struct res_record *record = &outcome->records[i];
		struct res_event_cursor cursor = res_record_cursor(record);
		struct res_event_at at;
		while (res_record_next(&cursor, &at)) {
			if (at.tokens == 0)
				continue;
			*PL_PUSH(by_record, count, room) = (struct change){ at.t_ns, at.tokens };
		}
		ends[runs++] = count;
	}
	if (count == 0)
		return json_null();
	auto_free struct change *merged = pl_alloc_array(count, sizeof(*merged));
	const struct change *times = merge_runs(by_record, merged, ends, runs);
	for (size_t first = 0; first < count; first++) {
		while (last < count && times[last].t_ns < times[first].t_ns + PL_NS_PER_S)
			tokens += times[last++].by;
		peak = tokens > peak ? tokens : peak;
		/* two ends that only go forward: one pass */
		tokens -= times[first].by;
	}
	return json_real((double)peak);
}

void res_peaks_write(const struct res_outcome *outcome, json_t *into)
{
	write_buckets(outcome, into);
	json_object_set_new(into, "peak_in_flight", peak_in_flight(outcome));
	json_object_set_new(into, "peak_output_tokens_per_s_sliding", sliding_peak(outcome));
}
