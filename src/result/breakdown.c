#include "result/breakdown.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

#include "base/text.h"
#include "result/document.h"
#include "result/timing.h"

/* Clocks and rounding may differ by this much; beyond, both sides contradict each other. */
#define TOLERANCE_MS 1.0
#define MS_PER_S     1e3
#define NS_PER_MS    1e6

enum part {
#define PART(id, key, title, text) PART_##id,
#include "tbl/breakdown.h"
	PART_COUNT
};

static const char *const part_keys[] = {
#define PART(id, key, title, text) #key,
#include "tbl/breakdown.h"
};

static const char *const latency_keys[] = {
#define SERVER_LATENCY(id, key, title, text) #key,
#include "tbl/breakdown.h"
};

enum reason {
#define REASON(id, name, state, text) REASON_##id,
#include "tbl/breakdown.h"
	REASON_COUNT /* none: the parts are exact */
};

enum state { STATE_BOUNDED, STATE_NONE, STATE_EXACT };

static const char *const state_names[] = { "bounded", "none", "exact" };

static const struct {
	const char *name;
	enum state state;
	const char *text;
} reasons[] = {
#define REASON(id, name, state, text) { #name, STATE_##state, text },
#include "tbl/breakdown.h"
	{ NULL, STATE_EXACT, NULL },
};

/* Means over the requests that completed, in milliseconds; NaN: unknown. */
struct client {
	double count;          /* completed requests */
	double streamed;       /* of these, with a chunk */
	double send_ms;        /* start to the last byte of the request, without the handshake */
	double handshake_ms;   /* until connected, and while the peer took no data */
	double round_trips_ms; /* of this, what the network takes at least */
	double queue_ms;       /* by the server, of each request */
	double prefill_ms;
	double decode_ms;
};

/* fmax() would take 0 for NaN. */
static double reported_ms(double seconds)
{
	return seconds < 0 ? 0 : seconds * MS_PER_S;
}

static struct client client_of(const struct res_outcome *outcome)
{
	struct client client = { 0 };
	double round_trip_ms = (double)outcome->min_round_trip_ns / NS_PER_MS;

	for (size_t i = 0; i < outcome->count; i++) {
		const struct res_record *record = &outcome->records[i];
		if (!record->ok)
			continue;
		struct res_timing timing = res_timing_of(record);
		double handshake_ms = record->handshake_ns > 0
					      ? (double)record->handshake_ns / NS_PER_MS
					      : 0;
		bool is_sent = record->sent_ns != RES_NO_TIME;
		client.count++;
		client.streamed += !isnan(timing.ttft_s);
		client.handshake_ms += handshake_ms;
		if (record->connected_ns != RES_NO_TIME)
			client.round_trips_ms += fmin(handshake_ms, round_trip_ms);
		client.send_ms += is_sent ? fmax((double)(record->sent_ns - record->acted_ns) /
								 NS_PER_MS -
							 handshake_ms,
						 0)
					  : NAN;
		client.queue_ms += reported_ms(record->server_queue_s);
		client.prefill_ms += reported_ms(record->server_ttft_s);
		client.decode_ms += reported_ms(record->server_decode_s);
	}
	client.send_ms /= client.count;
	client.handshake_ms /= client.count;
	client.round_trips_ms /= client.count;
	client.queue_ms /= client.count;
	client.prefill_ms /= client.count;
	client.decode_ms /= client.count;
	return client;
}

/* Returns whether the server reported its times with each request. */
static bool is_reported(const struct client *client)
{
	return !isnan(client->queue_ms) && !isnan(client->prefill_ms);
}

static struct pl_range range(double low, double high)
{
	return (struct pl_range){ low, high };
}

static struct pl_range exactly(double value)
{
	return range(value, value);
}

static const struct pl_range unknown = { 0, INFINITY };

static struct pl_range minus(struct pl_range a, struct pl_range b)
{
	return range(a.low - b.high, a.high - b.low);
}

static struct pl_range plus(struct pl_range a, struct pl_range b)
{
	return range(a.low + b.low, a.high + b.high);
}

static struct pl_range not_negative(struct pl_range a)
{
	return range(fmax(a.low, 0), fmax(a.high, 0));
}

/*
 * Returns limits of the mean of `count` requests, which are among those that the server counted; the exact mean if it
 * counted no others. Sets *reason if it did.
 */
static struct pl_range mean_of(const struct res_breakdown_facts *facts, enum res_server_latency id,
			       double count, enum reason *reason)
{
	const struct pl_buckets *latency = &facts->latency[id];

	if (!facts->known[id])
		return unknown;
	if (latency->count < count) {
		*reason = REASON_COUNTED_LESS;
		return unknown;
	}
	if (latency->count > count && *reason == REASON_COUNT)
		*reason = REASON_COUNTED_MORE;
	struct pl_range sum = pl_buckets_subset(latency, count);
	return range(sum.low / count * MS_PER_S, sum.high / count * MS_PER_S);
}

/* One latency of the client and its parts. */
struct split {
	double total_ms;
	struct pl_range error;  /* what the client may have changed of it */
	struct pl_range server; /* the same latency by the server's front end */
	struct pl_range parts[PART_COUNT];
};

/* Splits the time outside of the engine. False: the times contradict each other. */
static bool split_rest(const struct client *client, double round_trip_ms, bool is_local,
		       struct split *split)
{
	struct pl_range *parts = split->parts;
	struct pl_range engine = plus(plus(parts[PART_QUEUE], parts[PART_PREFILL]),
				      parts[PART_DECODE]);
	struct pl_range after_sending = plus(exactly(split->total_ms), split->error);

	/* another client's sending is not known */
	if (!isnan(client->send_ms)) {
		parts[PART_CLIENT] = range(client->send_ms, client->send_ms - split->error.low);
		after_sending = minus(after_sending, exactly(client->send_ms));
	}
	/* network and front end together; the network alone is outside of the front end's own time */
	struct pl_range rest = minus(after_sending, engine);
	struct pl_range outside = minus(after_sending, split->server);
	struct pl_range inside = minus(split->server, engine);
	/*
	 * The server's times lie between the client's. A clock that was set meanwhile leaves
	 * sums below zero or above the total.
	 */
	if (engine.low < -TOLERANCE_MS || engine.low > split->total_ms + TOLERANCE_MS ||
	    split->server.low < -TOLERANCE_MS || split->server.low > split->total_ms + TOLERANCE_MS)
		return false;
	if (rest.high < -TOLERANCE_MS || outside.high < -TOLERANCE_MS ||
	    inside.high < -TOLERANCE_MS)
		return false;
	rest = not_negative(rest);
	double most = fmin(not_negative(outside).high, rest.high);
	double least = fmin(client->round_trips_ms + round_trip_ms, most);
	if (is_local)
		most = fmin(client->handshake_ms + round_trip_ms, most);
	parts[PART_NETWORK] = range(least, most);
	parts[PART_FRONT_END] = range(fmax(fmax(rest.low - most, inside.low), 0),
				      fmax(rest.high - least, 0));
	if (isnan(client->send_ms))
		parts[PART_CLIENT] = range(0, fmax(rest.high - least, 0));
	return true;
}

static void set_ms(json_t *json, const char *key, const char *end, double ms)
{
	auto_free char *name = pl_asprintf("%s%s", key, end);

	json_object_set_new(json, name, pl_json_number(isfinite(ms) ? ms : NAN));
}

/* Rounds to 10^-9 ms, so that what cancels out is 0 and not a rest of the calculation. */
static double rounded(double ms)
{
	return round(ms * 1e9) / 1e9;
}

static void write_split(const struct split *split, size_t part_count, json_t *json)
{
	double unattributed_ms = split->total_ms;

	set_ms(json, "total", "_ms", split->total_ms);
	for (size_t i = 0; i < part_count; i++) {
		set_ms(json, part_keys[i], "_low_ms", rounded(split->parts[i].low));
		set_ms(json, part_keys[i], "_high_ms", rounded(split->parts[i].high));
		unattributed_ms -= split->parts[i].low;
	}
	set_ms(json, "unattributed", "_ms", fmax(rounded(unattributed_ms), 0));
}

static void write_latency(const struct pl_buckets *latency, json_t *json)
{
	static const struct {
		const char *key;
		double share;
	} quantiles[] = { { "median", 0.5 }, { "p99", 0.99 } };

	json_object_set_new(json, "count", pl_json_count(latency->count));
	set_ms(json, "mean", "_ms",
	       latency->count > 0 ? latency->sum / latency->count * MS_PER_S : NAN);
	for (size_t i = 0; i < PL_ARRAY_SIZE(quantiles); i++) {
		struct pl_range limits = pl_buckets_quantile(latency, quantiles[i].share);
		set_ms(json, quantiles[i].key, "_low_ms", limits.low * MS_PER_S);
		set_ms(json, quantiles[i].key, "_high_ms", limits.high * MS_PER_S);
	}
}

static double number_at(const json_t *results, const char *key)
{
	const json_t *value = json_object_get(results, key);

	return json_is_number(value) ? json_number_value(value) : NAN;
}

/* Returns the client error bound of a metric; zero without one. */
static struct pl_range error_of(const json_t *results, const char *key)
{
	const json_t *bound = json_object_get(results, key);

	return range(json_number_value(json_array_get(bound, 0)),
		     json_number_value(json_array_get(bound, 1)));
}

/* Returns why the histograms cannot be used; REASON_COUNT: they can. */
static enum reason reason_of_facts(const struct client *client,
				   const struct res_breakdown_facts *facts)
{
	bool has_parts = facts->known[RES_SERVER_QUEUE] && facts->known[RES_SERVER_PREFILL];

	return client->count <= 0     ? REASON_NO_REQUESTS
	       : !facts->has_pages    ? REASON_NO_PAGE
	       : facts->is_restarted  ? REASON_RESTARTED
	       : !has_parts           ? REASON_NO_HISTOGRAMS
	       : facts->has_choices   ? REASON_CHOICES
	       : facts->is_busy_after ? REASON_NOT_SETTLED
				      : REASON_COUNT;
}

/* Returns the state; the reason is updated. */
static enum state add_splits(const struct res_outcome *outcome, const struct client *client,
			     const json_t *results, const struct res_breakdown_facts *facts,
			     enum reason *reason, json_t *json)
{
	struct split ttft = { .total_ms = number_at(results, "mean_ttft_ms"),
			      .error = error_of(results, "mean_ttft_ms_client_error") };
	struct split e2el = { .total_ms = number_at(results, "mean_e2el_ms"),
			      .error = error_of(results, "mean_e2el_ms_client_error") };
	double round_trip_ms = (double)outcome->min_round_trip_ns / NS_PER_MS;
	/* the server's own times of each request need no counts */
	bool is_own = is_reported(client);
	struct res_breakdown_facts usable = *facts;

	for (size_t i = 0; i < RES_SERVER_COUNT && *reason != REASON_COUNT; i++)
		usable.known[i] = false;
	ttft.parts[PART_QUEUE] = is_own ? exactly(client->queue_ms)
					: mean_of(&usable, RES_SERVER_QUEUE, client->count, reason);
	ttft.parts[PART_PREFILL] = is_own ? exactly(client->prefill_ms)
					  : mean_of(&usable, RES_SERVER_PREFILL, client->count,
						    reason);
	memcpy(e2el.parts, ttft.parts, sizeof(e2el.parts));
	e2el.parts[PART_DECODE] = is_own && !isnan(client->decode_ms)
					  ? exactly(client->decode_ms)
					  : mean_of(&usable, RES_SERVER_DECODE, client->count,
						    reason);
	ttft.server = mean_of(&usable, RES_SERVER_TTFT, client->count, reason);
	e2el.server = mean_of(&usable, RES_SERVER_E2EL, client->count, reason);
	if (reasons[*reason].state == STATE_NONE && !is_own)
		return STATE_NONE;
	bool has_ttft = client->streamed >= client->count && isfinite(ttft.total_ms);
	bool has_e2el = isfinite(e2el.total_ms) && isfinite(e2el.parts[PART_DECODE].high);
	if ((has_ttft && !split_rest(client, round_trip_ms, facts->is_local, &ttft)) ||
	    (has_e2el && !split_rest(client, round_trip_ms, facts->is_local, &e2el))) {
		*reason = REASON_CONTRADICTION;
		return STATE_NONE;
	}
	if (has_ttft)
		write_split(&ttft, PART_DECODE, json_object_get(json, "ttft"));
	if (has_e2el)
		write_split(&e2el, PART_COUNT, json_object_get(json, "e2el"));
	json_object_set_new(json, "source", json_string(is_own ? "requests" : "histograms"));
	return *reason == REASON_COUNT ? STATE_EXACT : STATE_BOUNDED;
}

json_t *res_breakdown(const struct res_outcome *outcome, const json_t *results,
		      const struct res_breakdown_facts *facts)
{
	json_t *json = res_document_empty("latency_breakdown");
	json_t *server = json_object_get(json, "server");
	struct client client = client_of(outcome);
	enum reason reason = reason_of_facts(&client, facts);
	enum state state = STATE_NONE;

	if (reason == REASON_COUNT || (client.count > 0 && is_reported(&client)))
		state = add_splits(outcome, &client, results, facts, &reason, json);
	/* what is known to be wrong is not recorded */
	bool is_usable = facts->has_pages && !facts->is_restarted && reason != REASON_CONTRADICTION;
	for (size_t i = 0; i < RES_SERVER_COUNT; i++) {
		if (is_usable && facts->known[i])
			write_latency(&facts->latency[i], json_object_get(server, latency_keys[i]));
	}
	json_object_set_new(json, "state", json_string(state_names[state]));
	json_object_set_new(json, "reason", pl_json_text(reasons[reason].name));
	json_object_set_new(json, "requests", pl_json_count(client.count));
	if (facts->has_pages)
		json_object_set_new(json, "busy_before", json_boolean(facts->is_busy_before));
	json_object_set_new(json, "same_host", json_boolean(facts->is_local));
	if (outcome->min_round_trip_ns > 0)
		json_object_set_new(json, "round_trip_ms",
				    json_real((double)outcome->min_round_trip_ns / NS_PER_MS));
	return json;
}

const char *res_breakdown_reason_text(const char *name)
{
	for (size_t i = 0; i < REASON_COUNT && name != NULL; i++) {
		if (pl_text_equal(reasons[i].name, name))
			return reasons[i].text;
	}
	return NULL;
}
