/*
 * The mark that every process of a run carries in its environment, PROFLLM_RUN=run_id: how
 * descendants are found that left their session, and how it is proven that none is left.
 */
#pragma once

#include "base/mem.h"
#include "host/proc/stat.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#define HOST_MARK_NAME "PROFLLM_RUN"
/* Beside the mark where a process of the run is none of the server's: vLLM's client. */
#define HOST_MARK_APART_NAME "PROFLLM_APART"

/* False where its environment cannot be read: another user's, or ended. */
bool host_mark_is_on(pid_t pid, const char *run_id);
/* The same, but for processes of the run that are none of the server's. */
bool host_mark_is_on_server(pid_t pid, const char *run_id);
/* Processes alive that carry the mark, descend from one or are in its session; not ourselves. */
size_t host_mark_count(const char *run_id);
/* SIGKILL to all of them, again until none is left or timeout_ns passed; returns how many are
 * left. */
size_t host_mark_kill(const char *run_id, int64_t timeout_ns);

struct host_mark_killing {
	size_t killed; /* found by the first look */
	size_t left;
};
/* Heads of the run, each the leader of a session; of these only pid and start_ticks are read. */
struct host_mark_heads {
	const struct host_proc *list;
	size_t count;
};

#define HOST_MARK_ANYBODY ((uid_t)-1)

/*
 * As host_mark_kill(), but only what runs as `owner`; and what is still in a session of `heads`,
 * which may be dead, and has wiped its environment.
 */
struct host_mark_killing host_mark_kill_of(const char *run_id, uid_t owner,
					   const struct host_mark_heads *heads, int64_t timeout_ns);
