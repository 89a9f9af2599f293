/*
 * --sim-drift: steps get slower with the number of served requests, to test comparisons over a long sweep against a
 * known drift. A file counts the requests of all earlier servers, one byte each.
 */
#pragma once

#include "base/err.h"

#include <stdint.h>

struct sim_drift {
	double share; /* added per request, as a share of a step; 0: no drift */
	uint64_t requests;
	int fd; /* -1: counts only the requests of this server */
};

/* path NULL: no earlier servers. */
int sim_drift_open(double share, const char *path, struct sim_drift *ret,
		   struct pl_err *err) PL_MUST_CHECK;
void sim_drift_close(struct sim_drift *drift);
void sim_drift_count(struct sim_drift *drift);
/* Returns the current duration of steps relative to the initial one. */
double sim_drift_factor(const struct sim_drift *drift);
