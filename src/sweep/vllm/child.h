/*
 * A command of a sweep as a child of ours: its output in a log, and on the terminal where that is
 * wanted.
 */
#pragma once

#include "base/json.h"
#include "host/proc/process.h"
#include "run/stop.h"

#include <stdio.h>

struct sweep_vllm_child {
	const json_t *command; /* words */
	const char *log_path;
	const char *mark;         /* PROFLLM_RUN of it; NULL: none */
	bool show;                /* its output goes to standard output too */
	bool is_server;           /* it is allowed to empty its caches */
	struct host_guard *guard; /* NULL: a child of our own */
	int64_t stop_timeout_ns;
	const struct run_stop *stop;

	struct host_process *process; /* the rest is the child's own */
	FILE *shown;
};

/* Starts it. -1: NOT_FOUND, LAUNCH, IO. */
int sweep_vllm_child_start(struct sweep_vllm_child *child, struct pl_err *err) PL_MUST_CHECK;
/* Shows what has come, and waits at most so long. True: it has ended. */
bool sweep_vllm_child_wait(struct sweep_vllm_child *child, int64_t timeout_ns);
/* SIGTERM, a deadline, SIGKILL; frees what it holds. For one that never started too. */
void sweep_vllm_child_end(struct sweep_vllm_child *child);
/*
 * To its end, or to a wish to stop, which ends it. -1: FAILED, with how it ended and the last of its
 * log, or INTERRUPTED.
 */
int sweep_vllm_child_run(struct sweep_vllm_child *child, struct pl_err *err) PL_MUST_CHECK;
/* Puts ": " and the last line of the log that has a word in it behind what err says. */
void sweep_vllm_child_tell(const struct sweep_vllm_child *child, struct pl_err *err);
