/* The run's GPUs, for telemetry. One thread at a time, except for results read after the end. */
#pragma once

#include "host/telemetry/telemetry.h"

struct host_gpu_watch;
/*
 * `which` as in host_telemetry_spec.gpus. Without a GPU, or if none is requested, the watch is
 * empty.
 */
int host_gpu_watch_open(const json_t *which, int64_t gap_ns, struct host_gpu_watch **ret,
			struct pl_err *err) PL_MUST_CHECK;
void host_gpu_watch_free(struct host_gpu_watch *watch);
size_t host_gpu_watch_count(const struct host_gpu_watch *watch);
struct host_telemetry_gpu *host_gpu_watch_at(const struct host_gpu_watch *watch, size_t i);
/* NULL: GPUs were not searched for. */
const struct host_gpus *host_gpu_watch_gpus(const struct host_gpu_watch *watch);
/* True: a reading runs a program and is slow. */
bool host_gpu_watch_is_slow(const struct host_gpu_watch *watch);

/* Reads the values of the `gpu` rows, in order, and the time at which they were valid. */
void host_gpu_watch_read(struct host_gpu_watch *watch, size_t i, int64_t *ret_t_ns, double *values);
/*
 * Returns 1 if a process for which is_ours() returns false computes on one of the GPUs; 0: none;
 * NaN: unknown.
 */
double host_gpu_watch_foreign(struct host_gpu_watch *watch, bool (*is_ours)(void *data, pid_t pid),
			      void *data);
