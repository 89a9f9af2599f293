/*
 * The mark in the environment of every process of a run, PROFLLM_RUN=run_id. It finds descendants
 * that left their session, and proves that none remains.
 */
#pragma once

#include "base/mem.h"
#include "host/proc/stat.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#define HOST_MARK_NAME "PROFLLM_RUN"
/*
 * Set in addition to the mark for a process of the run that does not belong to the server: vLLM's
 * client.
 */
#define HOST_MARK_APART_NAME "PROFLLM_APART"

/* Returns false if the environment cannot be read: another user's process, or ended. */
bool host_mark_is_on(pid_t pid, const char *run_id);
/* The same, except for processes of the run that do not belong to the server. */
bool host_mark_is_on_server(pid_t pid, const char *run_id);
/*
 * Counts live processes that carry the mark, descend from one that does or are in its session,
 * except this one.
 */
size_t host_mark_count(const char *run_id);
/*
 * Sends SIGKILL to all of them, repeatedly, until none remains or timeout_ns has passed; returns
 * the number of remaining ones.
 */
size_t host_mark_kill(const char *run_id, int64_t timeout_ns);

struct host_mark_killing {
	size_t killed; /* found by the first scan */
	size_t left;
};
/* Heads of the run, each the leader of a session. Only pid and start_ticks are read. */
struct host_mark_heads {
	const struct host_proc *list;
	size_t count;
};

#define HOST_MARK_ANYBODY ((uid_t)-1)

/*
 * Works like host_mark_kill(), but only on processes of user `owner`; also kills processes that
 * cleared their environment and are in a session of `heads`, which may have ended.
 */
struct host_mark_killing host_mark_kill_of(const char *run_id, uid_t owner,
					   const struct host_mark_heads *heads, int64_t timeout_ns);
