/*
 * In which order the server lives of a sweep are started where several go on at once: so that all are
 * over early, by how long each is expected to take.
 *
 * Jobs are started as soon as one fits, the first that does in the order: nothing that could run waits
 * for a job that cannot yet. The order is the best of a few rules (as given, longest first, widest
 * first, largest first), made better by exchanges where there are few jobs. It knows no process and no
 * clock.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

enum sweep_job_state { SWEEP_WAITS, SWEEP_RUNS, SWEEP_OVER };

struct sweep_job {
	enum sweep_job_state state;
	double seconds; /* expected; of one that runs: what is left of it */
	size_t gpus;    /* of any */
	bool names_gpus; /* its GPUs are tokens: not beside one that takes any, which may have those */
	/* numbers of things that only one may have at a time: a port, a GPU by its name, a server */
	const size_t *tokens;
	size_t token_count;
};

struct sweep_room {
	size_t places; /* jobs at once; at least 1 */
	size_t gpus;   /* a job that takes more runs where no other one has any */
};

/* May job `k` start beside those that run? */
bool sweep_fits(const struct sweep_job *jobs, size_t count, const struct sweep_room *room,
		size_t k);

/*
 * order: the numbers of those that wait, [count] of room, *ret_count of them set. `keeps`: in the
 * order in which they stand. Returns when all are over, in seconds from now.
 */
double sweep_schedule(const struct sweep_job *jobs, size_t count, const struct sweep_room *room,
		      bool keeps, size_t *order, size_t *ret_count);
/* The same of an order that is given. */
double sweep_makespan(const struct sweep_job *jobs, size_t count, const struct sweep_room *room,
		      const size_t *order, size_t order_count);
