#include "experiment/inflight.h"

#include <math.h>
#include <stdlib.h>

#include "base/clock.h"
#include "base/stats.h"

#define LOOK_BACK_NS   (250 * PL_NS_PER_MS)
#define OURS_MIN       4
#define SAMPLES_NEEDED 5

/* The last change at or before t_ns; (size_t)-1: none. */
static size_t find_at(const struct bench_inflight *ours, size_t count, int64_t t_ns)
{
	size_t low = 0, high = count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;
		if (ours[middle].t_ns <= t_ns)
			low = middle + 1;
		else
			high = middle;
	}
	return low - 1;
}

void exp_inflight_compare(const struct bench_inflight *ours, size_t our_count,
			  const struct exp_inflight_sample *samples, size_t count, double *ret_used,
			  double *ret_median)
{
	auto_free double *shares = pl_alloc_array(count, sizeof(*shares));
	size_t used = 0;

	for (size_t i = 0; i < count; i++) {
		size_t at = find_at(ours, our_count, samples[i].t_ns);
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
