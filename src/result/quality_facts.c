/*
 * Facts for the checks that records decide; the caller adds those of host and server. All start as
 * NaN: an unknown fact must not look like a good one.
 */
#include "result/quality_facts.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/stats.h"
#include "result/metrics/client_error.h"
#include "result/offered.h"
#include "result/timing.h"

static double ms_of(int64_t ns)
{
	return (double)ns / 1e6;
}

static double result_number(const json_t *results, const char *key)
{
	const json_t *value = json_object_get(results, key);

	return json_is_number(value) ? json_number_value(value) : NAN;
}

/*
 * Returns whether max_concurrency did not delay the request: only such requests show whether the
 * client keeps its schedule.
 */
static bool is_free(const struct res_record *record)
{
	return record->acted_ns != RES_NO_TIME && record->planned_ns != RES_NO_TIME &&
	       record->queued_ns == RES_NO_TIME;
}

static void schedule(const struct res_outcome *outcome, struct res_quality_facts *ret)
{
	auto_free double *late_ms = pl_alloc_array(outcome->count, sizeof(double));
	size_t n = 0;

	for (size_t i = 0; i < outcome->count; i++) {
		const struct res_record *record = &outcome->records[i];
		if (is_free(record))
			late_ms[n++] = ms_of(record->acted_ns - record->planned_ns);
	}
	pl_stats_sort(late_ms, n);
	ret->schedule_requests = (double)n;
	ret->schedule_lateness_p99_ms = pl_stats_percentile_sorted(late_ms, n, 99);
	ret->schedule_lateness_p95_ms = pl_stats_percentile_sorted(late_ms, n, 95);
}

static void client_error(const json_t *results, struct res_quality_facts *ret)
{
	struct res_client_error_worst worst;

	if (!res_client_error_worst(results, &worst))
		return;
	snprintf(ret->worst_metric, sizeof(ret->worst_metric), "%s", worst.key);
	ret->client_error_share = worst.share;
	ret->client_error_limit = worst.limit_share;
	ret->client_error_lo_ms = worst.lo_ms;
	ret->client_error_hi_ms = worst.hi_ms;
}

static double held_share(const struct res_outcome *outcome)
{
	double held = 0, acted = 0;

	for (size_t i = 0; i < outcome->count; i++) {
		const struct res_record *record = &outcome->records[i];
		acted += record->acted_ns != RES_NO_TIME;
		held += record->acted_ns != RES_NO_TIME && record->queued_ns != RES_NO_TIME;
	}
	return acted > 0 ? held / acted : NAN;
}

struct merged {
	int64_t tokens;
	int64_t merged;
};

static void close_segment(struct merged *merged, int64_t *segment)
{
	merged->tokens += *segment;
	/* a token alone in its segment has an exact time */
	if (*segment > 1)
		merged->merged += *segment;
	*segment = 0;
}

/*
 * Events without a token count stand for one token each. Further tokens in usage were part of some
 * of these events: at least one event has them, and no more is certain.
 */
static void add_uncounted(const struct res_record *record, int64_t merged_before,
			  struct merged *merged)
{
	struct res_timing timing = res_timing_of(record);
	int64_t more = record->output_tokens - timing.event_tokens;

	if (record->token_source != RES_TOKENS_USAGE || !timing.guessed ||
	    timing.event_tokens == 0 || more <= 0)
		return;
	merged->tokens += more;
	merged->merged += merged->merged > merged_before ? more : more + 1;
}

/* Tokens that came with another one in their segment: in one event, or events of one read. */
static double merged_share(const struct res_outcome *outcome)
{
	struct merged merged = { 0 };

	for (size_t i = 0; i < outcome->count; i++) {
		const struct res_record *record = &outcome->records[i];
		struct res_event_cursor cursor = res_record_cursor(record);
		struct res_event_at at;
		int64_t segment = 0, before = merged.merged;
		if (!record->ok || record->acted_ns == RES_NO_TIME)
			continue;
		while (res_record_next(&cursor, &at)) {
			if ((at.flags & RES_EVENT_COALESCED) == 0)
				close_segment(&merged, &segment);
			segment += at.tokens;
		}
		close_segment(&merged, &segment);
		add_uncounted(record, before, &merged);
	}
	return merged.tokens > 0 ? (double)merged.merged / (double)merged.tokens : NAN;
}

/* Tokens that the events themselves told (ids, logprobs) against the server's usage. */
static double output_disagreement(const struct res_outcome *outcome)
{
	double off = 0, reported = 0;

	for (size_t i = 0; i < outcome->count; i++) {
		const struct res_record *record = &outcome->records[i];
		if (!record->ok || record->token_source != RES_TOKENS_USAGE)
			continue;
		struct res_timing timing = res_timing_of(record);
		if (timing.guessed || timing.event_count == 0)
			continue;
		off += fabs((double)(record->output_tokens - timing.event_tokens));
		reported += (double)record->output_tokens;
	}
	return reported > 0 ? off / reported : NAN;
}

/* Returns the prompts of a request; one that generates has one. */
static double sequences_of(const struct res_record *record)
{
	return record->input_sequences > 1 ? (double)record->input_sequences : 1;
}

/* The server counts tokens of media, whose number the client does not know. */
static bool has_offset(const struct res_record *record)
{
	return record->ok && record->prompt_tokens != RES_NO_COUNT &&
	       record->prompt_tokens_requested != RES_NO_COUNT && !res_record_has_media(record);
}

static double offset_of(const struct res_record *record)
{
	return (double)(record->prompt_tokens - record->prompt_tokens_requested);
}

/*
 * Returns the tokens that a template and special tokens add to each prompt: the median, NaN without any. The
 * last request of a run can have fewer prompts than the others.
 */
static double offset_per_sequence(const struct res_outcome *outcome)
{
	auto_free double *offsets = pl_alloc_array(outcome->count, sizeof(*offsets));
	size_t count = 0;

	for (size_t i = 0; i < outcome->count; i++) {
		const struct res_record *record = &outcome->records[i];
		if (has_offset(record))
			offsets[count++] = offset_of(record) / sequences_of(record);
	}
	pl_stats_sort(offsets, count);
	return pl_stats_median_sorted(offsets, count);
}

static double prompt_disagreement(const struct res_outcome *outcome, double offset)
{
	double off = 0, reported = 0;

	for (size_t i = 0; i < outcome->count; i++) {
		const struct res_record *record = &outcome->records[i];
		if (!has_offset(record))
			continue;
		off += fabs(offset_of(record) - offset * sequences_of(record));
		reported += (double)record->prompt_tokens;
	}
	return reported > 0 ? off / reported : NAN;
}

/* One such request is enough: sums over all then mix tokens with events. */
static double tokens_by_events(const struct res_outcome *outcome)
{
	bool any = false;

	for (size_t i = 0; i < outcome->count; i++) {
		const struct res_record *record = &outcome->records[i];
		if (!record->ok)
			continue;
		any = true;
		if (record->token_source == RES_TOKENS_EVENTS ||
		    record->output_tokens == RES_NO_COUNT)
			return 1;
	}
	return any ? 0 : NAN;
}

static double reasonless(const struct res_outcome *outcome)
{
	double count = NAN;

	for (size_t i = 0; i < outcome->count; i++) {
		const struct res_record *record = &outcome->records[i];
		if (!record->ok)
			continue;
		count = isnan(count) ? 0 : count;
		count += !res_record_names_reason(record);
	}
	return count;
}

static double lacking_done(const struct res_outcome *outcome)
{
	double count = NAN;

	for (size_t i = 0; i < outcome->count; i++) {
		const struct res_record *record = &outcome->records[i];
		if (record->ok)
			count = (isnan(count) ? 0 : count) + record->done_missing;
	}
	return count;
}

/* Compares the length of the output with the requested one, which the extra body may replace. */
static void output_length(const struct res_outcome *outcome, const struct res_how *how,
			  struct res_quality_facts *ret)
{
	double count = 0, off = 0, requested_sum = 0, received = 0, exact = 0;

	for (size_t i = 0; i < outcome->count; i++) {
		const struct res_record *record = &outcome->records[i];
		int64_t requested = how->max_tokens != OPTION_NO_I64
					    ? how->max_tokens
					    : record->output_tokens_requested;
		if (!record->ok || requested == RES_NO_COUNT ||
		    record->output_tokens == RES_NO_COUNT ||
		    record->token_source == RES_TOKENS_EVENTS)
			continue;
		int64_t length = res_timing_of(record).output_tokens;
		bool is_exact = how->ignores_eos ||
				(how->min_tokens != OPTION_NO_I64 && requested <= how->min_tokens);
		count++;
		off += length != requested;
		requested_sum += (double)requested;
		received += (double)length;
		exact += is_exact;
	}
	if (count == 0)
		return;
	ret->output_counted = count;
	ret->output_off = off;
	ret->output_off_share = off / count;
	ret->output_asked = requested_sum;
	ret->output_received = received;
	ret->output_exact = exact == count;
}

/*
 * The template adds the same number to each prompt: differences from the median were not planned.
 */
static double prompt_off_share(const struct res_outcome *outcome, double offset)
{
	double count = 0, off = 0;

	for (size_t i = 0; i < outcome->count; i++) {
		const struct res_record *record = &outcome->records[i];
		if (!has_offset(record))
			continue;
		count++;
		off += fabs(offset_of(record) - offset * sequences_of(record)) >= 1;
	}
	return count > 0 ? off / count : NAN;
}

/* No server generates a token faster: shorter gaps mean that events were buffered on the way. */
#define TOKEN_NS_MIN 20000
/* Minimum time by which a first event without output is early. */
#define EARLY_NS_MIN 1000000
#define EARLY_SHARE  0.05

/* Returns whether the first and the last token are implausibly close together. */
static bool is_buffered(const struct res_record *record, const struct res_timing *timing)
{
	struct res_event_cursor cursor = res_record_cursor(record);
	struct res_event_at at = { 0 };

	while (res_record_next(&cursor, &at) && at.t_ns < timing->first_token_ns)
		;
	return timing->last_token_ns - at.earliest_ns < TOKEN_NS_MIN * (timing->output_tokens - 1);
}

static bool begins_empty(const struct res_timing *timing)
{
	int64_t early_ns = timing->first_content_ns - timing->first_chunk_ns;
	int64_t ttft_ns = timing->first_content_ns - timing->acted_ns;

	return early_ns >= EARLY_NS_MIN && (double)early_ns >= EARLY_SHARE * (double)ttft_ns;
}

/* The first stream that came in one piece and whose headers name a proxy stands for all. */
static void name_proxy(const struct res_record *record, struct res_quality_facts *ret)
{
	if (record->via != NULL && ret->proxy_detail[0] == '\0')
		snprintf(ret->proxy_detail, sizeof(ret->proxy_detail),
			 "the responses came through %s", record->via);
}

/* Evaluates how the events of finished streams were made and sent. */
static void streams(const struct res_outcome *outcome, struct res_quality_facts *ret)
{
	double all = 0, outputless = 0, below = 0, longer = 0, buffered = 0, early = 0;

	for (size_t i = 0; i < outcome->count; i++) {
		const struct res_record *record = &outcome->records[i];
		if (!record->ok)
			continue;
		struct res_timing timing = res_timing_of(record);
		if (timing.event_count == 0)
			continue;
		all++;
		outputless += timing.output_events == 0;
		below += record->token_source == RES_TOKENS_USAGE &&
			 record->output_tokens < timing.output_events;
		if (timing.output_events == 0)
			continue;
		early += begins_empty(&timing);
		if (timing.output_tokens < 2)
			continue;
		longer++;
		if (is_buffered(record, &timing)) {
			buffered++;
			name_proxy(record, ret);
		}
	}
	if (all == 0)
		return;
	ret->outputless_share = outputless / all;
	ret->usage_below_share = below / all;
	ret->empty_first_share = early / all;
	ret->buffered_share = longer > 0 ? buffered / longer : NAN;
}

/* Uses both metrics as reported, to detect errors in either. */
static double identity_us(const struct res_record *record)
{
	struct res_timing timing = res_timing_of(record);
	struct res_event_cursor cursor = res_record_cursor(record);
	int64_t before_ns = timing.first_chunk_ns;
	double sum = timing.ttft_s;
	struct res_event_at at;

	while (res_record_next_chunk(&cursor, &at)) {
		sum += res_seconds(before_ns, at.t_ns);
		before_ns = at.t_ns;
	}
	double gaps = fabs(sum - timing.e2el_s);
	double mean = timing.output_tokens > 1
			      ? fabs(timing.ttft_s +
				     timing.tpot_s * (double)(timing.output_tokens - 1) -
				     timing.e2el_s)
			      : 0;
	return (gaps > mean ? gaps : mean) * 1e6;
}

/*
 * L = λW: the integral of requests in flight equals the sum of their durations. The loop counts the
 * former, records give the latter, and only a request that was lost or counted twice makes them
 * differ.
 */
static double littles_law(const struct res_outcome *outcome)
{
	double sum_s = 0;

	for (size_t i = 0; i < outcome->count; i++) {
		const struct res_record *record = &outcome->records[i];
		if (record->acted_ns != RES_NO_TIME && record->end_ns != RES_NO_TIME)
			sum_s += res_seconds(record->acted_ns, record->end_ns);
	}
	if (!(outcome->inflight_integral_s > 0))
		return NAN;
	return fabs(outcome->inflight_integral_s - sum_s) / outcome->inflight_integral_s;
}

void res_quality_facts(const struct res_outcome *outcome, const json_t *results,
		       const struct res_how *how, struct res_quality_facts *ret)
{
	ret->completed = result_number(results, "completed");
	ret->failed = result_number(results, "failed");
	ret->retries = result_number(results, "retries");
	ret->measured_s = result_number(results, "duration");
	ret->median_itl_ms = result_number(results, "median_itl_ms");
	ret->median_ttft_ms = result_number(results, "median_ttft_ms");
	ret->mean_e2el_ms = result_number(results, "mean_e2el_ms");
	ret->median_e2el_ms = result_number(results, "median_e2el_ms");
	client_error(results, ret);
	struct res_offered offered;
	res_offered_measure(outcome, how, &offered);
	ret->closed_loop = offered.kind == RES_OFFERED_CLOSED;
	ret->burst = offered.kind == RES_OFFERED_BURST;
	ret->rate_reached = offered.rate_reached;
	ret->gap_distance = offered.gap_distance;
	ret->send_lateness_ms = offered.lateness_ms;
	ret->mean_gap_ms = offered.mean_gap_ms;
	ret->in_flight_distance = offered.in_flight_distance;
	size_t n = outcome->queueing_count;
	auto_free double *sorted = pl_alloc_array(n, sizeof(double));
	if (n > 0)
		memcpy(sorted, outcome->queueing_ms, n * sizeof(double));
	pl_stats_sort(sorted, n);
	ret->client_queueing_p99_ms = pl_stats_percentile_sorted(sorted, n, 99);
	ret->schedule_finite = how->finite_rate;
	if (how->finite_rate)
		schedule(outcome, ret);
	ret->cap_held_share = how->max_concurrency != OPTION_NO_I64 ? held_share(outcome) : NAN;
	ret->worker_cpu_share_max = outcome->worker_cpu_share_max;
	ret->clock_step_ms = fabs(ms_of(outcome->clock_step_ns));
	ret->merged_token_share = merged_share(outcome);
	ret->output_token_disagreement = output_disagreement(outcome);
	double offset = offset_per_sequence(outcome);
	ret->prompt_token_disagreement = prompt_disagreement(outcome, offset);
	/* a pooling response has no tokens, no finish reason and no stream */
	if (!res_outcome_pools(outcome)) {
		ret->tokens_by_events = tokens_by_events(outcome);
		ret->reasonless = reasonless(outcome);
		ret->lacking_done = lacking_done(outcome);
	}
	output_length(outcome, how, ret);
	ret->prompt_off_share = prompt_off_share(outcome, offset);
	streams(outcome, ret);
	double worst = NAN;
	for (size_t i = 0; i < outcome->count; i++) {
		const struct res_record *record = &outcome->records[i];
		if (!record->ok || record->acted_ns == RES_NO_TIME || record->event_count == 0)
			continue;
		double here = identity_us(record);
		if (isnan(worst) || here > worst)
			worst = here;
	}
	ret->record_identity_us = worst;
	ret->littles_law_share = littles_law(outcome);
}
