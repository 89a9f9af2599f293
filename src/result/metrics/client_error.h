/*
 * Client error: by how much this client can have changed each headline metric (rows of
 * tbl/metrics.h: the STATISTICs of its headline FAMILYs). `results.KEY_client_error` is [lo, hi] in
 * the metric's unit, lo <= 0 <= hi: a perfect client's value is within [value + lo, value + hi].
 *
 * Uncertainty of a record, for a request acted on at a, with events at t_k at the latest and at
 * earliest_k at the earliest (struct res_event_at):
 *
 *  d     its delay in this client: max(0, sent - acted - handshake), minus the smallest such value
 *        of the run's finished requests, which is the cost of the system calls; 0 if the send time
 *        is unknown, and for a request that was retried. A perfect client would have received the
 *        whole response up to d earlier.
 *  step  |change of the wall clock against the monotonic one|, if at least
 *        RES_CLIENT_ERROR_STEP_NS_MIN, because kernel timestamps use the wall clock; otherwise 0.
 *
 *  family       range of one sample                                                 ± step by
 *  TTFT         [earliest_1 - a - d, t_1 - a]                                       step
 *  first token  the same with the first event that has content                      step
 *  E2EL         the same with the last event; without events its end, exact but d   step
 *  TPOT         [earliest_last - t_1, t_last - earliest_1] / (n - 1)                step / (n - 1)
 *  ITL          [earliest_k - t_(k-1), t_k - earliest_(k-1)]                        step
 *
 * - No sample is below 0: a later event was never seen earlier. A single event has a TPOT of
 *   exactly 0, whenever it arrived.
 * - A mean changes by the mean change of its samples. A median or percentile is taken of all lower
 *   and of all upper bounds: it increases with each sample, so no combination goes further.
 * - A late event makes one gap longer and the next one shorter: median and percentiles of ITL are
 *   bounded by how many gaps of a read can be long or short together (result/metrics/gap_bounds.h).
 *   Its mean uses the sum of a request's gaps, which is last - first.
 * - More uncertainty in any event never makes an interval narrower. Without uncertainty: [0, 0], to
 *   the last digit.
 * - null if the metric is null, and if nothing is known about the client
 *   (res_client_error_forget()).
 */
#pragma once

#include "base/json.h"

#include <stdbool.h>

struct res_families;
struct res_outcome;

/*
 * The offset of the clocks is measured with readings that take about this long: a smaller step
 * cannot be detected.
 */
#define RES_CLIENT_ERROR_STEP_NS_MIN 10000

/* A metric is accurate enough if its error is at most this share of it, or this many ms. */
#define RES_CLIENT_ERROR_SHARE_MAX 0.02
#define RES_CLIENT_ERROR_MS_MAX    0.1
/* An error above its limit and this share makes the run client-limited. */
#define RES_CLIENT_ERROR_SHARE_FAR 0.10

#define RES_CLIENT_ERROR_KEY_BYTES 64

/*
 * Writes into `results`. families: of all finished records of the outcome, written (and so sorted)
 * by res_families_write().
 */
void res_client_error_write(const struct res_outcome *outcome, const struct res_families *families,
			    json_t *results);

/* Sets all client errors to null, for a client about which nothing is known. */
void res_client_error_forget(json_t *results);

/*
 * Finds the metric whose error, max(-lo, hi), is the largest multiple of its limit, the first of
 * equals; metrics above their limit and RES_CLIENT_ERROR_SHARE_FAR take precedence. Shares are
 * relative to the metric, limit_share = max(2 %, 0.1 ms / value); a value below one nanosecond
 * counts as one, so that shares stay finite and share / limit_share is correct. Returns false if no
 * client error is known; `results` may be NULL.
 */
struct res_client_error_worst {
	char key[RES_CLIENT_ERROR_KEY_BYTES]; /* "p99_ttft_ms" */
	double figure;
	double share;
	double limit_share;
	double lo_ms;
	double hi_ms;
};
bool res_client_error_worst(const json_t *results, struct res_client_error_worst *ret);
