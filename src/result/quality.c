/*
 * The verdict: rows of checks, each a value against a limit. A value that is not known (NaN) is
 * neither good nor bad and does not lower the verdict; the worst effect of those beyond their limit
 * is the verdict. Limits may be widened by what was measured, since an error of a millisecond
 * matters to a server that answers in ten and not to one that takes a minute.
 */
#include "result/quality.h"

#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#include "base/buf.h"
#include "base/text.h"
#include "experiment/values.h"

#define INFLIGHT_SAMPLES_MIN 5
#define P99_REQUESTS_MIN     100 /* below it schedule_lateness goes by p95 */

/* In order of severity. */
enum effect { INFO, DEGRADED, CLIENT_LIMITED };
enum sense { MOST, LEAST };
enum worse_kind { WORSE_NEVER, WORSE_ABOVE, WORSE_TIMES };

struct worse {
	enum worse_kind kind;
	double value;
};

struct check {
	const char *id;
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

static const char *const effect_names[] = { "info", "degraded", "client_limited" };
static const char *const verdict_names[] = { "trusted", "degraded", "client_limited" };

/* fmax() passes over NaN: an unknown latency leaves the base limit. */
static void widen(double *limit, double to)
{
	*limit = fmax(*limit, to);
}

/* An event that waited in the client looks like a gap between tokens: hence a tenth of one. */
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

static double value_rate_shortfall(const struct res_quality_facts *facts, double *limit)
{
	(void)limit;
	/* all sends planned at the start: there is no rate to fall short of */
	if (!(facts->schedule_finite > 0) || !(facts->planned_span_s > 0) ||
	    !(facts->actual_span_s > 0))
		return NAN;
	return facts->planned_span_s / facts->actual_span_s;
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

#define PLAIN(id, field)                                                               \
	static double value_##id(const struct res_quality_facts *facts, double *limit) \
	{                                                                              \
		(void)limit;                                                           \
		return facts->field;                                                   \
	}
PLAIN(cap_held_rate, cap_held_share)
PLAIN(client_cpu, worker_cpu_share_max)
PLAIN(host_steal, host_steal_share)
PLAIN(merged_events, merged_token_share)
PLAIN(token_source, tokens_by_events)
PLAIN(record_identity, record_identity_us)
PLAIN(littles_law, littles_law_share)
PLAIN(foreign_load, foreign_load)
PLAIN(throttling, throttled_share)
PLAIN(profiled, profiled)
PLAIN(server_restart, server_restarted)
PLAIN(preemptions, preemptions)
PLAIN(failures, failed)
PLAIN(finish_reasons, reasonless)
PLAIN(retries, retries)
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
#define TIMES(k)               \
	{                      \
		WORSE_TIMES, k \
	}
static const struct check checks[] = {
#define QUALITY(id, unit, sense, limit, effect, worse, worse_effect, text) \
	{ #id, unit, sense, limit, effect, worse, worse_effect, value_##id, text },
#include "tbl/quality.h"
#undef QUALITY
};

void res_quality_init(struct res_quality_facts *facts)
{
	/* each member but the percentiles is a double; so written that a new one is not
	 * forgotten */
	union {
		struct res_quality_facts facts;
		double numbers[offsetof(struct res_quality_facts, percentiles) / sizeof(double)];
	} unknown;

	for (size_t i = 0; i < PL_ARRAY_SIZE(unknown.numbers); i++)
		unknown.numbers[i] = NAN;
	*facts = unknown.facts;
	facts->percentiles = NULL;
	facts->percentile_count = 0;
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

static bool is_beyond(const struct check *check, double value, double limit)
{
	return check->sense == MOST ? value > limit : value < limit;
}

static enum effect effect_of(const struct check *check, double value, double limit)
{
	bool worse = (check->worse.kind == WORSE_ABOVE && value > check->worse.value) ||
		     (check->worse.kind == WORSE_TIMES && value >= check->worse.value * limit);

	return worse ? check->worse_effect : check->effect;
}

/* The row's text; for sample_size with the percentiles that the sample does not carry. */
static json_t *text_json(const struct check *check, const struct res_quality_facts *facts,
			 bool beyond)
{
	char number[PL_F64_TEXT_BYTES];
	const char *before = "; not carried: ";
	auto_buf buf = PL_BUF(1 << 16);

	if (!beyond || check->value != value_sample_size)
		return json_string(check->text);
	pl_buf_add_text(&buf, check->text);
	for (size_t i = 0; i < facts->percentile_count; i++) {
		double needed = res_quality_sample_needed(facts->percentiles[i]);
		if (!(needed > facts->completed) || !isfinite(needed))
			continue;
		exp_percentile_text(facts->percentiles[i], number);
		pl_buf_addf(&buf, "%sp%s (needs %.0f)", before, number, needed);
		before = ", ";
	}
	return json_string(pl_buf_text(&buf));
}

json_t *res_quality_evaluate(const struct res_quality_facts *facts)
{
	json_t *quality = json_object();
	json_t *list = json_array();
	enum effect verdict = INFO;

	for (size_t i = 0; i < PL_ARRAY_SIZE(checks); i++) {
		const struct check *check = &checks[i];
		double limit = check->limit;
		double value = check->value(facts, &limit);
		bool beyond = is_beyond(check, value, limit);
		enum effect effect = beyond ? effect_of(check, value, limit) : check->effect;
		const char *status = isnan(value) ? "unknown" : beyond ? "beyond" : "ok";
		json_t *row = json_object();

		json_object_set_new(row, "id", json_string(check->id));
		json_object_set_new(row, "status", json_string(status));
		json_object_set_new(row, "value", pl_json_number(value));
		json_object_set_new(row, "limit", pl_json_number(limit));
		json_object_set_new(row, "unit", json_string(check->unit));
		json_object_set_new(row, "effect", json_string(effect_names[effect]));
		json_object_set_new(row, "text", text_json(check, facts, beyond));
		json_array_append_new(list, row);
		/* effects stand in order of severity */
		if (beyond && effect > verdict)
			verdict = effect;
	}
	json_object_set_new(quality, "verdict",
			    facts->completed > 0 ? json_string(verdict_names[verdict])
						 : json_null());
	json_object_set_new(quality, "checks", list);
	return quality;
}
