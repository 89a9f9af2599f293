/* Waits for a server: until it reports that it is healthy, then until it has answered a test request. */
#pragma once

struct run_context;
struct run_identity;
struct run_route;
struct run_server;
struct run_target;

/* Switches `target` to the address that responds. */
int run_ready_wait(const struct run_context *run, struct run_target *target,
		   struct run_server *server);
/* Repeats a request until it succeeds. */
int run_ready_request(const struct run_context *run, const struct run_identity *identity,
		      const struct run_route *route, struct run_server *server);
