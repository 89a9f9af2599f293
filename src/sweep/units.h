/*
 * The runs of a sweep by the server that they share, and how long those take: a unit is the runs that
 * follow one another on one server, started together.
 */
#pragma once

#include "run/resources/wish.h"
#include "sweep/schedule.h"
#include "sweep/tasks.h"

struct sweep_unit {
	size_t first; /* of the tasks */
	size_t count;
	size_t done;           /* of them, from the first on */
	int64_t since_ns;      /* the run at hand goes on, its start too; CLOCK_MONOTONIC */
	bool waits_for_others; /* for what others of the host hold: until one of ours is over */
};

struct sweep_units {
	struct sweep_unit *items;
	struct sweep_job *jobs; /* one each */
	size_t count;
	size_t *tokens; /* of all jobs */
};

/* Of tasks that are left, in their order. */
void sweep_units_make(const struct sweep_plan *plan, const struct sweep_tasks *tasks,
		      const struct run_wishes *wishes, bool simulate, struct sweep_units *ret);
void sweep_units_done(struct sweep_units *units);
#define auto_units __attribute__((cleanup(sweep_units_done), unused)) struct sweep_units

/*
 * Sets how long each takes from now on, by rows of a journal and by earlier results (NULL: none), and
 * tells of all together. Nothing is known: each run counts as much as any other.
 */
void sweep_units_expect(const struct sweep_plan *plan, const struct sweep_tasks *tasks,
			const json_t *rows, const struct sweep_history *history,
			struct sweep_units *units, struct sweep_forecast *ret);
