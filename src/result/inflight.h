/*
 * The server's count of requests it has against ours.
 */
#pragma once

#include "result/outcome.h"

struct res_inflight_sample {
	int64_t t_ns;  /* when the server's page was read */
	double theirs; /* running + waiting */
};

/*
 * Our count without the requests that wait for their next try, which the server does not know of.
 * The last try's begin is not on record: its connection stands for it. free().
 */
struct res_inflight *res_inflight_asked(const struct res_outcome *outcome, size_t *ret_count);

/*
 * Over the samples at which we had at least 4 in flight: *ret_used, how many those are, and
 * *ret_median, the median of the distance from theirs to the nearest value that ours had in the
 * 250 ms before, as a share of ours. NaN below 5 samples.
 */
void res_inflight_compare(const struct res_inflight *ours, size_t our_count,
			  const struct res_inflight_sample *samples, size_t count, double *ret_used,
			  double *ret_median);
