/*
 * How many server lives of a sweep go on at once, and which processors each has.
 */
#pragma once

#include "sweep/units.h"

#include <sched.h>

struct sweep_places {
	size_t count;
	bool bound;      /* each has processors of its own */
	cpu_set_t *cpus; /* of each */
};

/*
 * settings->jobs, as far as there are runs, GPUs and processors; 0: as many as GPUs allow, one where none
 * is used. Fewer than were asked for is said on standard error.
 */
void sweep_places_make(const struct sweep_units *units, size_t gpus,
		       const struct sweep_settings *settings, struct sweep_places *ret);
void sweep_places_done(struct sweep_places *places);
