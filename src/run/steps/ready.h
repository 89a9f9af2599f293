/*
 * Waiting for a server: until it says that it is well, then until it has answered a test request.
 */
#pragma once

struct run_context;
struct run_identity;
struct run_route;
struct run_server;
struct run_target;

/* Turns `target` to the one of its addresses that answers. */
int run_ready_wait(const struct run_context *run, struct run_target *target,
		   struct run_server *server);
/* Sends one request until it is answered. */
int run_ready_request(const struct run_context *run, const struct run_identity *identity,
		      const struct run_route *route, struct run_server *server);
