/*
 * The run's GPUs as telemetry sees them. One thread at a time, but for what is read after the end.
 */
#pragma once

#include "host/telemetry/telemetry.h"

struct host_gpu_watch;
/* `which` as host_telemetry_spec.gpus. No GPU there or none asked for: a watch of none. */
int host_gpu_watch_open(const json_t *which, int64_t gap_ns, struct host_gpu_watch **ret,
			struct pl_err *err) PL_MUST_CHECK;
void host_gpu_watch_free(struct host_gpu_watch *watch);
size_t host_gpu_watch_count(const struct host_gpu_watch *watch);
struct host_telemetry_gpu *host_gpu_watch_at(const struct host_gpu_watch *watch, size_t i);
/* NULL: none was looked for. */
const struct host_gpus *host_gpu_watch_gpus(const struct host_gpu_watch *watch);
/* True: a reading runs a program and takes its time. */
bool host_gpu_watch_is_slow(const struct host_gpu_watch *watch);

/* The rows of `gpu` in their order, and when they were true. */
void host_gpu_watch_read(struct host_gpu_watch *watch, size_t i, int64_t *ret_t_ns, double *values);
/*
 * 1: a process computes on one of the GPUs that is_ours() denies; 0: none; NaN: cannot be told.
 */
double host_gpu_watch_foreign(struct host_gpu_watch *watch, bool (*is_ours)(void *data, pid_t pid),
			      void *data);
