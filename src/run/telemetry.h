/*
 * Telemetry of a run: what is sampled, from before the server's start until after its end, and the
 * facts that come of it. `system` of the result is made in run/document/system.c.
 */
#ifndef RUN_TELEMETRY_H
#define RUN_TELEMETRY_H

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
/* After the server has been stopped. */
void run_telemetry_stop(struct run_telemetry *telemetry);
void run_telemetry_done(struct run_telemetry *telemetry);

/* The server's /metrics page. */
struct host_metrics_source run_telemetry_source(const struct run_target *target);

/* Of all GPUs of the run over the measured run, J; NaN where that is not known of each. */
double run_telemetry_energy_j(const struct run_telemetry *telemetry);
void run_telemetry_facts(const struct run_telemetry *telemetry, struct res_quality_facts *ret);

#endif
