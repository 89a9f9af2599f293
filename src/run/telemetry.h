/*
 * Telemetry of a run: what is sampled, when its measured part begins and ends, and the parts of the
 * result that come of it. A part of run_priv.h.
 */
#ifndef RUN_TELEMETRY_H
#define RUN_TELEMETRY_H

#include "base/json.h"
#include "host/telemetry/telemetry.h"

struct run_state;
struct res_quality_facts;

struct run_telemetry {
	struct host_telemetry *host; /* NULL: not started */
	struct pl_zst *series;       /* NULL: no series file */
	bool over;                   /* stopped: its figures may be read */
};

/* Before the server is started, after everything that forks. -1: a setting of it cannot be had. */
int run_telemetry_start(struct run_state *run, struct pl_err *err) PL_MUST_CHECK;
/* The server has a /metrics page, until it is stopped. */
void run_telemetry_metrics(struct run_state *run);
void run_telemetry_metrics_over(struct run_state *run);
/* After the server has been stopped. */
void run_telemetry_stop(struct run_state *run);
void run_telemetry_done(struct run_telemetry *telemetry);

/* Of all GPUs of the run over the measured run, J; NaN where that is not known of each. */
double run_telemetry_energy_j(const struct run_state *run);
void run_telemetry_facts(const struct run_state *run, struct res_quality_facts *ret);
/* `system` of the result; results and environment may be NULL. New reference. */
json_t *run_system(const struct run_state *run, const json_t *results, const json_t *environment);

#endif
