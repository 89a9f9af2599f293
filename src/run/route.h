/*
 * The route of all requests to the server, measured or not: its address, path and protocol, and the source addresses.
 */
#pragma once

#include "bench/load/load.h"
#include "run/target.h"

struct run_context;
struct run_launch;

/* benchmark.vllm_metrics: the releases whose clients count chunks of chats differently. */
#define RUN_METRICS_0_32 "0.32" /* every event with choices */
#define RUN_METRICS_0_33 "0.33" /* events with output */

struct run_route {
	const struct bench_adapter *adapter; /* NULL: only a separate client program supports it */
	struct run_target target;
	struct io_addr *sources; /* [source_count] of benchmark.source_addresses */
	size_t source_count;
	char *endpoint;    /* path, including the target's prefix */
	bool delayed_acks; /* run_route_learn_acks() */
	const char *
		vllm_metrics; /* run_route_learn_metrics(); NULL: not a chat, so releases do not differ */
};

int run_route_open(const struct run_context *run, const struct run_launch *launch,
		   struct run_route *ret, struct pl_err *err) PL_MUST_CHECK;
void run_route_done(struct run_route *route);

/* Returns a load on this route, with everything set except requests and limits. */
struct bench_load run_route_load(const struct run_context *run, const struct run_route *route);
/* Returns the rule of a release; of the reference release for NULL, an unreadable one or 0.1.devN. */
const char *run_metrics_rule(const char *release);
/*
 * Determines which release's client the vLLM-named metrics of a chat follow: "0.32" or "0.33", as requested, else by
 * `release` ("0.33.0+cpu"; NULL or unreadable: the reference).
 */
void run_route_learn_metrics(const struct run_context *run, const char *release,
			     struct run_route *route);
/*
 * Determines whether loads may delay acknowledgements: if the server does not mind, and immediate ones were not
 * requested. Queries the server, which must be running.
 */
void run_route_learn_acks(const struct run_context *run, struct run_route *route);
