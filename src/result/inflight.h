/* Comparison of the server's count of its requests with ours. */
#pragma once

#include "result/outcome.h"

struct res_inflight_sample {
	int64_t t_ns;  /* when the server's page was read */
	double theirs; /* running + waiting */
};

/*
 * Returns our count without the requests that wait for a retry, which the server does not know. The
 * start of the last try is not recorded: the time of its connection is used. Free with free().
 */
struct res_inflight *res_inflight_without_retries(const struct res_outcome *outcome,
						  size_t *ret_count);

/*
 * Compares the samples at which we had at least 4 requests in flight. *ret_used: their number.
 * *ret_median: the median distance from the server's value to the nearest value of ours in the
 * preceding 250 ms, as a share of ours. NaN below 5 samples.
 */
void res_inflight_compare(const struct res_inflight *ours, size_t our_count,
			  const struct res_inflight_sample *samples, size_t count, double *ret_used,
			  double *ret_median);
