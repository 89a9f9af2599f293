/*
 * Telemetry of a run: what is sampled, from before the server's start until after its end, and the
 * facts that come of it. `system` of the result is made in run/document/system.c.
 */
#pragma once

#include "host/telemetry/telemetry.h"

struct run_context;
struct run_launch;
struct run_target;
struct res_quality_facts;

struct run_telemetry {
	struct host_telemetry *host; /* NULL: not started */
	struct pl_zst *series;       /* NULL: no series file */
	bool over;                   /* stopped: its figures may be read */
};

/* Before the server is started, after everything that forks. -1: a setting of it cannot be had. */
int run_telemetry_start(const struct run_context *run, const struct run_launch *launch,
			const struct run_target *target, const char *series_path,
			struct run_telemetry *ret, struct pl_err *err) PL_MUST_CHECK;
/* The server has a /metrics page, until it is stopped. */
void run_telemetry_metrics(const struct run_context *run, const struct run_telemetry *telemetry,
			   const struct run_target *target);
void run_telemetry_metrics_over(const struct run_telemetry *telemetry);
/*
 * Of a server of ours that was measured and is gone: what its GPUs draw without it. Takes half a
 * second where they are at once as they were before the start, and 5 s at the most; no time where
 * no GPU is looked at. A signal ends it within 100 ms.
 */
void run_telemetry_rest(const struct run_context *run, const struct run_telemetry *telemetry);
/* After the server has been stopped. */
void run_telemetry_stop(struct run_telemetry *telemetry);
void run_telemetry_done(struct run_telemetry *telemetry);

/* The server's /metrics page, to be asked for with the patience of this moment. */
struct host_metrics_source run_telemetry_source(const struct run_target *target);

/* Over the measured run; NaN: not known. */
struct run_energy {
	double total_j;
	double above_idle_j; /* less the idle power for as long; may be below 0 */
};

/* Of one GPU. Its idle power is the mean of those before and after, where both are known. */
struct run_gpu_energy {
	double idle_before_w;
	double idle_after_w;
	double idle_w;
	struct run_energy energy;
};

void run_telemetry_gpu_energy(const struct host_telemetry *host, size_t i,
			      struct run_gpu_energy *ret);
/* Of all GPUs of the run: known where it is of each. One that had nothing to do is as likely a bit
 * below its idle power as above it, so that sums are made of what is below 0 too. */
struct run_energy run_telemetry_energy(const struct run_telemetry *telemetry);
/* What is told of above_idle_j: NaN below 0, where there was something else to do at rest. */
double run_energy_known(double above_idle_j);
void run_telemetry_facts(const struct run_telemetry *telemetry, struct res_quality_facts *ret);
