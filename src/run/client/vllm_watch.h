/*
 * Watches vLLM's client: finds the start and end of its measured run in its log, and samples the CPU time of its main
 * thread. Use it from one thread.
 */
#pragma once

#include "base/json.h"
#include "base/mem.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct run_vllm_watch;
/* `log` is borrowed. */
struct run_vllm_watch *run_vllm_watch_new(pid_t pid, const char *log);
void run_vllm_watch_free(struct run_vllm_watch *watch);
PL_AUTO_DEFINE(struct run_vllm_watch, run_vllm_watch_free);

/* Reads new lines of the log and takes one sample. */
void run_vllm_watch_look(struct run_vllm_watch *watch);
/* From the log: the measured requests have begun; they have finished. */
bool run_vllm_watch_begun(const struct run_vllm_watch *watch);
bool run_vllm_watch_over(const struct run_vllm_watch *watch);
/* The server's profiler was started; clients before 0.32.0 do not report it. */
bool run_vllm_watch_profiled(const struct run_vllm_watch *watch);
/*
 * Returns the CPU share of the main thread between two times. NaN if they are less than a second apart or were not
 * sampled, or if it was idle and had children that may have done the work.
 */
double run_vllm_watch_cpu_share(const struct run_vllm_watch *watch, int64_t from_ns, int64_t to_ns);

/* Returns the last `count` lines of the log. New reference to an array of texts. */
json_t *run_vllm_log_tail(const char *log, size_t count);
