/*
 * The latency histograms of a server's /metrics, summed over its engines. Each counts the requests of all clients.
 *
 *	arrival ──> queue ──> scheduled ──> first token ──> last token
 *	(front end)           |── prefill ──|──── decode ────|
 *	|──────────── ttft (to the front end) ─────────|  …  | e2el
 *
 * The engine measures queue, prefill, decode and inference (prefill and decode). The front end measures the other two,
 * until it has processed the token.
 */
#pragma once

#include "base/buckets.h"

enum host_latency {
	HOST_LATENCY_TTFT,
	HOST_LATENCY_E2EL,
	HOST_LATENCY_QUEUE,
	HOST_LATENCY_PREFILL,
	HOST_LATENCY_DECODE,
	HOST_LATENCY_INFERENCE,
	HOST_LATENCY_COUNT,
};

struct host_latencies {
	struct pl_buckets of[HOST_LATENCY_COUNT]; /* seconds */
	bool known[HOST_LATENCY_COUNT];           /* the page has it */
};

/* Parses a /metrics page; a malformed one has none. */
void host_latencies_parse(const char *text, size_t len, struct host_latencies *ret);
