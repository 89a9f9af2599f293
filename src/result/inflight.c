/*
 * Compares the server's count of requests with ours at the same moment. A page of counters is
 * generated between its request and its response, so the nearest of our values in a short time
 * before counts: remaining differences are not due to timing.
 */
#include "result/inflight.h"

#include <math.h>

#include "base/clock.h"
#include "base/stats.h"

#define LOOK_BACK_NS   (250 * PL_NS_PER_MS)
#define OURS_MIN       4
#define SAMPLES_NEEDED 5

/* Returns when the try after the i-th failed one began. */
static int64_t next_try_ns(const struct res_outcome *outcome, size_t i)
{
	uint64_t index = outcome->tries[i]->index;
	const struct res_record *record = &outcome->records[index];

	if (i + 1 < outcome->try_count && outcome->tries[i + 1]->index == index)
		return outcome->tries[i + 1]->acted_ns;
	if (record->connected_ns != RES_NO_TIME)
		return record->connected_ns;
	return record->sent_ns != RES_NO_TIME ? record->sent_ns : record->end_ns;
}

/*
 * For us a request is in flight from its first try to its end; the server does not have it between
 * a failed try and the next one.
 */
struct res_inflight *res_inflight_without_retries(const struct res_outcome *outcome,
						  size_t *ret_count)
{
	size_t count = outcome->inflight_count, room = count + 2 * outcome->try_count;
	struct res_inflight *requested = pl_alloc_array(room, sizeof(*requested));
	int32_t before = 0, sum = 0;

	for (size_t i = 0; i < count; i++) {
		requested[i] = outcome->inflight[i];
		requested[i].in_flight -= before;
		before = outcome->inflight[i].in_flight;
	}
	for (size_t i = 0; i < outcome->try_count; i++) {
		requested[count++] = (struct res_inflight){ outcome->tries[i]->end_ns, -1 };
		requested[count++] = (struct res_inflight){ next_try_ns(outcome, i), 1 };
	}
	if (outcome->try_count > 0)
		res_inflight_sort(requested, count);
	for (size_t i = 0; i < count; i++) {
		sum += requested[i].in_flight;
		requested[i].in_flight = sum;
	}
	*ret_count = count;
	return requested;
}

void res_inflight_compare(const struct res_inflight *ours, size_t our_count,
			  const struct res_inflight_sample *samples, size_t count, double *ret_used,
			  double *ret_median)
{
	auto_free double *shares = pl_alloc_array(count, sizeof(*shares));
	size_t used = 0;

	for (size_t i = 0; i < count; i++) {
		int64_t t_ns = samples[i].t_ns;
		size_t low = 0, high = our_count;
		while (low < high) {
			size_t middle = low + (high - low) / 2;
			if (ours[middle].t_ns <= t_ns)
				low = middle + 1;
			else
				high = middle;
		}
		size_t at = low - 1;
		if (at == (size_t)-1 || ours[at].in_flight < OURS_MIN)
			continue;
		double nearest = fabs(samples[i].theirs - ours[at].in_flight);
		double now = ours[at].in_flight;
		/* the value that held when the window began counts too */
		while (at > 0 && ours[at].t_ns > samples[i].t_ns - LOOK_BACK_NS) {
			at--;
			nearest = fmin(nearest, fabs(samples[i].theirs - ours[at].in_flight));
		}
		shares[used++] = nearest / now;
	}
	pl_stats_sort(shares, used);
	*ret_used = (double)used;
	*ret_median = used >= SAMPLES_NEEDED ? pl_stats_median_sorted(shares, used) : NAN;
}
