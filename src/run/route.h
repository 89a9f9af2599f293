/*
 * The way of requests to the server, measured or not: its address, the path, the protocol, and the
 * addresses that they come from.
 */
#pragma once

#include "bench/load/load.h"
#include "run/target.h"

struct run_context;
struct run_launch;

/* benchmark.vllm_metrics: the releases whose client counts chunks of chats in another way. */
#define RUN_METRICS_0_32 "0.32" /* every event with choices */
#define RUN_METRICS_0_33 "0.33" /* events with output */

struct run_route {
	const struct bench_adapter *adapter; /* NULL: only another program's client speaks it */
	struct run_target target;
	struct io_addr *sources; /* [source_count] of benchmark.source_addresses */
	size_t source_count;
	char *endpoint;    /* path, the target's prefix included */
	bool delayed_acks; /* run_route_learn_acks() */
	const char *
		vllm_metrics; /* run_route_learn_metrics(); NULL: no chat, where releases do not differ */
};

int run_route_open(const struct run_context *run, const struct run_launch *launch,
		   struct run_route *ret, struct pl_err *err) PL_MUST_CHECK;
void run_route_done(struct run_route *route);

/* A load on this way, everything but requests and limits filled in. */
struct bench_load run_route_load(const struct run_context *run, const struct run_route *route);
/* The rule of a release; NULL, unreadable or 0.1.devN: the reference's. */
const char *run_metrics_rule(const char *release);
/*
 * Learns which release's client the vLLM-named metrics of a chat follow: "0.32" or "0.33", as asked, else by
 * `release` ("0.33.0+cpu"; NULL or unreadable: the reference).
 */
void run_route_learn_metrics(const struct run_context *run, const char *release,
			     struct run_route *route);
/*
 * Whether the loads to come let acknowledgements wait: where the server does not mind, and nobody
 * asked for them at once. Asks the server, which therefore has to be there.
 */
void run_route_learn_acks(const struct run_context *run, struct run_route *route);
