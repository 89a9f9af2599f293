/* The runs of a sweep in order, and which of them remain. */
#pragma once

#include "sweep/sweep.h"

#define SWEEP_KEY_BYTES (SWEEP_ID_BYTES + 12)

struct sweep_task {
	size_t cell;               /* index in the plan */
	int64_t repeat;            /* from 1 */
	char key[SWEEP_KEY_BYTES]; /* the cell's id; for a later repeat "ID.2" */
};

struct sweep_tasks {
	struct sweep_task *items;
	size_t count;
};

/* Makes every repeat of every valid cell. */
void sweep_tasks_make(const struct sweep_plan *plan, const struct sweep_settings *settings,
		      struct sweep_tasks *ret);
/* Removes the tasks that are finished by the rows of a journal. */
void sweep_tasks_leave(struct sweep_tasks *tasks, const json_t *rows,
		       const struct sweep_settings *settings);
void sweep_tasks_done(struct sweep_tasks *tasks);
#define auto_tasks __attribute__((cleanup(sweep_tasks_done), unused)) struct sweep_tasks

/* Returns whether two consecutive tasks share a server. */
bool sweep_same_server(const struct sweep_plan *plan, const struct sweep_tasks *tasks, size_t i,
		       size_t k);
