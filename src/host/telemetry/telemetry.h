/*
 * Telemetry of the GPUs, the host, the server's processes, this program and the server's /metrics
 * during a run. One thread samples on absolute ticks, appends each sample to the time series file,
 * and updates aggregates in memory that does not grow with the run's length
 * (docs/reference/telemetry.md).
 *
 *  /proc, NVML ──> tick ──> sums (telemetry_sums.h)
 *  /metrics ─────> loop ──> lines ──> series file
 *
 * - All times are CLOCK_MONOTONIC; a line's time is when its values were read.
 * - Unknown values are NaN and null: a gap, never a zero.
 * - A second thread reads GPUs if that runs a program (nvidia-smi), which would delay the ticks.
 * - Functions belong to the starting thread; results are read after host_telemetry_stop().
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
	const json_t *gpus;    /* uuids and indices in PCI order; NULL: all; []: none */
	const char *run_id;    /* mark of the server's processes; NULL: the server is not ours */
	struct pl_zst *series; /* receives the lines until the stop; NULL: none */
};

struct host_telemetry;
/*
 * Returns after the first sample. Borrows what the spec points to until the stop, except `gpus`.
 * Start it after the last fork() that is not followed by an exec(). Returns -1 if the library in
 * PROFLLM_NVML_LIB is unusable or no thread can be started.
 */
int host_telemetry_start(const struct host_telemetry_spec *spec, struct host_telemetry **ret,
			 struct pl_err *err) PL_MUST_CHECK;
/* Stops. */
void host_telemetry_free(struct host_telemetry *telemetry);
PL_AUTO_DEFINE(struct host_telemetry, host_telemetry_free);
#define auto_telemetry PL_AUTO(host_telemetry_free)

/* Waits until `looks` GPU readings have been taken; returns false if timeout_ns has passed. */
bool host_telemetry_await(struct host_telemetry *telemetry, int64_t looks, int64_t timeout_ns);
/* Returns the time between two GPU readings. */
int64_t host_telemetry_gpu_interval_ns(const struct host_telemetry *telemetry);
/*
 * Records the GPUs' power from now on as their idle power of period `when`, and discards earlier
 * values of that period; HOST_IDLE_COUNT: no longer idle. If the server is ours, HOST_IDLE_BEFORE
 * begins with telemetry, because the server is not running yet. For another server it never begins.
 */
void host_telemetry_idle(struct host_telemetry *telemetry, enum host_idle when);
/*
 * Returns whether, so far in HOST_IDLE_AFTER, each GPU that reports its power holds it level and
 * not above that before the start.
 */
bool host_telemetry_is_at_rest(struct host_telemetry *telemetry);
/* Excludes a process with the run's mark that does not belong to the server, and its children. */
void host_telemetry_leave_out(struct host_telemetry *telemetry, pid_t pid);
/* Includes a process that belongs to the server without its mark, and its descendants. */
void host_telemetry_take_in(struct host_telemetry *telemetry, pid_t pid);
/* Reads /metrics from now on, on separate ticks. Borrows what `source` points to until the stop. */
void host_telemetry_metrics(struct host_telemetry *telemetry,
			    const struct host_metrics_source *source, int64_t interval_ns);
/* Stops reading /metrics and cancels a pending exchange. May be called if nothing was read. */
void host_telemetry_metrics_over(struct host_telemetry *telemetry);
/*
 * Begin or end a measured run; return that time. Without telemetry (NULL) they only return the
 * time.
 */
int64_t host_telemetry_begin(struct host_telemetry *telemetry);
int64_t host_telemetry_end(struct host_telemetry *telemetry);
/*
 * The last samples, from any thread between start and free; NaN: unknown. Holds no lock for longer
 * than it takes to copy them, so that no tick is delayed.
 */
struct host_telemetry_last {
	double running; /* requests of the server, by its /metrics page */
	double waiting;
	double kv_cache_usage; /* 0..1 */
};
void host_telemetry_last(struct host_telemetry *telemetry, struct host_telemetry_last *ret);
/* The last value of a quantity of one GPU. */
double host_telemetry_last_of_gpu(struct host_telemetry *telemetry, size_t i,
				  enum host_quantity quantity);
/* Takes a last sample and ends the thread; may be called repeatedly or with NULL. */
void host_telemetry_stop(struct host_telemetry *telemetry);

/* ---- after the stop; all borrowed ---- */

const struct host_windows *host_telemetry_windows(const struct host_telemetry *telemetry);
/* Return NULL for `host` and `server` if they were not sampled. */
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
/*
 * Returns the idle power in W; NaN: not measured, or the GPU had not settled within the time limit.
 */
double host_telemetry_idle_w(const struct host_telemetry *telemetry, size_t i, enum host_idle when);
/* Returns the driver's data, for all GPUs of the host; NULL: GPUs were not searched for. */
const struct host_gpus *host_telemetry_gpus(const struct host_telemetry *telemetry);
/*
 * Returns 1 if, in a measured run, a process that does not belong to the run computed on one of its
 * GPUs; 0: none; NaN: unknown, for example because the driver's pids are not ours (containers).
 */
double host_telemetry_foreign(const struct host_telemetry *telemetry);

/*
 * Returns whether, in a measured run, a page's counters were below those of the previous page or
 * its start time differed.
 */
bool host_telemetry_server_restarted(const struct host_telemetry *telemetry);

/*
 * The server's running and waiting requests in measured runs. If there are too many samples, only
 * every second, fourth … one is stored.
 */
struct host_requests_sample {
	int64_t t_ns; /* when the page was read */
	double requests;
};
const struct host_requests_sample *host_telemetry_requests(const struct host_telemetry *telemetry,
							   size_t *ret_count);

struct host_telemetry_cost {
	struct host_ticks_cost ticks;
	double cpu_s;              /* of all its threads */
	int64_t metrics_requested; /* readings of /metrics that were due */
	int64_t metrics_gaps;      /* those without a response in time */
	int64_t lines;             /* written */
};
void host_telemetry_cost(const struct host_telemetry *telemetry, struct host_telemetry_cost *ret);
/* Returns -1 with the reason why the lines are incomplete. */
int host_telemetry_check_series(const struct host_telemetry *telemetry,
				struct pl_err *err) PL_MUST_CHECK;
