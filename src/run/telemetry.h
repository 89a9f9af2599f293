/*
 * Telemetry of a run, sampled from before the server's start until after its end, and the facts derived from it.
 * run/document/system.c makes `system` of the result.
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
	bool over;                   /* stopped: its metrics may be read */
};

/* Starts it before the server, and after everything that forks. Returns -1 if a setting cannot be applied. */
int run_telemetry_start(const struct run_context *run, const struct run_launch *launch,
			const struct run_target *target, const char *series_path,
			struct run_telemetry *ret, struct pl_err *err) PL_MUST_CHECK;
/* Samples the server's /metrics page until the server is stopped. */
void run_telemetry_metrics(const struct run_context *run, const struct run_telemetry *telemetry,
			   const struct run_target *target);
void run_telemetry_metrics_over(const struct run_telemetry *telemetry);
/*
 * After the end of our measured server: samples the idle power of its GPUs. Takes half a second if they are immediately
 * as they were before the start, at most 5 s, and no time without GPUs. A signal ends it within 100 ms.
 */
void run_telemetry_rest(const struct run_context *run, const struct run_telemetry *telemetry);
/* Call it after the server was stopped. */
void run_telemetry_stop(struct run_telemetry *telemetry);
void run_telemetry_done(struct run_telemetry *telemetry);

/* Returns the source for the server's /metrics page, with the current timeout. */
struct host_metrics_source run_telemetry_source(const struct run_target *target);

/* Energy during the measured run; NaN: unknown. */
struct run_energy {
	double total_j;
	double above_idle_j; /* minus the idle power over the same time; may be below 0 */
};

/* The energy of one GPU. Its idle power is the mean of those before and after, if both are known. */
struct run_gpu_energy {
	double idle_before_w;
	double idle_after_w;
	double idle_w;
	struct run_energy energy;
};

void run_telemetry_gpu_energy(const struct host_telemetry *host, size_t i,
			      struct run_gpu_energy *ret);
/*
 * Returns the energy of all GPUs of the run, if it is known for each. An unused GPU may be slightly below or above its
 * idle power, so the sum includes values below 0.
 */
struct run_energy run_telemetry_energy(const struct run_telemetry *telemetry);
/*
 * Returns above_idle_j as reported: NaN if it is below 0, because something else used the GPU while idle power was
 * measured.
 */
double run_energy_known(double above_idle_j);
void run_telemetry_facts(const struct run_telemetry *telemetry, struct res_quality_facts *ret);
