/*
 * The server of a sweep's combination: started when it is needed, asked whether it is ready, its caches
 * emptied between runs, stopped with all that it started.
 */
#pragma once

#include "run/target.h"
#include "sweep/vllm/child.h"

struct sweep_vllm_server {
	const json_t *command; /* with the combination's parameters */
	const char *log_path;
	const json_t *after_command; /* NULL: caches are emptied by its own requests */
	const char *after_log_path;
	int64_t ready_timeout_ns;
	int64_t stop_timeout_ns;
	bool show;
	const struct run_stop *stop;

	struct sweep_vllm_child child; /* the rest is the server's own */
	struct run_target target;
	struct host_guard *guard;
	char mark[32];
	bool is_up;
};

/* How its caches are emptied; -1: it is not known, and an --after-bench-cmd has to say. */
int sweep_vllm_server_check(const json_t *command, struct pl_err *err) PL_MUST_CHECK;

/* Is it up? One that has ended meanwhile is none, and is cleared away. */
bool sweep_vllm_server_is_up(struct sweep_vllm_server *server);
/* Starts it and waits until GET /health is 200. -1: LAUNCH, TIMEOUT, BUSY, INTERRUPTED; nothing runs. */
int sweep_vllm_server_start(struct sweep_vllm_server *server, struct pl_err *err) PL_MUST_CHECK;
/* Behind a run. -1: a cache was not emptied, or the command failed. */
int sweep_vllm_server_reset(struct sweep_vllm_server *server, struct pl_err *err) PL_MUST_CHECK;
/* Whether it is up or not. */
void sweep_vllm_server_stop(struct sweep_vllm_server *server);
