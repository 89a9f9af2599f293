/*
 * What the GPUs, the host, the server's processes, this program and the server's /metrics did while a
 * run went on: sampled by one thread on absolute ticks, written to the series file as it comes, and
 * summed up in memory that does not grow with the run's length (docs/reference/telemetry.md).
 *
 *	/proc, NVML ──> tick ──> sums (telemetry_sums.h)
 *	/metrics ─────> loop ──> lines ──> series file
 *
 * - One clock for everything, CLOCK_MONOTONIC; a line's time is when its values were read.
 * - What is not told is NaN and null: a gap, never a zero.
 * - A second thread reads GPUs where that takes a program (nvidia-smi) and so would hold up the ticks.
 * - Functions are the starting thread's; results are read after host_telemetry_stop().
 */
#pragma once

#include "base/zst.h"
#include "host/gpu/gpu.h"
#include "host/telemetry/metrics_fetch.h"
#include "host/telemetry/sums.h"
#include "host/telemetry/ticks.h"

struct host_telemetry_spec {
	int64_t interval_ns;
	bool gpu;
	bool host;
	const json_t *gpus;    /* which: uuids and indices in PCI order; NULL: all; [] none */
	const char *run_id;    /* mark of the server's processes; NULL: no server of ours */
	struct pl_zst *series; /* lines go here until the stop; NULL: nowhere */
};

struct host_telemetry;
/*
 * Returns once the first sample is taken. Borrows what the spec points to until the stop, but for
 * `gpus`. Start it after the last fork() that is not followed by an exec(). -1: PROFLLM_NVML_LIB
 * cannot be used, or no thread.
 */
int host_telemetry_start(const struct host_telemetry_spec *spec, struct host_telemetry **ret,
			 struct pl_err *err) PL_MUST_CHECK;
/* Stops. */
void host_telemetry_free(struct host_telemetry *telemetry);
PL_AUTO_DEFINE(struct host_telemetry, host_telemetry_free);
#define auto_telemetry PL_AUTO(host_telemetry_free)

/* Until so many looks at the GPUs have been taken; false: timeout_ns passed. */
bool host_telemetry_await(struct host_telemetry *telemetry, int64_t looks, int64_t timeout_ns);
/* Between two looks at the GPUs. */
int64_t host_telemetry_gpu_interval_ns(const struct host_telemetry *telemetry);
/*
 * What the GPUs draw from here on is their idle power of then, and what was kept of then is given
 * up; HOST_IDLE_COUNT: it is not. A server of ours is not there yet when telemetry starts:
 * HOST_IDLE_BEFORE has begun. Of another's server it never does.
 */
void host_telemetry_idle(struct host_telemetry *telemetry, enum host_idle when);
/* HOST_IDLE_AFTER, so far: each GPU that tells its power keeps it level, where it was before. */
bool host_telemetry_is_at_rest(struct host_telemetry *telemetry);
/* A process with the run's mark that is not the server's, and its children. */
void host_telemetry_leave_out(struct host_telemetry *telemetry, pid_t pid);
/* Reads /metrics on ticks of its own from now on. Borrows what `source` points to until the
 * stop. */
void host_telemetry_metrics(struct host_telemetry *telemetry,
			    const struct host_metrics_source *source, int64_t interval_ns);
/* No more of that: what is under way is given up. Harmless where nothing was read. */
void host_telemetry_metrics_over(struct host_telemetry *telemetry);
/* A measured run begins or ends; returns that moment. Without telemetry (NULL) only the time. */
int64_t host_telemetry_begin(struct host_telemetry *telemetry);
int64_t host_telemetry_end(struct host_telemetry *telemetry);
/* Takes a last sample and ends the thread; harmless when repeated or NULL. */
void host_telemetry_stop(struct host_telemetry *telemetry);

/* ---- after the stop; all borrowed ---- */

const struct host_windows *host_telemetry_windows(const struct host_telemetry *telemetry);
/* `host` and `server` NULL where they were not sampled. */
const struct host_sums *host_telemetry_host(const struct host_telemetry *telemetry);
const struct host_sums *host_telemetry_server(const struct host_telemetry *telemetry);
const struct host_sums *host_telemetry_client(const struct host_telemetry *telemetry);

struct host_telemetry_gpu {
	const struct host_gpu_facts *facts;
	struct host_sums sums;
};
size_t host_telemetry_gpu_count(const struct host_telemetry *telemetry);
const struct host_telemetry_gpu *host_telemetry_gpu(const struct host_telemetry *telemetry,
						    size_t i);
/* W; NaN: it was not measured, or the GPU had not come to rest by the end of the time for it. */
double host_telemetry_idle_w(const struct host_telemetry *telemetry, size_t i, enum host_idle when);
/* The driver's, for all GPUs of the host; NULL where none was looked for. */
const struct host_gpus *host_telemetry_gpus(const struct host_telemetry *telemetry);
/*
 * In a measured run: 1: a process that is not the run's computed on one of its GPUs; 0: none did;
 * NaN: not known, as where the driver's process numbers are not ours (containers).
 */
double host_telemetry_foreign(const struct host_telemetry *telemetry);

/* In a measured run a page's counters were below those of the page before, or its start time
 * another. */
bool host_telemetry_server_restarted(const struct host_telemetry *telemetry);

/* The server's running and waiting requests, in measured runs; every second one, fourth … is kept
 * where there are too many. */
struct host_requests_sample {
	int64_t t_ns; /* when the page was there */
	double requests;
};
const struct host_requests_sample *host_telemetry_requests(const struct host_telemetry *telemetry,
							   size_t *ret_count);

struct host_telemetry_cost {
	struct host_ticks_cost ticks;
	double cpu_s;          /* of all its threads */
	int64_t metrics_asked; /* readings of /metrics that came due */
	int64_t metrics_gaps;  /* of those, without an answer in time */
	int64_t lines;         /* written */
};
void host_telemetry_cost(const struct host_telemetry *telemetry, struct host_telemetry_cost *ret);
/* -1: why the lines are not whole. */
int host_telemetry_check_series(const struct host_telemetry *telemetry,
				struct pl_err *err) PL_MUST_CHECK;
