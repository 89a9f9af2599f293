/*
 * The server of a sweep's combination: started when needed, polled until it is ready, its caches emptied between runs,
 * stopped with all its processes.
 */
#pragma once

#include "run/target.h"
#include "sweep/vllm/child.h"

struct sweep_vllm_server {
	const json_t *command; /* with the combination's parameters */
	const char *log_path;
	const json_t *after_command; /* NULL: empty caches with the server's requests */
	const char *after_log_path;
	int64_t ready_timeout_ns;
	int64_t stop_timeout_ns;
	bool show;
	const struct run_stop *stop;

	struct sweep_vllm_child child; /* from here on internal */
	struct run_target target;
	struct host_guard *guard;
	char mark[32];
	bool is_up;
};

/* Checks that its caches can be emptied; -1: unknown, so --after-bench-cmd is required. */
int sweep_vllm_server_check(const json_t *command, struct pl_err *err) PL_MUST_CHECK;

/* Returns whether it is running. If it has ended, cleans up. */
bool sweep_vllm_server_is_up(struct sweep_vllm_server *server);
/* Starts it and waits until GET /health returns 200. On -1 (LAUNCH, TIMEOUT, BUSY, INTERRUPTED) nothing is running. */
int sweep_vllm_server_start(struct sweep_vllm_server *server, struct pl_err *err) PL_MUST_CHECK;
/* Call it after a run. Returns -1 if a cache was not emptied, or the command failed. */
int sweep_vllm_server_reset(struct sweep_vllm_server *server, struct pl_err *err) PL_MUST_CHECK;
/* Stops it, if it is running. */
void sweep_vllm_server_stop(struct sweep_vllm_server *server);
