/*
 * The verdict: rows of checks, each a value with a limit; the worst effect of those over their
 * limit is the verdict. An unknown value (NaN) does not lower it, but `trusted` has requirements:
 * the client error must be known, and whether the client offered the requested load. Measurements
 * may widen limits, because an error of a millisecond matters to a server that responds in ten and
 * not to one that takes a minute.
 */
#include "result/quality.h"

#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#include "base/buf.h"
#include "base/text.h"
#include "experiment/values.h"
#include "vllm/reported/mismatch.h"

#define INFLIGHT_SAMPLES_MIN 5
#define P99_REQUESTS_MIN     100 /* below it schedule_lateness uses p95 */

/* A late send does no harm while it is small against the latency, or against the planned gap. */
#define LATENESS_OF_GAP 0.50
/* A burst has no gaps, and its duration is that of its system calls. */
#define LATENESS_OF_BURST 0.10

/* In order of severity. */
enum effect { INFO, DEGRADED, CLIENT_LIMITED };
enum sense { MOST, LEAST };
enum about { FIGURES, LOAD, CLIENT, RUN };
enum worse_kind { WORSE_NEVER, WORSE_ABOVE, WORSE_BELOW };

struct worse {
	enum worse_kind kind;
	double value;
};

struct check {
	const char *id;
	enum about about;
	const char *unit;
	enum sense sense;
	double limit;
	enum effect effect;
	struct worse worse;
	enum effect worse_effect;
	/* NaN: unknown. May widen *limit. */
	double (*value)(const struct res_quality_facts *facts, double *limit);
	const char *text;
};

enum status { OK, BEYOND, UNKNOWN };

static const char *const effect_names[] = { "info", "degraded", "client_limited" };
const char *const res_quality_verdicts[] = { "trusted", "degraded", "client_limited", NULL };
const char *const res_quality_statuses[] = { "passed", "over_limit", "unknown", NULL };

enum check_id {
#define QUALITY(id, about, unit, sense, limit, effect, worse, worse_effect, text, finding, action) \
	CHECK_##id,
#include "tbl/quality.h"
#undef QUALITY
};

static const double limits[] = {
#define QUALITY(id, about, unit, sense, limit, effect, worse, worse_effect, text, finding, action) \
	limit,
#include "tbl/quality.h"
#undef QUALITY
};

/* fmax() ignores NaN: an unknown latency leaves the base limit unchanged. */
static void widen(double *limit, double to)
{
	*limit = fmax(*limit, to);
}

static double value_client_error(const struct res_quality_facts *facts, double *limit)
{
	widen(limit, facts->client_error_limit);
	return facts->client_error_share;
}

static double late_of_gap(const struct res_quality_facts *facts)
{
	return facts->mean_gap_ms > 0 ? facts->send_lateness_ms / facts->mean_gap_ms : NAN;
}

static double value_send_lateness(const struct res_quality_facts *facts, double *limit)
{
	if (!(facts->median_e2el_ms > 0))
		return NAN;
	widen(limit, facts->burst > 0
			     ? LATENESS_OF_BURST
			     : LATENESS_OF_GAP * facts->mean_gap_ms / facts->median_e2el_ms);
	return facts->send_lateness_ms / facts->median_e2el_ms;
}

static double value_in_flight_distance(const struct res_quality_facts *facts, double *limit)
{
	(void)limit;
	return facts->closed_loop > 0 ? NAN : facts->in_flight_distance;
}

static double value_idle_slots(const struct res_quality_facts *facts, double *limit)
{
	(void)limit;
	return facts->closed_loop > 0 ? facts->in_flight_distance : NAN;
}

/*
 * An event that waited in the client looks like a gap between tokens, so the limit is a tenth of
 * one.
 */
static double value_client_queueing(const struct res_quality_facts *facts, double *limit)
{
	widen(limit, 0.10 * facts->median_itl_ms);
	return facts->client_queueing_p99_ms;
}

/* The first token's time begins with the send: hence a twentieth of it. */
static double value_schedule_lateness(const struct res_quality_facts *facts, double *limit)
{
	widen(limit, 0.05 * facts->median_ttft_ms);
	if (!(facts->schedule_finite > 0) || !(facts->schedule_requests > 0))
		return NAN;
	return facts->schedule_requests < P99_REQUESTS_MIN ? facts->schedule_lateness_p95_ms
							   : facts->schedule_lateness_p99_ms;
}

static double value_clock_step(const struct res_quality_facts *facts, double *limit)
{
	(void)limit;
	return fabs(facts->clock_step_ms);
}

static double value_inflight_agreement(const struct res_quality_facts *facts, double *limit)
{
	(void)limit;
	return facts->inflight_samples >= INFLIGHT_SAMPLES_MIN ? facts->inflight_disagreement : NAN;
}

/* The worse of both, or the one that is known. */
static double value_token_agreement(const struct res_quality_facts *facts, double *limit)
{
	(void)limit;
	return fmax(facts->output_token_disagreement, facts->prompt_token_disagreement);
}

static double value_prefix_hits(const struct res_quality_facts *facts, double *limit)
{
	(void)limit;
	return facts->prefix_hit_share - facts->prefix_hit_expected;
}

static double value_sample_size(const struct res_quality_facts *facts, double *limit)
{
	bool any = false;

	for (size_t i = 0; i < facts->percentile_count; i++) {
		double needed = res_quality_sample_needed(facts->percentiles[i]);
		any = any || isfinite(needed);
		if (isfinite(needed))
			widen(limit, needed);
	}
	return any ? facts->completed : NAN;
}

/* Shorter than three requests last, most of them ran while the load began or ended. */
static double value_short_run(const struct res_quality_facts *facts, double *limit)
{
	widen(limit, 3 * facts->mean_e2el_ms / 1e3);
	return facts->measured_s;
}

/* If a response may end earlier, its length is reported but not judged. */
static double value_output_length(const struct res_quality_facts *facts, double *limit)
{
	if (!(facts->output_exact > 0))
		*limit = NAN;
	return facts->output_off_share;
}

/* At rate inf, the concurrency limit is the load: no rate is configured that it could lower. */
static double value_concurrency_limited(const struct res_quality_facts *facts, double *limit)
{
	(void)limit;
	return facts->schedule_finite > 0 ? facts->cap_held_share : NAN;
}

#define PLAIN(id, field)                                                               \
	static double value_##id(const struct res_quality_facts *facts, double *limit) \
	{                                                                              \
		(void)limit;                                                           \
		return facts->field;                                                   \
	}
PLAIN(rate_shortfall, rate_reached)
PLAIN(gap_distance, gap_distance)
PLAIN(client_cpu, worker_cpu_share_max)
PLAIN(host_steal, host_steal_share)
PLAIN(host_withheld, host_withheld_share)
PLAIN(merged_events, merged_token_share)
PLAIN(token_source, tokens_by_events)
PLAIN(record_identity, record_identity_us)
PLAIN(littles_law, littles_law_share)
PLAIN(foreign_load, foreign_load)
PLAIN(throttling, throttled_share)
PLAIN(profiled, profiled)
PLAIN(server_restart, server_restarted)
PLAIN(config_mismatch, config_mismatch)
PLAIN(preemptions, preemptions)
PLAIN(failures, failed)
PLAIN(finish_reasons, reasonless)
PLAIN(stream_end, lacking_done)
PLAIN(prompt_length, prompt_off_share)
PLAIN(empty_output, outputless_share)
PLAIN(usage_contradiction, usage_below_share)
PLAIN(buffered_stream, buffered_share)
PLAIN(empty_first_event, empty_first_share)
PLAIN(retries, retries)
PLAIN(totals_agreement, totals_off_share)
PLAIN(statistics_order, order_off_share)
PLAIN(impossible_zeros, impossible_zeros)
PLAIN(lists_agreement, lists_off_share)
PLAIN(request_count, requests_missing_share)
PLAIN(simulated, simulated)
#undef PLAIN

#define NEVER                  \
	{                      \
		WORSE_NEVER, 0 \
	}
#define ABOVE(x)               \
	{                      \
		WORSE_ABOVE, x \
	}
#define BELOW(x)               \
	{                      \
		WORSE_BELOW, x \
	}
static const struct check checks[] = {
#define QUALITY(id, about, unit, sense, limit, effect, worse, worse_effect, text, finding, action) \
	{ #id, about, unit, sense, limit, effect, worse, worse_effect, value_##id, text },
#include "tbl/quality.h"
#undef QUALITY
};

void res_quality_init(struct res_quality_facts *facts)
{
	/* each member before the percentiles is a double; so written that a new one is not
	 * forgotten */
	double unknown[offsetof(struct res_quality_facts, percentiles) / sizeof(double)];

	for (size_t i = 0; i < PL_ARRAY_SIZE(unknown); i++)
		unknown[i] = NAN;
	memset(facts, 0, sizeof(*facts));
	memcpy(facts, unknown, sizeof(unknown));
}

/*
 * The least n at which the upper rank exists: the chance that all n lie below the percentile, q^n,
 * is 2.5 %.
 */
double res_quality_sample_needed(double percentile)
{
	double q = percentile / 100;
	double tail = fmax(q, 1 - q);

	/* the extremes have no interval by order statistics, whatever the sample */
	return tail < 1 ? ceil(log(0.025) / log(tail)) : INFINITY;
}

static enum effect effect_of(const struct check *check, double value)
{
	bool worse = (check->worse.kind == WORSE_ABOVE && value > check->worse.value) ||
		     (check->worse.kind == WORSE_BELOW && value < check->worse.value);

	return worse ? check->worse_effect : check->effect;
}

/* Percentiles that need more requests. The limit states the number of the most extreme one. */
static void add_uncarried(const struct res_quality_facts *facts, double limit, struct pl_buf *buf)
{
	char number[PL_F64_TEXT_BYTES];
	const char *before = "; this run has too few requests for ";

	for (size_t i = 0; i < facts->percentile_count; i++) {
		double needed = res_quality_sample_needed(facts->percentiles[i]);
		if (!(needed > facts->completed) || !isfinite(needed))
			continue;
		exp_percentile_text(facts->percentiles[i], number);
		pl_buf_addf(buf, "%sp%s", before, number);
		if (needed < limit)
			pl_buf_addf(buf, " (needs %.0f)", needed);
		before = ", ";
	}
}

/* Returns the findings for a check that has them; "": none. */
static const char *detail_of(const struct check *check, const struct res_quality_facts *facts)
{
	if (check->value == value_totals_agreement)
		return facts->totals_detail;
	if (check->value == value_statistics_order)
		return facts->order_detail;
	if (check->value == value_impossible_zeros)
		return facts->zeros_detail;
	if (check->value == value_buffered_stream)
		return facts->proxy_detail;
	return check->value == value_lists_agreement ? facts->lists_detail : "";
}

static json_t *measurement_json(const struct res_quality_facts *facts)
{
	if (isnan(facts->client_error_share))
		return json_null();
	return json_pack("{s:s, s:f, s:f, s:f}", "metric", facts->worst_metric, "share",
			 facts->client_error_share, "lo", facts->client_error_lo_ms, "hi",
			 facts->client_error_hi_ms);
}

static void set_load(json_t *load, const char *key, double value, double limit)
{
	json_object_set_new(load, key,
			    isnan(value) ? json_null()
					 : json_pack("{s:f, s:f}", "value", value, "limit", limit));
}

/* Returns both shares of lateness, each with its limit: the check is over its limit if both are. */
static json_t *load_json(const struct res_quality_facts *facts)
{
	enum check_id in_flight = facts->closed_loop > 0 ? CHECK_idle_slots
							 : CHECK_in_flight_distance;
	json_t *load = json_object();
	double ignored = 0;

	set_load(load, "rate_reached", facts->rate_reached, limits[CHECK_rate_shortfall]);
	set_load(load, "gap_distance", facts->gap_distance, limits[CHECK_gap_distance]);
	set_load(load, "lateness_p99_of_mean_gap", late_of_gap(facts), LATENESS_OF_GAP);
	set_load(load, "lateness_p99_of_median_e2el", value_send_lateness(facts, &ignored),
		 facts->burst > 0 ? LATENESS_OF_BURST : limits[CHECK_send_lateness]);
	set_load(load, "in_flight_distance", facts->in_flight_distance, limits[in_flight]);
	return load;
}

static json_t *check_json(const struct check *check, const struct res_quality_facts *facts,
			  enum effect *ret_effect, bool *ret_known)
{
	double limit = check->limit;
	double value = check->value(facts, &limit);
	bool beyond = check->sense == MOST ? value > limit : value < limit;
	enum effect effect = beyond ? effect_of(check, value) : check->effect;
	enum status status = isnan(value) ? UNKNOWN : beyond ? BEYOND : OK;
	json_t *row = json_object();

	json_object_set_new(row, "id", json_string(check->id));
	json_object_set_new(row, "status", json_string(res_quality_statuses[status]));
	json_object_set_new(row, "value", pl_json_number(value));
	json_object_set_new(row, "limit", pl_json_number(limit));
	json_object_set_new(row, "unit", json_string(check->unit));
	json_object_set_new(row, "effect", json_string(effect_names[effect]));
	auto_buf buf = PL_BUF(1 << 16);
	pl_buf_add_text(&buf, check->text);
	if (beyond && check->value == value_sample_size)
		add_uncarried(facts, limit, &buf);
	if (check->value == value_output_length && facts->output_off > 0) {
		/* "output 66 of 40 requested tokens, 4 of 4 requests differ" */
		pl_buf_addf(&buf,
			    "; output %.0f of %.0f requested tokens, %.0f of %.0f requests differ",
			    facts->output_received, facts->output_asked, facts->output_off,
			    facts->output_counted);
	}
	if (check->value == value_config_mismatch && beyond) {
		pl_buf_add_text(&buf, "; ");
		vllm_mismatches_add_text(facts->mismatches, &buf);
	}
	if (beyond && detail_of(check, facts)[0] != '\0')
		pl_buf_addf(&buf, "; %s", detail_of(check, facts));
	json_object_set_new(row, "text", pl_json_text(pl_buf_text(&buf)));
	if (check->value == value_config_mismatch && beyond && facts->mismatches != NULL)
		json_object_set(row, "differences", (json_t *)facts->mismatches);
	*ret_effect = beyond ? effect : INFO;
	*ret_known = !isnan(value);
	return row;
}

static json_t *evaluate(const struct res_quality_facts *facts, bool known_only)
{
	json_t *quality = json_object();
	json_t *list = json_array();
	enum effect verdict = INFO;
	bool is_known[] = { [FIGURES] = false, [LOAD] = false, [CLIENT] = false, [RUN] = false };

	for (size_t i = 0; i < PL_ARRAY_SIZE(checks); i++) {
		enum effect effect = INFO;
		bool known = false;
		double limit = checks[i].limit;
		if (known_only && isnan(checks[i].value(facts, &limit)))
			continue;
		json_array_append_new(list, check_json(&checks[i], facts, &effect, &known));
		is_known[checks[i].about] |= known;
		/* effects are in order of severity */
		if (effect > verdict)
			verdict = effect;
	}
	bool reported = verdict > INFO || (is_known[FIGURES] && is_known[LOAD]);
	json_object_set_new(quality, "verdict",
			    facts->completed > 0 && reported
				    ? json_string(res_quality_verdicts[verdict])
				    : json_null());
	json_object_set_new(quality, "measurement", measurement_json(facts));
	json_object_set_new(quality, "load", load_json(facts));
	json_object_set_new(quality, "checks", list);
	return quality;
}

json_t *res_quality_evaluate(const struct res_quality_facts *facts)
{
	return evaluate(facts, false);
}

json_t *res_quality_evaluate_known(const struct res_quality_facts *facts)
{
	return evaluate(facts, true);
}
