/* Counters and histograms for /metrics that the engine does not have. */
#pragma once

#include "base/buf.h"

#include <stdint.h>

#define SIM_BOUNDS_MAX 24

/* Indexes of counters by route: the rows of tbl/sim_routes.h, and one for unknown routes. */
enum {
	SIM_ROUTE_NONE = 0
#define ROUTE(method, path, handler, model) +1
#include "tbl/sim_routes.h"
};

enum sim_histogram_id {
#define HISTOGRAM(id, family, bounds, help) SIM_HIST_##id,
#include "tbl/sim_metrics.h"
	SIM_HIST_COUNT
};

struct sim_histogram {
	uint64_t buckets[SIM_BOUNDS_MAX + 1]; /* the last: above every bound */
	uint64_t count;
	double sum;
};

struct sim_metrics {
	struct sim_histogram histograms[SIM_HIST_COUNT];
	struct sim_histogram lateness;              /* of steps, seconds */
	uint64_t answers[SIM_ROUTE_NONE + 1][3];    /* by route and class: 2xx, 4xx, 5xx */
	uint64_t request_bytes[SIM_ROUTE_NONE + 1]; /* of bodies */
};

void sim_metrics_observe(struct sim_metrics *metrics, enum sim_histogram_id id, double value);
void sim_metrics_observe_lateness(struct sim_metrics *metrics, double seconds);
/* Writes all histograms as Prometheus text; labels without braces. */
void sim_metrics_write(const struct sim_metrics *metrics, const char *labels, double created_s,
		       struct pl_buf *out);
