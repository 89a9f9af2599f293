/*
 * The order in which parallel servers of a sweep are started, to finish early given their expected durations. Jobs are
 * started as soon as one fits, the first that does in the order: no job that could run waits for one that cannot yet.
 * The order is the best of a few rules (as given, longest first, widest first, largest first), improved by exchanges if
 * there are few jobs. This file knows neither processes nor clocks.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

enum sweep_job_state { SWEEP_WAITS, SWEEP_RUNS, SWEEP_OVER };

struct sweep_job {
	enum sweep_job_state state;
	double seconds; /* expected; for a running job, remaining */
	size_t gpus;    /* of any */
	bool names_gpus; /* its GPUs are tokens: it never runs together with a job that takes any GPU, which could
			  * be these */
	/* ids of exclusive resources: a port, a named GPU, a server */
	const size_t *tokens;
	size_t token_count;
};

struct sweep_room {
	size_t slots; /* jobs in parallel; at least 1 */
	size_t gpus;  /* a job that needs more runs only while no other job has any */
};

/* Returns whether job `k` can start while the running ones run. */
bool sweep_fits(const struct sweep_job *jobs, size_t count, const struct sweep_room *room,
		size_t k);

/*
 * order: indexes of the waiting jobs, with room for [count], *ret_count of them set. `keeps`: keep their given order.
 * Returns when all will have finished, in seconds from now.
 */
double sweep_schedule(const struct sweep_job *jobs, size_t count, const struct sweep_room *room,
		      bool keeps, size_t *order, size_t *ret_count);
/* The same for a given order. */
double sweep_makespan(const struct sweep_job *jobs, size_t count, const struct sweep_room *room,
		      const size_t *order, size_t order_count);
