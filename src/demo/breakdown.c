/*
 * `results.latency_breakdown` of a synthetic run: as for a server on the same host that counted the same requests, so
 * the parts of the engine are exact and only the rest has limits.
 */
#include <stddef.h>
#include <stdio.h>

#include "base/text.h"
#include "demo/history_priv.h"

#define SEND_MS           0.04
#define ROUND_TRIP_MS     0.03
#define CONNECT_MS        0.05   /* longest transfer on the same host */
#define HTTP_MS           0.9    /* of the front end */
#define TOKENIZE_MS       0.0011 /* per token */
#define DETOKENIZE_MS     0.002
#define FRONT_END_MOST    0.3 /* of the time outside of queue and decode */
#define CLIENT_ERROR      0.0004
#define KEY_BYTES_MAX     40
#define P99_WIDTHS        2.326
#define MILLISECONDS_OF_S 1e3

/* Upper bounds of vLLM's histograms, in seconds. */
static const double first_bounds[] = { 0.001, 0.005, 0.01, 0.02, 0.04, 0.06, 0.08, 0.1,
				       0.25,  0.5,   0.75, 1.0,  2.5,  5.0,  7.5,  10.0,
				       20.0,  40.0,  80.0, 160,  640,  2560 };
static const double whole_bounds[] = { 0.3, 0.5, 0.8, 1,  1.5, 2,   2.5, 5,   10,   15,  20,
				       30,  40,  50,  60, 120, 240, 480, 960, 1920, 7680 };

/* Means in milliseconds. */
struct means {
	double ttft, e2el;
	double front_end; /* before the first token */
	double detokenizing;
	double queue, prefill, decode;
};

static double number_at(const json_t *results, const char *key)
{
	return json_number_value(json_object_get(results, key));
}

/* The means of TTFT and E2EL are those of the results, and everything else is a share of them. */
static struct means means_of(const struct demo_figures *figures, const json_t *results)
{
	struct means means = { .ttft = number_at(results, "mean_ttft_ms"),
			       .e2el = number_at(results, "mean_e2el_ms") };
	double work = means.ttft * (1 - figures->queue_ms / figures->ttft_ms);
	double decode = means.e2el - means.ttft;

	means.queue = means.ttft - work;
	means.front_end = fmin(HTTP_MS + TOKENIZE_MS * figures->input, FRONT_END_MOST * work);
	means.prefill = work - means.front_end - fmin(SEND_MS + CONNECT_MS, 0.1 * work);
	means.detokenizing = fmin(DETOKENIZE_MS * figures->output, 0.1 * decode);
	means.decode = decode - means.detokenizing;
	return means;
}

static void set_limits(json_t *split, const char *part, double low_ms, double high_ms,
		       double *unattributed_ms)
{
	char key[KEY_BYTES_MAX];

	snprintf(key, sizeof(key), "%s_low_ms", part);
	json_object_set_new(split, key, json_real(low_ms));
	snprintf(key, sizeof(key), "%s_high_ms", part);
	json_object_set_new(split, key, json_real(high_ms));
	*unattributed_ms -= low_ms;
}

/* is_whole: E2EL; else TTFT, which has no decode. */
static void set_split(json_t *split, const struct means *means, bool is_whole)
{
	double total_ms = is_whole ? means->e2el : means->ttft;
	double decode_ms = is_whole ? means->decode : 0;
	double rest = total_ms;
	double error = CLIENT_ERROR * total_ms;
	double engine = means->queue + means->prefill + decode_ms;
	double outside = total_ms - engine;
	/* a run that takes microseconds has no room for more */
	double send = fmin(SEND_MS, outside / 4);
	double least = fmin(ROUND_TRIP_MS, outside / 4), most = fmin(CONNECT_MS, outside / 2);

	json_object_set_new(split, "total_ms", json_real(total_ms));
	set_limits(split, "client", send, send + error, &rest);
	set_limits(split, "network", least, most, &rest);
	set_limits(split, "front_end", fmax(outside - send - most - error, 0),
		   outside - send - least, &rest);
	set_limits(split, "queue", means->queue, means->queue, &rest);
	set_limits(split, "prefill", means->prefill, means->prefill, &rest);
	if (is_whole)
		set_limits(split, "decode", decode_ms, decode_ms, &rest);
	json_object_set_new(split, "unattributed_ms", json_real(fmax(rest, 0)));
}

/* Sets the limits of the bucket that a quantile is in. */
static void set_bucket(json_t *latency, const char *quantile, double ms, const double *bounds,
		       size_t count)
{
	char key[KEY_BYTES_MAX];
	size_t i = 0;

	while (i < count - 1 && bounds[i] * MILLISECONDS_OF_S < ms)
		i++;
	snprintf(key, sizeof(key), "%s_low_ms", quantile);
	json_object_set_new(latency, key,
			    json_real(i == 0 ? 0 : bounds[i - 1] * MILLISECONDS_OF_S));
	snprintf(key, sizeof(key), "%s_high_ms", quantile);
	json_object_set_new(latency, key, json_real(bounds[i] * MILLISECONDS_OF_S));
}

/* width: of the logarithm of the latency. */
static void set_latency(json_t *server, const char *key, double mean_ms, double width, double count)
{
	json_t *latency = json_object_get(server, key);
	double median = mean_ms / exp(width * width / 2);
	bool is_first = pl_text_equal(key, "ttft");
	const double *bounds = is_first ? first_bounds : whole_bounds;
	size_t size = is_first ? PL_ARRAY_SIZE(first_bounds) : PL_ARRAY_SIZE(whole_bounds);

	json_object_set_new(latency, "count", json_integer((json_int_t)count));
	json_object_set_new(latency, "mean_ms", json_real(mean_ms));
	set_bucket(latency, "median", median, bounds, size);
	set_bucket(latency, "p99", median * exp(width * P99_WIDTHS), bounds, size);
}

json_t *demo_breakdown(const struct demo_figures *figures, const json_t *results)
{
	json_t *json = res_document_empty("latency_breakdown");
	json_t *server = json_object_get(json, "server");
	double width = figures->spread, count = figures->completed;

	if (count <= 0) {
		json_object_update_new(json, json_pack("{s:s, s:s, s:i, s:b, s:b}", "state", "none",
						       "reason", "no_requests", "requests", 0,
						       "busy_before", 0, "same_host", 1));
		return json;
	}
	const struct means means = means_of(figures, results);
	double first = means.front_end + means.queue + means.prefill;
	json_object_update_new(json, json_pack("{s:s, s:n, s:s, s:I, s:b, s:b, s:f}", "state",
					       "exact", "reason", "source", "histograms",
					       "requests", (json_int_t)count, "busy_before", 0,
					       "same_host", 1, "round_trip_ms", ROUND_TRIP_MS));
	set_split(json_object_get(json, "ttft"), &means, false);
	set_split(json_object_get(json, "e2el"), &means, true);
	set_latency(server, "ttft", first, width * 1.5, count);
	set_latency(server, "e2el", first + means.decode + means.detokenizing, width / 2, count);
	set_latency(server, "queue", means.queue, width * 1.5, count);
	set_latency(server, "prefill", means.prefill, width, count);
	set_latency(server, "decode", means.decode, width / 2, count);
	set_latency(server, "inference", means.prefill + means.decode, width / 2, count);
	return json;
}
