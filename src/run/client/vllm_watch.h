/*
 * Looking at vLLM's client while it works: when its measured run begins and ends, by its log, and
 * what its main thread takes of a processor. One thread.
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

/* Reads on in the log and takes one sample. */
void run_vllm_watch_look(struct run_vllm_watch *watch);
/* By the log: the requests that count are being sent; its run is over. */
bool run_vllm_watch_begun(const struct run_vllm_watch *watch);
bool run_vllm_watch_over(const struct run_vllm_watch *watch);
/* The server's profiler was started; a client before 0.32.0 does not say so. */
bool run_vllm_watch_profiled(const struct run_vllm_watch *watch);
/*
 * CPU share of the main thread between two moments; NaN where they are less than a second apart,
 * were not watched, or it did nothing and had children that may have done the work.
 */
double run_vllm_watch_cpu_share(const struct run_vllm_watch *watch, int64_t from_ns, int64_t to_ns);

/* The last `count` lines of the log. New reference to an array of texts. */
json_t *run_vllm_log_tail(const char *log, size_t count);
