/*
 * What a load says of the run: did the server live through it, and did enough requests finish?
 */
#pragma once

#include <stddef.h>

struct res_outcome;
struct run_context;
struct run_server;
struct run_target;

/*
 * Requests broke off: did the server? Connections are closed, and requests answered with 500, some
 * time before the process that does so is gone. -1: it is dead, and the run with it.
 */
int run_judge_server(const struct run_context *run, const struct run_target *target,
		     struct run_server *server, const struct res_outcome *outcome);
/* The same, and the run's status by how many of `count` requests completed. */
int run_judge(const struct run_context *run, const struct run_target *target,
	      struct run_server *server, const struct res_outcome *outcome, size_t completed,
	      size_t count);
