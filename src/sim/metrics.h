/*
 * Counters and histograms behind /metrics that the engine does not keep itself.
 */
#ifndef SIM_METRICS_H
#define SIM_METRICS_H

#include "base/buf.h"

#include <stdint.h>

#define SIM_BOUNDS_MAX 24
#define SIM_ROUTES_MAX 32

enum sim_histogram_id {
#define HISTOGRAM(id, family, bounds, help) SIM_HIST_##id,
#include "tbl/sim_metrics.h"
#undef HISTOGRAM
	SIM_HIST_COUNT
};

struct sim_histogram {
	uint64_t buckets[SIM_BOUNDS_MAX + 1]; /* the last: above every bound */
	uint64_t count;
	double sum;
};

struct sim_metrics {
	struct sim_histogram histograms[SIM_HIST_COUNT];
	struct sim_histogram lateness;           /* of steps, seconds */
	uint64_t answers[SIM_ROUTES_MAX + 1][3]; /* by route (the last: none) and 2xx, 4xx, 5xx */
	uint64_t request_bytes[SIM_ROUTES_MAX + 1]; /* of bodies */
};

void sim_metrics_observe(struct sim_metrics *metrics, enum sim_histogram_id id, double value);
void sim_metrics_observe_lateness(struct sim_metrics *metrics, double seconds);
/* All histograms as Prometheus text; labels without braces. */
void sim_metrics_write(const struct sim_metrics *metrics, const char *labels, double created_s,
		       struct pl_buf *out);

#endif
