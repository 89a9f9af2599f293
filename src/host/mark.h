/*
 * The mark that every process of a run carries in its environment, PROFLLM_RUN=run_id: how
 * descendants are found that left their session, and how it is proven that none is left.
 */
#ifndef HOST_MARK_H
#define HOST_MARK_H

#include "base/mem.h"

#include <stddef.h>
#include <stdint.h>

#define HOST_MARK_NAME "PROFLLM_RUN"

/* Processes alive that carry the mark, ourselves left out. */
size_t host_mark_count(const char *run_id);
/* SIGKILL to all of them, again until none is left or timeout_ns passed; returns how many are left. */
size_t host_mark_kill(const char *run_id, int64_t timeout_ns);

#endif
