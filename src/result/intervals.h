/*
 * 95 % intervals of one run's figures, of samples that depend on each other (docs/reference/metrics.md).
 *
 * Requests that are open at a time share the engine's steps, its queue and its host; gaps of one request share
 * its prompt, too. So samples are put together twice: by request, and by the window of time in which they ended. A
 * window is twice as long as a request takes on average or longer, so that hardly more than neighbours depend on
 * each other, and what neighbours have in common counts. The greater of the two variances is the figure's.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Fewer requests than this have no interval of their mean. */
#define RES_MEAN_REQUESTS_MIN 100
/* Fewer requests than this have no interval of a percentile of their gaps. */
#define RES_GAP_REQUESTS_MIN 20
#define RES_WINDOWS_MIN      5
#define RES_WINDOWS_MAX      20

struct res_interval {
	double low;
	double high;
};

/* Equal parts of the time from the first request to the last event. */
struct res_windows {
	int64_t from_ns;
	int64_t length_ns; /* of all of them */
	unsigned count;
};
/* `taken`: how long all `requests` took, in sum. */
struct res_windows res_windows_of(int64_t from_ns, int64_t to_ns, double taken_ns, size_t requests);
/* From 0. */
unsigned char res_windows_at(const struct res_windows *windows, int64_t t_ns);

/* Samples in the order of their requests: those of request i end before ends[i]. */
struct res_series {
	const double *x;
	const unsigned char *windows; /* of each */
	size_t count;
	const size_t *ends;
	size_t end_count;
	unsigned window_count;
};

/* mean ± t(0.975, windows - 1)·√V/n. False below RES_MEAN_REQUESTS_MIN requests. */
bool res_interval_of_mean(const struct res_series *series, double mean, struct res_interval *ret);
/*
 * Of a percentile (in percent), by order statistics: ranks l and u of m independent samples, l the
 * largest with P(B < l) <= 0.025 and u the smallest with P(B >= u) <= 0.025, B binomial(m,
 * percentile/100); m, the effective number of samples, is n over the factor by which the share of samples
 * up to the percentile varies more than that of independent ones would. False where there are none: too few.
 * sorted: the series' samples.
 */
bool res_interval_of_percentile(const struct res_series *series, const double *sorted,
				double percentile, struct res_interval *ret);

/* So many of something in a time, as they were made in equal windows of the part of it in which requests were sent. */
struct res_flow {
	double counts[RES_WINDOWS_MAX];
	unsigned window_count;
	double windows_s;  /* the length of all */
	double duration_s; /* what the rate is by */
	double end_s; /* by how much the duration's end is a matter of chance: a standard deviation */
};
/* rate ± t(0.975, windows - 1)·√V/duration. False below RES_WINDOWS_MIN windows. */
bool res_interval_of_rate(const struct res_flow *flow, double rate, struct res_interval *ret);
