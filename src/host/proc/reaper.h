/*
 * Runs whose profllm and guard were both killed: found by the next command, and what they left
 * behind is ended.
 *
 * - Each run has a file runs/RUN_ID in the lock folder (host/lock/lock.h) from its start to its end,
 *   which names its profllm and its guard, so that one look into a folder that is mostly empty
 *   suffices.
 * - Only where both are dead are all processes looked at for the run's mark; those of a live run,
 *   and those of another user than the file's, are never touched.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

/* Notes that the run lives as long as the caller or `guard`. False: there is no lock folder. */
bool host_reaper_enter(const char *run_id, pid_t guard);
/* The head of a server that it has started, which leads a session: a line more in its file. */
void host_reaper_note_head(const char *run_id, pid_t head);
void host_reaper_leave(const char *run_id);

/* Ends what dead runs left behind; calls `say` once for each run of which something was ended. */
void host_reaper_end_orphans(void (*say)(const char *run_id, size_t killed, size_t left));
