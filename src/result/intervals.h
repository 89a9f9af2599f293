/*
 * 95 % confidence intervals of one run's metrics, from dependent samples
 * (docs/reference/metrics.md).
 *
 * Concurrent requests share the engine's steps, its queue and its host; the gaps of one request
 * also share its prompt. So samples are grouped in two ways: by request, and by the time window in
 * which they ended. A window is at least twice as long as the average request, so that only
 * adjacent windows depend on each other, and their covariance is included. The larger of the two
 * variances is used.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Fewer requests than this give no interval of a mean. */
#define RES_MEAN_REQUESTS_MIN 100
/* Fewer requests than this give no interval of a percentile of gaps. */
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
	int64_t length_ns; /* total length */
	unsigned count;
};
/* `taken`: sum of the durations of all `requests`. */
struct res_windows res_windows_of(int64_t from_ns, int64_t to_ns, double taken_ns, size_t requests);
/* Returns the window of a time, from 0. */
unsigned char res_windows_at(const struct res_windows *windows, int64_t t_ns);

/* Samples in the order of their requests: those of request i end before ends[i]. */
struct res_series {
	const double *x;
	const unsigned char *windows; /* of each sample */
	size_t count;
	const size_t *ends;
	size_t end_count;
	unsigned window_count;
};

/* mean ± t(0.975, windows - 1)·√V/n. Returns false below RES_MEAN_REQUESTS_MIN requests. */
bool res_interval_of_mean(const struct res_series *series, double mean, struct res_interval *ret);
/*
 * Computes the interval of a percentile (in percent) from order statistics: ranks l and u of m
 * independent samples, l the largest with P(B < l) <= 0.025 and u the smallest with P(B >= u) <=
 * 0.025, B binomial(m, percentile/100). m is the effective number of samples: n divided by the
 * factor by which the share of samples up to the percentile varies more than for independent
 * samples. Returns false if there are too few. sorted: the series' samples.
 */
bool res_interval_of_percentile(const struct res_series *series, const double *sorted,
				double percentile, struct res_interval *ret);

/* A rate's events in equal windows of the time in which requests were sent. */
struct res_flow {
	double counts[RES_WINDOWS_MAX];
	unsigned window_count;
	double windows_s;  /* total length of the windows */
	double duration_s; /* denominator of the rate */
	double end_s;      /* standard deviation of the end of the duration */
};
/* rate ± t(0.975, windows - 1)·√V/duration. Returns false below RES_WINDOWS_MIN windows. */
bool res_interval_of_rate(const struct res_flow *flow, double rate, struct res_interval *ret);
