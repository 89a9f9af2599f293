/*
 * Client error: by how much this client can have moved each headline figure (rows of tbl/metrics.h:
 * the STATISTICs of its headline FAMILYs). `results.KEY_client_error` is [lo, hi] in the figure's
 * unit, lo <= 0 <= hi: a perfect client's figure lies in [figure + lo, figure + hi].
 *
 * What a record leaves open, of a request acted on at a, with events at t_k at the latest and at
 * earliest_k at the earliest (struct res_event_at):
 *
 *  d     its own delay: max(0, sent - acted - handshake), less the least such value of the run's
 *        finished requests, which is what the system calls take here; 0 where the time of sending
 *        is not known, and of a request that was tried again. A perfect client would have had the
 *        whole answer up to d earlier.
 *  step  |change of the wall clock against the monotonic one|, from RES_CLIENT_ERROR_STEP_NS_MIN
 *        on, for kernel stamps are times of the wall clock; below it 0.
 *
 *  family       one sample lies in                                                  ± step by
 *  TTFT         [earliest_1 - a - d, t_1 - a]                                       step
 *  first token  the same with the first event that has content                      step
 *  E2EL         the same with the last event; without events its end, exact but d   step
 *  TPOT         [earliest_last - t_1, t_last - earliest_1] / (n - 1)                step / (n - 1)
 *  ITL          [earliest_k - t_(k-1), t_k - earliest_(k-1)]                        step
 *
 * - No sample falls below 0: a time that came later was never seen earlier. One event alone has a
 *   TPOT of exactly 0, whenever it came.
 * - A mean is moved by the mean of what its samples are moved by, a median or percentile is taken of
 *   all lows and of all highs: it grows with each sample, so no assignment in between goes further.
 * - A late event makes one gap longer and the next one shorter: median and percentiles of ITL are
 *   bounded by how many gaps of a read can be long or short together (result/metrics/gap_bounds.h).
 *   Its mean goes by the sum of a request's gaps, which is last - first.
 * - Wider in any event, no interval is narrower. Nothing uncertain: [0, 0], to the last digit.
 * - null where the figure is null, and where nothing is known of the client
 *   (res_client_error_forget()).
 */
#pragma once

#include "base/json.h"

#include <stdbool.h>

struct res_families;
struct res_outcome;

/* The distance of the clocks is measured by readings that take about so long: a smaller step is
 * none that was seen. */
#define RES_CLIENT_ERROR_STEP_NS_MIN 10000

/* A figure is told well enough while its error is at most this share of it, or so many ms. */
#define RES_CLIENT_ERROR_SHARE_MAX 0.02
#define RES_CLIENT_ERROR_MS_MAX    0.1
/* Beyond its limit and this share it is the client's. */
#define RES_CLIENT_ERROR_SHARE_FAR 0.10

#define RES_CLIENT_ERROR_KEY_BYTES 64

/* Into `results`; families: of all finished records of the outcome, written (and so sorted) by
 * res_families_write(). */
void res_client_error_write(const struct res_outcome *outcome, const struct res_families *families,
			    json_t *results);

/* Every one of them null: whose client tells nothing of itself. */
void res_client_error_forget(json_t *results);

/*
 * Of all figures the one whose error, max(-lo, hi), is the greatest multiple of what it may be, the
 * first of equals; before it one that is beyond its limit and RES_CLIENT_ERROR_SHARE_FAR. Shares are
 * of the figure, limit_share = max(2 %, 0.1 ms / figure); below a nanosecond a figure counts as one,
 * so that shares stay finite and share / limit_share true. False where no client error is known;
 * `results` may be NULL.
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
