/*
 * The way of requests to the server, measured or not: its address, the path, the protocol, and the
 * addresses that they come from.
 */
#pragma once

#include "bench/load/load.h"
#include "run/target.h"

struct run_context;
struct run_launch;

struct run_route {
	const struct bench_adapter *adapter; /* NULL: only another program's client speaks it */
	struct run_target target;
	struct io_addr *sources; /* [source_count] of benchmark.source_addresses */
	size_t source_count;
	char *endpoint;    /* path, the target's prefix included */
	bool delayed_acks; /* run_route_learn_acks() */
};

int run_route_open(const struct run_context *run, const struct run_launch *launch,
		   struct run_route *ret, struct pl_err *err) PL_MUST_CHECK;
void run_route_done(struct run_route *route);

/* A load on this way, everything but requests and limits filled in. */
struct bench_load run_route_load(const struct run_context *run, const struct run_route *route);
/*
 * Whether the loads to come let acknowledgements wait: where the server does not mind, and nobody
 * asked for them at once. Asks the server, which therefore has to be there.
 */
void run_route_learn_acks(const struct run_context *run, struct run_route *route);
