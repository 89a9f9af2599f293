/*
 * FOLDER/summary.json and summary.csv: a row a run, in the order of the file, then what the file no
 * longer has. Each is written beside its place and renamed.
 *
 *	{sweep, name, state, file, servers_started, running: [RUN], experiment, redacted, runs: [row]}
 *
 * It is also what a dashboard is told of a sweep (SweepPlan in api/openapi.yaml): what there is to run,
 * what experiment it is of (sweep/asked.h), and what there is of runs without a result.
 */
#pragma once

#include "sweep/tasks.h"

#define SWEEP_SUMMARY_NAME RES_SWEEP_SUMMARY

/* What the summary has of a result, for the journal: status, verdict, cause, figures. New reference. */
json_t *sweep_row(const struct sweep_plan *plan, const struct sweep_task *task,
		  const json_t *result);
struct sweep_standing {
	const char *state;     /* "running", "ended" or "interrupted" */
	const json_t *running; /* keys of the runs in progress: an array */
};
int sweep_summary(const struct sweep_plan *plan, const struct sweep_tasks *tasks,
		  const struct sweep_journal *journal, const char *folder,
		  const struct sweep_standing *standing, struct pl_err *err) PL_MUST_CHECK;
