/* Evaluates a load: whether the server survived it, and whether enough requests completed. */
#pragma once

#include <stddef.h>

struct res_outcome;
struct run_context;
struct run_server;
struct run_target;

/*
 * Checks the server after aborted requests: connections close, or requests get status 500, some time before the process
 * ends. Returns -1 if it is dead, which ends the run.
 */
int run_judge_server(const struct run_context *run, const struct run_target *target,
		     struct run_server *server, const struct res_outcome *outcome);
/* The same, and sets the run's status by how many of `count` requests completed. */
int run_judge(const struct run_context *run, const struct run_target *target,
	      struct run_server *server, const struct res_outcome *outcome, size_t completed,
	      size_t count);
