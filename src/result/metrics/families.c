/*
 * Samples of each family and their statistics. vLLM's families use its formulas, exact to the last
 * digit: seconds are summed in the order of requests, and the statistic is converted to
 * milliseconds. The samples carry the ends of requests and their windows, because confidence
 * intervals need both.
 */
#include "result/metrics/families.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/stats.h"
#include "base/text.h"
#include "result/intervals.h"
#include "result/timing.h"

enum origin { VLLM, OFFLINE, OURS, KIND };

static const struct {
	const char *key;
	enum origin origin;
} family_rows[RES_FAMILY_COUNT] = {
#define FAMILY(id, key, title, label, direction, origin, headline, formula, text) { key, origin },
#include "tbl/metrics.h"
};

void res_values_add(struct res_values *values, double x)
{
	*PL_PUSH(values->x, values->count, values->room) = x;
}

/* The samples that have no window yet ended at t_ns. */
static void end_samples(const struct res_windows *windows, int64_t t_ns, struct res_values *values)
{
	while (values->window_count < values->count)
		*PL_PUSH(values->windows, values->window_count,
			 values->window_room) = res_windows_at(windows, t_ns);
}

/*
 * An event of n tokens is n samples of an n-th of its gap: each token counts once, as in a stream
 * of single ones.
 */
static void add_token_gaps(const struct res_record *record, const struct res_windows *windows,
			   struct res_values *gaps)
{
	struct res_event_cursor cursor = res_record_cursor(record);
	int64_t before_ns = RES_NO_TIME;
	struct res_event_at at;

	while (res_record_next(&cursor, &at)) {
		if (at.tokens == 0)
			continue;
		double gap = before_ns != RES_NO_TIME
				     ? res_seconds(before_ns, at.t_ns) / (double)at.tokens
				     : NAN;
		for (int64_t i = 0; before_ns != RES_NO_TIME && i < at.tokens; i++)
			res_values_add(gaps, gap);
		before_ns = at.t_ns;
		end_samples(windows, at.t_ns, gaps);
	}
}

static void add_planned(const struct res_record *record, const struct res_timing *timing,
			struct res_values *of)
{
	if (record->planned_ns == RES_NO_TIME)
		return;
	res_values_add(&of[RES_FAMILY_E2EL_PLANNED],
		       res_seconds(record->planned_ns, timing->last_chunk_ns));
	if (timing->mirror_chunk_count > 0)
		res_values_add(&of[RES_FAMILY_TTFT_PLANNED],
			       res_seconds(record->planned_ns, timing->first_chunk_ns));
	if (timing->first_content_ns != RES_NO_TIME)
		res_values_add(&of[RES_FAMILY_FIRST_TOKEN_PLANNED],
			       res_seconds(record->planned_ns, timing->first_content_ns));
}

/*
 * Only with a concurrency limit does a request wait in the client; with a rate the wait is part of
 * what a user experiences.
 */
static void add_queueing(const struct res_how *how, const struct res_record *record,
			 const struct res_timing *timing, struct res_values *of)
{
	double waited = record->queued_ns == RES_NO_TIME
				? 0
				: res_seconds(record->queued_ns, record->acted_ns);

	if (how->max_concurrency == OPTION_NO_I64)
		return;
	res_values_add(&of[RES_FAMILY_CLIENT_QUEUE_TIME], waited);
	if (how->finite_rate)
		res_values_add(&of[RES_FAMILY_E2EL_INCLUDING_CLIENT_QUEUE],
			       timing->e2el_s + waited);
}

/*
 * Marks the end of a request's samples and assigns those with a single value to the window of its
 * last event.
 */
static void end_request(const struct res_windows *windows, int64_t t_ns, struct res_values *values)
{
	size_t before = values->end_count > 0 ? values->ends[values->end_count - 1] : 0;

	if (values->count == before)
		return;
	end_samples(windows, t_ns, values);
	*PL_PUSH(values->ends, values->end_count, values->end_room) = values->count;
}

/* Adds the samples that only a streamed response has. */
static void add_stream(const struct res_record *record, const struct res_timing *timing,
		       const struct res_windows *windows, struct res_values *of)
{
	res_values_add(&of[RES_FAMILY_TTFT], timing->ttft_s);
	if (timing->output_tokens > 1)
		res_values_add(&of[RES_FAMILY_TPOT], timing->tpot_s);
	struct res_values *gaps = &of[RES_FAMILY_ITL];
	struct res_event_cursor cursor = res_record_cursor(record);
	int64_t before_ns = RES_NO_TIME;
	struct res_event_at at;
	while (res_record_next_chunk(&cursor, &at)) {
		if (before_ns != RES_NO_TIME)
			res_values_add(gaps, res_seconds(before_ns, at.t_ns));
		before_ns = at.t_ns;
		end_samples(windows, at.t_ns, gaps);
	}
	if (timing->first_content_ns != RES_NO_TIME)
		res_values_add(&of[RES_FAMILY_FIRST_TOKEN],
			       res_seconds(timing->acted_ns, timing->first_content_ns));
	/*
	 * assumed counts that do not add up to the server's do not show how many tokens each event
	 * had
	 */
	if (!timing->guessed || timing->output_tokens == timing->event_tokens)
		add_token_gaps(record, windows, &of[RES_FAMILY_TOKEN_GAP]);
	if (timing->output_tokens > 1 && timing->first_token_ns != RES_NO_TIME)
		res_values_add(&of[RES_FAMILY_TIME_PER_TOKEN],
			       res_seconds(timing->first_token_ns, timing->last_token_ns) /
				       (double)(timing->output_tokens - 1));
	/* If there is output of several kinds, each kind has its first time. */
	static const enum res_family families[RES_KIND_COUNT] = {
		[RES_KIND_ROLE] = RES_FAMILY_FIRST_ROLE,
		[RES_KIND_REASONING] = RES_FAMILY_FIRST_REASONING,
		[RES_KIND_TEXT] = RES_FAMILY_FIRST_TEXT,
		[RES_KIND_TOOL_CALL] = RES_FAMILY_FIRST_TOOL_CALL,
	};
	for (size_t i = 0; i < RES_KIND_COUNT; i++) {
		if (record->first_ns[i] != RES_NO_TIME)
			res_values_add(&of[families[i]],
				       res_seconds(timing->acted_ns, record->first_ns[i]));
	}
}

/*
 * Returns false if the record has no sample. A record without any time has neither an event nor an
 * end.
 */
static bool takes_part(const struct res_outcome *outcome, const bool *chosen, size_t i,
		       struct res_timing *ret)
{
	if (!outcome->records[i].ok || (chosen != NULL && !chosen[i]))
		return false;
	*ret = res_timing_of(&outcome->records[i]);
	return !isnan(ret->e2el_s);
}

static struct res_windows windows_of(const struct res_outcome *outcome, const bool *chosen)
{
	int64_t from_ns = INT64_MAX, to_ns = INT64_MIN;
	struct res_timing timing;
	double taken_ns = 0;
	size_t count = 0;

	for (size_t i = 0; i < outcome->count; i++) {
		if (!takes_part(outcome, chosen, i, &timing))
			continue;
		from_ns = timing.acted_ns < from_ns ? timing.acted_ns : from_ns;
		to_ns = timing.last_chunk_ns > to_ns ? timing.last_chunk_ns : to_ns;
		taken_ns += (double)(timing.last_chunk_ns - timing.acted_ns);
		count++;
	}
	return count > 0 ? res_windows_of(from_ns, to_ns, taken_ns, count)
			 : (struct res_windows){ 0 };
}

void res_families_collect(const struct res_outcome *outcome, const struct res_how *how,
			  const bool *chosen, struct res_families *ret)
{
	struct res_timing timing;

	memset(ret, 0, sizeof(*ret));
	ret->windows = windows_of(outcome, chosen);
	for (size_t i = 0; i < outcome->count; i++) {
		const struct res_record *record = &outcome->records[i];
		if (!takes_part(outcome, chosen, i, &timing))
			continue;
		res_values_add(&ret->of[RES_FAMILY_E2EL], timing.e2el_s);
		if (timing.mirror_chunk_count > 0)
			add_stream(record, &timing, &ret->windows, ret->of);
		add_planned(record, &timing, ret->of);
		add_queueing(how, record, &timing, ret->of);
		for (size_t k = 0; k < RES_FAMILY_COUNT; k++)
			end_request(&ret->windows, timing.last_chunk_ns, &ret->of[k]);
	}
}

void res_families_done(struct res_families *families)
{
	for (size_t i = 0; i < RES_FAMILY_COUNT; i++) {
		free(families->of[i].x);
		free(families->of[i].ends);
		free(families->of[i].windows);
	}
	memset(families, 0, sizeof(*families));
}

/* vLLM multiplies after the statistic: the last digit depends on it. */
static void set_ms(json_t *into, const char *key, double seconds)
{
	json_object_set_new(into, key, pl_json_number(seconds * 1000));
}

static void percentile_key(double percentile, const char *family, char *key, size_t room)
{
	char number[PL_F64_TEXT_BYTES];

	exp_percentile_text(percentile, number);
	snprintf(key, room, "p%s_%s", number, family);
}

/* `interval` NULL: none. Times are not negative, so bounds are not either. */
static void set_interval(json_t *into, const char *key, const struct res_interval *interval)
{
	auto_free char *name = pl_asprintf("%s_ci95", key);

	json_object_set_new(into, name,
			    interval == NULL ? json_null()
					     : json_pack("[f, f]", fmax(0, interval->low) * 1000,
							 interval->high * 1000));
}

/* The deviation has none. */
static void write_intervals(const struct res_series *series, const double *sorted, double mean,
			    const char *family, const double *percentiles, size_t percentile_count,
			    json_t *into)
{
	struct res_interval interval;
	char key[128];

	bool has_mean = res_interval_of_mean(series, mean, &interval);
	snprintf(key, sizeof(key), "mean_%s", family);
	set_interval(into, key, has_mean ? &interval : NULL);
	bool has_median = res_interval_of_percentile(series, sorted, 50, &interval);
	snprintf(key, sizeof(key), "median_%s", family);
	set_interval(into, key, has_median ? &interval : NULL);
	snprintf(key, sizeof(key), "std_%s", family);
	set_interval(into, key, NULL);
	for (size_t i = 0; i < percentile_count; i++) {
		bool known = res_interval_of_percentile(series, sorted, percentiles[i], &interval);
		percentile_key(percentiles[i], family, key, sizeof(key));
		set_interval(into, key, known ? &interval : NULL);
	}
}

static void write_family(struct res_values *values, const char *family,
			 const struct res_windows *windows, const double *percentiles,
			 size_t percentile_count, bool intervals, json_t *into)
{
	static const char *const names[] = { "mean", "median", "std" };
	size_t n = values->count;
	/* Sums depend on the order: mean and deviation come before the sorting. */
	double mean = pl_stats_mean(values->x, n);
	double deviation = pl_stats_std(values->x, n);
	auto_free double *in_order = NULL;
	if (intervals && values->count > 0) {
		in_order = pl_alloc_array(values->count, sizeof(*in_order));
		memcpy(in_order, values->x, values->count * sizeof(*in_order));
	}
	pl_stats_sort(values->x, values->count);
	char key[128];

	const double plain[] = { mean, pl_stats_median_sorted(values->x, n), deviation };
	for (size_t i = 0; i < PL_ARRAY_SIZE(names); i++) {
		snprintf(key, sizeof(key), "%s_%s", names[i], family);
		set_ms(into, key, plain[i]);
	}
	for (size_t i = 0; i < percentile_count; i++) {
		percentile_key(percentiles[i], family, key, sizeof(key));
		set_ms(into, key, pl_stats_percentile_sorted(values->x, n, percentiles[i]));
	}
	const struct res_series series = { .x = in_order,
					   .windows = values->windows,
					   .count = n,
					   .ends = values->ends,
					   .end_count = values->end_count,
					   .window_count = windows->count };
	if (intervals)
		write_intervals(&series, values->x, mean, family, percentiles, percentile_count,
				into);
}

void res_families_write(struct res_families *families, const double *percentiles,
			size_t percentile_count, bool intervals, json_t *into)
{
	for (size_t i = 0; i < RES_FAMILY_COUNT; i++) {
		if (family_rows[i].origin == KIND && families->of[i].count == 0)
			continue;
		write_family(&families->of[i], family_rows[i].key, &families->windows, percentiles,
			     percentile_count, intervals, into);
	}
}
