/*
 * The runs of a sweep, grouped by the server that they share, with their durations. A unit is the runs in sequence on
 * one server, started together.
 */
#pragma once

#include "run/resources/needs.h"
#include "sweep/schedule.h"
#include "sweep/tasks.h"

struct sweep_batch {
	size_t first; /* index of its first task */
	size_t count;
	size_t done;      /* number of finished tasks, from the first on */
	int64_t since_ns; /* start of the current run, including that of its server; CLOCK_MONOTONIC */
	bool waits_for_others; /* for resources of others on the host: until one of ours has finished */
};

struct sweep_batches {
	struct sweep_batch *items;
	struct sweep_job *jobs; /* one per unit */
	size_t count;
	size_t *tokens; /* of all jobs */
};

/* Groups the remaining tasks, in their order. */
void sweep_batches_make(const struct sweep_plan *plan, const struct sweep_tasks *tasks,
			const struct run_gpu_survey *survey, bool simulate,
			struct sweep_batches *ret);
void sweep_batches_done(struct sweep_batches *units);
#define auto_batches __attribute__((cleanup(sweep_batches_done), unused)) struct sweep_batches

/*
 * Sets the expected duration of each from now on, based on rows of a journal and on earlier results (NULL: none), and
 * the total. If nothing is known, all runs count the same.
 */
void sweep_batches_expect(const struct sweep_plan *plan, const struct sweep_tasks *tasks,
			  const json_t *rows, const struct sweep_history *history,
			  struct sweep_batches *units, struct sweep_forecast *ret);
