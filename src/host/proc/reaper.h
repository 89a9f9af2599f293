/*
 * Cleanup after runs whose profllm and guard were both killed: the next command finds them and ends
 * their remaining processes.
 *
 * - From start to end, each run has a file runs/RUN_ID in the lock directory (host/lock/lock.h),
 *   which names its profllm and its guard. The check reads one directory, which is usually empty.
 * - Only if both are dead are all processes searched for the run's mark. Processes of a live run,
 *   and of a user other than the file's owner, are never touched.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

/*
 * Records that the run lives as long as the caller or `guard`. Returns false if there is no lock
 * directory.
 */
bool host_reaper_enter(const char *run_id, pid_t guard);
/* Adds the head of a started server, which leads a session, to the run's file. */
void host_reaper_note_head(const char *run_id, pid_t head);
/*
 * Adds the container that the run starts, HOST_CONTAINER_PREFIX and run_id, to the run's file;
 * `runtime`: path of docker's or podman's program.
 */
void host_reaper_note_container(const char *run_id, const char *runtime);
void host_reaper_leave(const char *run_id);

/* Ends the processes left by dead runs; calls `say` once for each run with such processes. */
void host_reaper_end_orphans(void (*report)(const char *run_id, size_t killed, size_t left));
