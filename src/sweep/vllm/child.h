/* A command of a sweep as a child process: its output goes to a log, and optionally to the terminal. */
#pragma once

#include "base/json.h"
#include "host/proc/process.h"
#include "run/stop.h"

#include <stdio.h>

struct sweep_vllm_child {
	const json_t *command; /* words */
	const char *log_path;
	const char *mark;         /* its PROFLLM_RUN; NULL: none */
	bool show;                /* also copies its output to standard output */
	bool is_server;           /* allows it to empty its caches */
	struct host_guard *guard; /* NULL: started by this process */
	int64_t stop_timeout_ns;
	const struct run_stop *stop;

	struct host_process *process; /* from here on internal */
	FILE *shown;
};

/* Starts it. -1: NOT_FOUND, LAUNCH, IO. */
int sweep_vllm_child_start(struct sweep_vllm_child *child, struct pl_err *err) PL_MUST_CHECK;
/* Shows new output, and waits at most timeout_ns. Returns true if it has ended. */
bool sweep_vllm_child_wait(struct sweep_vllm_child *child, int64_t timeout_ns);
/* Sends SIGTERM, after a deadline SIGKILL; frees its resources. Also for one that never started. */
void sweep_vllm_child_end(struct sweep_vllm_child *child);
/*
 * Waits for its end, or for a stop request, which ends it. Returns -1 with FAILED, how it ended and the last line of
 * its log, or with INTERRUPTED.
 */
int sweep_vllm_child_run(struct sweep_vllm_child *child, struct pl_err *err) PL_MUST_CHECK;
/* Appends ": " and the last log line with a word in it to the error message. */
void sweep_vllm_child_report(const struct sweep_vllm_child *child, struct pl_err *err);
