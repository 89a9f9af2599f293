/*
 * A request is spread evenly over its duration: if it counted where it ends, the first windows of a
 * closed loop would be empty, and slots that finish in step would fill only every other window.
 */
#include "result/metrics/rates.h"

#include <math.h>
#include <stdlib.h>

#include "base/mem.h"
#include "base/text.h"
#include "result/intervals.h"
#include "result/timing.h"

enum rate {
#define RATE(id, key) RATE_##id,
#include "tbl/metrics.h"
	RATE_COUNT
};

static const char *const keys[RATE_COUNT] = {
#define RATE(id, key) #key,
#include "tbl/metrics.h"
};

/* One finished request. */
struct part {
	int64_t from_ns;
	int64_t to_ns;
	double of[RATE_COUNT]; /* contribution to each rate; NaN: unknown */
};

struct rates {
	struct part *parts;
	size_t count;
	size_t room;
	double sums[RATE_COUNT];
};

static bool has_limits(const struct exp_slo *slo)
{
	return !isnan(slo->ttft_ms) || !isnan(slo->tpot_ms) || !isnan(slo->e2el_ms);
}

static bool keeps_limits(const struct exp_slo *slo, const struct res_timing *timing)
{
	/* Written so that a NaN limit holds and a NaN latency does not. */
	return (isnan(slo->ttft_ms) || timing->ttft_s <= slo->ttft_ms / 1000) &&
	       (isnan(slo->tpot_ms) || timing->tpot_s <= slo->tpot_ms / 1000) &&
	       (isnan(slo->e2el_ms) || timing->e2el_s <= slo->e2el_ms / 1000);
}

static struct part part_of(const struct res_record *record, const struct exp_slo *slo)
{
	struct res_timing timing = res_timing_of(record);
	int64_t prompt = res_prompt_tokens(record);
	double in = prompt != RES_NO_COUNT ? (double)prompt : NAN;
	double out = (double)timing.output_tokens;
	bool pools = record->input_sequences > 0;

	return (struct part){
		.from_ns = timing.acted_ns,
		.to_ns = timing.last_chunk_ns,
		.of = { [RATE_REQUESTS] = 1,
			[RATE_GOOD] = keeps_limits(slo, &timing),
			[RATE_INPUT] = in,
			[RATE_SEQUENCES] = pools ? (double)record->input_sequences : NAN,
			[RATE_OUTPUT] = pools ? NAN : out,
			[RATE_TOKENS] = in + out },
	};
}

/* ---- windows ------------------------------------------------------------------------------- */

/* Duration of requests and time of the last send; false: a time is unknown. */
struct stays {
	double mean_ns;
	double deviation_ns;
	int64_t last_ns;
};

static bool stays_of(const struct rates *rates, struct stays *ret)
{
	double sum = 0, squares = 0, n = (double)rates->count;

	*ret = (struct stays){ .last_ns = INT64_MIN };
	for (size_t i = 0; i < rates->count; i++) {
		const struct part *part = &rates->parts[i];
		if (part->from_ns == RES_NO_TIME || part->to_ns == RES_NO_TIME)
			return false;
		sum += (double)(part->to_ns - part->from_ns);
		ret->last_ns = part->from_ns > ret->last_ns ? part->from_ns : ret->last_ns;
	}
	ret->mean_ns = sum / n;
	for (size_t i = 0; i < rates->count; i++) {
		const struct part *part = &rates->parts[i];
		double off = (double)(part->to_ns - part->from_ns) - ret->mean_ns;
		squares += off * off;
	}
	ret->deviation_ns = sqrt(squares / n);
	return true;
}

/* Spreads a request's contribution over the windows in which it was open. */
static void add_part(const struct part *part, enum rate rate, int64_t start_ns, double each_ns,
		     struct res_flow *flow)
{
	double from_ns = (double)(part->from_ns - start_ns);
	double to_ns = (double)(part->to_ns - start_ns), taken_ns = to_ns - from_ns;
	double window = fmax(0, floor(from_ns / each_ns));

	if (!(taken_ns > 0) && window < flow->window_count)
		flow->counts[(size_t)window] += part->of[rate];
	if (!(taken_ns > 0))
		return;
	for (; window * each_ns < to_ns && window < flow->window_count; window++) {
		double inside_ns = fmin(to_ns, (window + 1) * each_ns) -
				   fmax(from_ns, window * each_ns);
		flow->counts[(size_t)window] += part->of[rate] * inside_ns / taken_ns;
	}
}

/* Returns false if there are too few windows or requests. Does not fill the counts. */
static bool shape_flow(const struct res_outcome *outcome, const struct rates *rates,
		       struct res_flow *ret)
{
	struct stays stays;

	if (rates->count < RES_MEAN_REQUESTS_MIN || outcome->start_ns == RES_NO_TIME ||
	    !stays_of(rates, &stays))
		return false;
	double length_ns = (double)(stays.last_ns - outcome->start_ns);
	double drained_ns = (double)(outcome->end_ns - stays.last_ns);
	double fit = floor(length_ns / (2 * stays.mean_ns));
	/* NaN: nothing took any time */
	if (!(fit >= RES_WINDOWS_MIN))
		return false;
	*ret = (struct res_flow){
		.window_count = (unsigned)fmin(fit, RES_WINDOWS_MAX),
		.windows_s = res_seconds(outcome->start_ns, stays.last_ns),
		.duration_s = res_seconds(outcome->start_ns, outcome->end_ns),
		.end_s = fmax(stays.deviation_ns, fabs(drained_ns - stays.mean_ns) / 2) / 1e9,
	};
	return true;
}

static void fill_flow(const struct res_outcome *outcome, const struct rates *rates, enum rate rate,
		      struct res_flow *flow)
{
	double each_ns = flow->windows_s * 1e9 / flow->window_count;

	for (size_t i = 0; i < flow->window_count; i++)
		flow->counts[i] = 0;
	for (size_t i = 0; i < rates->count; i++)
		add_part(&rates->parts[i], rate, outcome->start_ns, each_ns, flow);
}

void res_rates_write(const struct res_outcome *outcome, const struct res_how *how,
		     double duration_s, json_t *into)
{
	struct rates rates = { .count = 0 };
	struct exp_slo slo = how->slo;
	struct res_flow flow;
	struct res_interval interval;

	/* limits of tokens do not apply to requests without any */
	bool pools = res_outcome_pools(outcome);
	if (pools)
		slo.ttft_ms = slo.tpot_ms = NAN;
	for (size_t i = 0; i < outcome->count; i++) {
		if (!outcome->records[i].ok)
			continue;
		struct part part = part_of(&outcome->records[i], &slo);
		for (size_t k = 0; k < RATE_COUNT; k++)
			rates.sums[k] += part.of[k];
		*PL_PUSH(rates.parts, rates.count, rates.room) = part;
	}
	if (!has_limits(&slo))
		rates.sums[RATE_GOOD] = NAN;
	bool has_windows = shape_flow(outcome, &rates, &flow);
	for (enum rate rate = 0; rate < RATE_COUNT; rate++) {
		auto_free char *name = pl_asprintf("%s_ci95", keys[rate]);
		double x = duration_s > 0 ? rates.sums[rate] / duration_s : NAN;
		/* without a completed request the sums do not show the kind */
		if (rate == (pools ? RATE_OUTPUT : RATE_SEQUENCES))
			x = NAN;
		bool is_known = has_windows && !isnan(x);
		if (is_known)
			fill_flow(outcome, &rates, rate, &flow);
		is_known = is_known && res_interval_of_rate(&flow, x, &interval);
		json_object_set_new(into, keys[rate], pl_json_number(x));
		json_object_set_new(into, name,
				    is_known ? json_pack("[f, f]", interval.low, interval.high)
					     : json_null());
	}
	free(rates.parts);
}
