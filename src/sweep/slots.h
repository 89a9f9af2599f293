/* The number of server slots of a sweep, and the processors of each. */
#pragma once

#include "sweep/batches.h"

#include <sched.h>

struct sweep_slots {
	size_t count;
	bool bound;      /* each is bound to processors of its own */
	cpu_set_t *cpus; /* of each */
};

/*
 * Uses settings->jobs, limited by the runs, GPUs and processors; 0: as many as the GPUs allow, or one without GPUs.
 * Reports on standard error if this is less than requested.
 */
void sweep_slots_make(const struct sweep_batches *units, size_t gpus,
		      const struct sweep_settings *settings, struct sweep_slots *ret);
void sweep_slots_done(struct sweep_slots *slots);
