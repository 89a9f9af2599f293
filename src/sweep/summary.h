/*
 * FOLDER/summary.json and summary.csv: one row per run in the order of the file, followed by runs that are no longer in
 * the file. Each is written under a temporary name and renamed.
 *
 *	{sweep, name, state, file, servers_started, running: [RUN], experiment, redacted, runs: [row]}
 *
 * A dashboard receives it, too (SweepPlan in api/openapi.yaml): the planned runs, their experiment (sweep/sections.h), and
 * the state of runs without a result.
 */
#pragma once

#include "sweep/tasks.h"

#define SWEEP_SUMMARY_NAME RES_SWEEP_SUMMARY

/* Appends a cell of a CSV file, quoted if necessary. */
void sweep_csv_add(struct pl_buf *text, const char *plain);
/* Returns the row of a result for the journal: status, verdict, cause, metrics. New reference. */
json_t *sweep_row(const struct sweep_plan *plan, const struct sweep_task *task,
		  const json_t *result);
struct sweep_progress {
	const char *state;     /* "running", "ended" or "interrupted" */
	const json_t *running; /* array of the keys of the current runs */
};
int sweep_summary(const struct sweep_plan *plan, const struct sweep_tasks *tasks,
		  const struct sweep_journal *journal, const char *folder,
		  const struct sweep_progress *progress, struct pl_err *err) PL_MUST_CHECK;
