/*
 * Quality checks (rows of tbl/quality.h): from facts, where each has them, to a verdict.
 * Used by our own runs and for imported files. NaN: not known, the check is `unknown`.
 */
#ifndef RESULT_QUALITY_H
#define RESULT_QUALITY_H

#include "base/json.h"

#include <stddef.h>
#include <stdint.h>

struct res_quality_facts {
	double completed, failed;
	double retries;       /* tries beyond a request's first */
	double measured_s;    /* results.duration */
	double median_itl_ms; /* of the limits that follow from latencies */
	double median_ttft_ms;
	double mean_e2el_ms;
	double client_queueing_p99_ms;   /* user - kernel stamp */
	double schedule_finite;          /* 1: finite rate or trace; 0: not */
	double schedule_lateness_p99_ms; /* acted - planned of requests the cap did not hold */
	double schedule_lateness_p95_ms;
	double schedule_requests; /* how many the two are over */
	double planned_span_s;    /* start of sending to the last planned send, uncapped requests */
	double actual_span_s;
	double cap_held_share;       /* 0..1; NaN without a cap */
	double worker_cpu_share_max; /* 0..1 */
	double host_steal_share;     /* 0..1 */
	double clock_step_ms;
	double inflight_samples;          /* /metrics samples with ours >= 4 */
	double inflight_disagreement;     /* median distance / ours */
	double merged_token_share;        /* 0..1 */
	double output_token_disagreement; /* share by usage against ids or tokenizer */
	double prompt_token_disagreement; /* share, the run's median difference taken off */
	double tokens_by_events;          /* 1: tokens are counted by events */
	double record_identity_us;        /* worst of the two identities */
	double littles_law_share;         /* |∫inflight - Σ durations| / ∫ */
	double prefix_hit_share;          /* measured, 0..1 */
	double prefix_hit_expected;       /* the data set's own */
	double foreign_load;              /* 1: other requests or processes seen */
	double throttled_share;
	double server_restarted; /* 1: counters fell or start time moved */
	double preemptions;
	double simulated;          /* 1: the engine is a simulator */
	const double *percentiles; /* reported ones, for sample_size */
	size_t percentile_count;
};

/* All facts unknown. */
void res_quality_init(struct res_quality_facts *facts);
/* Samples from which a percentile (in percent) has a 95 % interval by order statistics: 368 for 99;
 * infinite for 0 and 100. */
double res_quality_sample_needed(double percentile);
/* {verdict, checks: [{id, status, value, limit, unit, effect, text}]}; verdict null when nothing
 * was measured. New reference. */
json_t *res_quality_evaluate(const struct res_quality_facts *facts);

#endif
