/*
 * Requests are processed in the order of their sends, with a heap of the times at which the slots
 * of max_concurrency became free: the next send uses the slot that was free first, whichever
 * connection or worker made it. So a send can only be late, and lateness does not accumulate from
 * one request to the next.
 */
#include "result/offered.h"

#include <math.h>
#include <stdlib.h>

#include "base/clock.h"
#include "base/stats.h"
#include "result/timing.h"

#define P99_REQUESTS_MIN 100 /* below it lateness uses p95 */
/*
 * A gap that differs by this much counts as planned: the precision of a thread's wake-up, which no
 * server can distinguish.
 */
#define GAP_TOLERANCE_S     50e-6
#define GAP_TOLERANCE_SHARE 0.02

struct start {
	int64_t planned_ns;
	int64_t ideal_ns;
	int64_t acted_ns;
	int64_t end_ns;
	bool held; /* by the cap, until ideal_ns */
};

struct starts {
	struct start *of;
	size_t count;
	size_t held;
};

static int by_acted(const void *a, const void *b)
{
	const struct start *x = a;
	const struct start *y = b;

	if (x->acted_ns != y->acted_ns)
		return x->acted_ns < y->acted_ns ? -1 : 1;
	return (x->planned_ns > y->planned_ns) - (x->planned_ns < y->planned_ns);
}

static void hold_for_slots(struct starts *starts, size_t slots)
{
	auto_free int64_t *heap = pl_alloc_array(slots, sizeof(*heap));

	for (size_t i = 0; i < slots; i++)
		heap[i] = INT64_MIN;
	for (size_t i = 0; i < starts->count; i++) {
		struct start *start = &starts->of[i];
		start->held = heap[0] > start->planned_ns;
		if (start->held)
			start->ideal_ns = heap[0];
		starts->held += start->held;
		/* a request that never ended keeps its slot */
		/* The least of the heap is replaced: its slot is taken until `free_ns`. */
		int64_t free_ns = start->end_ns == RES_NO_TIME ? INT64_MAX : start->end_ns;
		size_t at = 0;
		for (size_t child = 1; child < slots; child = 2 * at + 1) {
			if (child + 1 < slots && heap[child + 1] < heap[child])
				child++;
			if (heap[child] >= free_ns)
				break;
			heap[at] = heap[child];
			at = child;
		}
		heap[at] = free_ns;
	}
}

static enum res_offered_kind kind_of(const struct starts *starts, bool finite_rate)
{
	if (starts->count == 0)
		return RES_OFFERED_NOTHING;
	/*
	 * a concurrency limit that delays most requests sets the pace, whatever the requested rate
	 */
	if (finite_rate)
		return 2 * starts->held > starts->count ? RES_OFFERED_CLOSED : RES_OFFERED_OPEN;
	return starts->held > 0 ? RES_OFFERED_CLOSED : RES_OFFERED_BURST;
}

static double rate_reached(const struct starts *starts, int64_t start_ns)
{
	int64_t planned_ns = INT64_MIN, acted_ns = INT64_MIN;

	for (size_t i = 0; i < starts->count; i++) {
		const struct start *start = &starts->of[i];
		if (start->held)
			continue;
		if (start->planned_ns > planned_ns)
			planned_ns = start->planned_ns;
		if (start->acted_ns > acted_ns)
			acted_ns = start->acted_ns;
	}
	/* all planned at once: there is no rate to reach */
	if (planned_ns <= start_ns || acted_ns <= start_ns)
		return NAN;
	return res_seconds(start_ns, planned_ns) / res_seconds(start_ns, acted_ns);
}

/* Gaps between the times in x, ascending, in their place; returns how many. */
static size_t make_gaps(double *x, size_t count)
{
	pl_stats_sort(x, count);
	for (size_t i = 0; i + 1 < count; i++)
		x[i] = x[i + 1] - x[i];
	pl_stats_sort(x, count - 1);
	return count - 1;
}

static void measure_gaps(const struct starts *starts, int64_t start_ns, struct res_offered *ret)
{
	auto_free double *ideal = pl_alloc_array(starts->count, sizeof(double));
	auto_free double *acted = pl_alloc_array(starts->count, sizeof(double));

	for (size_t i = 0; i < starts->count; i++) {
		ideal[i] = res_seconds(start_ns, starts->of[i].ideal_ns);
		acted[i] = res_seconds(start_ns, starts->of[i].acted_ns);
	}
	size_t count = make_gaps(ideal, starts->count);
	make_gaps(acted, starts->count);
	if (count == 0)
		return;
	double mean_s = pl_stats_mean(ideal, count);
	ret->mean_gap_ms = mean_s * 1e3;
	if (count >= RES_OFFERED_GAPS_MIN)
		ret->gap_distance = res_offered_gap_distance(
			ideal, acted, count, fmax(GAP_TOLERANCE_S, GAP_TOLERANCE_SHARE * mean_s));
}

static void measure_lateness(const struct starts *starts, struct res_offered *ret)
{
	auto_free double *late_ms = pl_alloc_array(starts->count, sizeof(double));
	double percentile = starts->count < P99_REQUESTS_MIN ? 95 : 99;

	for (size_t i = 0; i < starts->count; i++)
		late_ms[i] = (double)(starts->of[i].acted_ns - starts->of[i].ideal_ns) /
			     PL_NS_PER_MS;
	pl_stats_sort(late_ms, starts->count);
	ret->lateness_ms = pl_stats_percentile_sorted(late_ms, starts->count, percentile);
}

static double in_flight_distance(const struct starts *starts, int64_t over_ns)
{
	double late_s = 0, planned_s = 0;

	for (size_t i = 0; i < starts->count; i++) {
		const struct start *start = &starts->of[i];
		int64_t end_ns = start->end_ns == RES_NO_TIME ? over_ns : start->end_ns;
		if (end_ns < start->acted_ns)
			continue;
		late_s += res_seconds(start->ideal_ns, start->acted_ns);
		planned_s += res_seconds(start->ideal_ns, end_ns);
	}
	return planned_s > 0 ? late_s / planned_s : NAN;
}

void res_offered_measure(const struct res_outcome *outcome, const struct res_how *how,
			 struct res_offered *ret)
{
	struct starts starts = { 0 };

	*ret = (struct res_offered){
		.rate_reached = NAN,
		.gap_distance = NAN,
		.lateness_ms = NAN,
		.mean_gap_ms = NAN,
		.in_flight_distance = NAN,
	};
	starts.of = pl_alloc_array(outcome->count, sizeof(*starts.of));
	for (size_t i = 0; i < outcome->count; i++) {
		const struct res_record *record = &outcome->records[i];
		if (record->acted_ns == RES_NO_TIME || record->planned_ns == RES_NO_TIME)
			continue;
		starts.of[starts.count++] = (struct start){
			.planned_ns = record->planned_ns,
			.ideal_ns = record->planned_ns,
			.acted_ns = record->acted_ns,
			.end_ns = record->end_ns,
		};
	}
	if (starts.count > 0)
		qsort(starts.of, starts.count, sizeof(*starts.of), by_acted);
	int64_t cap = how->max_concurrency;
	if (cap != OPTION_NO_I64 && cap > 0 && (size_t)cap < starts.count)
		hold_for_slots(&starts, (size_t)cap);
	/* stamps of two clocks: a send before its time is in time */
	for (size_t i = 0; i < starts.count; i++) {
		if (starts.of[i].ideal_ns > starts.of[i].acted_ns)
			starts.of[i].ideal_ns = starts.of[i].acted_ns;
	}
	ret->kind = kind_of(&starts, how->finite_rate);
	if (ret->kind != RES_OFFERED_NOTHING)
		ret->in_flight_distance = in_flight_distance(&starts, outcome->end_ns);
	if (ret->kind == RES_OFFERED_OPEN || ret->kind == RES_OFFERED_BURST)
		measure_lateness(&starts, ret);
	if (ret->kind == RES_OFFERED_OPEN) {
		ret->rate_reached = rate_reached(&starts, outcome->start_ns);
		measure_gaps(&starts, outcome->start_ns, ret);
	}
	free(starts.of);
}

/* sup over x of Flow(x - tolerance) - Fhigh(x): the left side jumps at low[i] + tolerance only. */
static double excess(const double *low, const double *high, size_t count, double tolerance)
{
	double most = 0;
	size_t below = 0;

	for (size_t i = 0; i < count; i++) {
		while (below < count && high[below] <= low[i] + tolerance)
			below++;
		most = fmax(most, (double)(i + 1) - (double)below);
	}
	return most / (double)count;
}

double res_offered_gap_distance(const double *planned, const double *actual, size_t count,
				double tolerance)
{
	return count == 0 ? NAN
			  : fmax(excess(actual, planned, count, tolerance),
				 excess(planned, actual, count, tolerance));
}
