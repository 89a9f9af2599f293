/*
 * Telemetry of a run: what is sampled, when its measured part begins and ends, and the parts of the
 * result that come of it. A part of run_priv.h.
 */
#ifndef EXPERIMENT_TELEMETRY_H
#define EXPERIMENT_TELEMETRY_H

#include "base/json.h"
#include "host/telemetry.h"

struct exp_run;
struct md_quality_facts;

struct exp_telemetry {
	struct host_telemetry *host; /* NULL: not started */
	struct pl_zst *series;       /* NULL: no series file */
	bool over;                   /* stopped: its figures may be read */
};

/* Before the server is started, after everything that forks. -1: a setting of it cannot be had. */
int exp_telemetry_start(struct exp_run *run, struct pl_err *err) PL_MUST_CHECK;
/* The server has a /metrics page, until it is stopped. */
void exp_telemetry_metrics(struct exp_run *run);
void exp_telemetry_metrics_over(struct exp_run *run);
/* After the server has been stopped. */
void exp_telemetry_stop(struct exp_run *run);
void exp_telemetry_done(struct exp_telemetry *telemetry);

/* Of all GPUs of the run over the measured run, J; NaN where that is not known of each. */
double exp_telemetry_energy_j(const struct exp_run *run);
void exp_telemetry_facts(const struct exp_run *run, struct md_quality_facts *ret);
/* `system` of the result; results and environment may be NULL. New reference. */
json_t *exp_system(const struct exp_run *run, const json_t *results, const json_t *environment);

#endif
