/*
 * The runs of a sweep in their order, and which of them are left.
 */
#pragma once

#include "sweep/sweep.h"

#define RUN_SWEEP_KEY_BYTES (RUN_SWEEP_ID_BYTES + 12)

struct run_sweep_task {
	size_t cell;                   /* of the plan */
	int64_t repeat;                /* from 1 */
	char key[RUN_SWEEP_KEY_BYTES]; /* the cell's id; of a later repeat "ID.2" */
};

struct run_sweep_tasks {
	struct run_sweep_task *items;
	size_t count;
};

/* Every repeat of every cell that stays. */
void run_sweep_tasks_make(const struct run_sweep_plan *plan,
			  const struct run_sweep_settings *settings, struct run_sweep_tasks *ret);
/* Without those that are over by the rows of a journal. */
void run_sweep_tasks_leave(struct run_sweep_tasks *tasks, const json_t *rows,
			   const struct run_sweep_settings *settings);
void run_sweep_tasks_done(struct run_sweep_tasks *tasks);
#define auto_tasks __attribute__((cleanup(run_sweep_tasks_done), unused)) struct run_sweep_tasks

/* Does a run with this row have to be tried again? row NULL: there is none yet. */
bool run_sweep_is_left(const json_t *row, const struct run_sweep_settings *settings);
/* Do two that follow one another share a server? */
bool run_sweep_same_server(const struct run_sweep_plan *plan, const struct run_sweep_tasks *tasks,
			   size_t i, size_t k);
