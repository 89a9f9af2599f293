/*
 * --sim-drift: steps take longer and longer, by the requests that were served before, so that it is
 * known what a comparison over a long sweep has to cope with. A file counts the requests of servers
 * before, whichever they were: a byte each.
 */
#pragma once

#include "base/err.h"

#include <stdint.h>

struct sim_drift {
	double share; /* of a step that each request adds; 0: none drifts */
	uint64_t requests;
	int fd; /* -1: this server's own are counted alone */
};

/* path NULL: none before. */
int sim_drift_open(double share, const char *path, struct sim_drift *ret,
		   struct pl_err *err) PL_MUST_CHECK;
void sim_drift_close(struct sim_drift *drift);
void sim_drift_count(struct sim_drift *drift);
/* What steps take now, of what they took at first. */
double sim_drift_factor(const struct sim_drift *drift);
