/*
 * FOLDER/summary.json and summary.csv: a row a run, in the order of the file, then what the file no
 * longer has. Each is written beside its place and renamed.
 */
#pragma once

#include "run/sweep/tasks.h"

/* What the summary has of a result, for the journal: status, verdict, cause, figures. New reference. */
json_t *run_sweep_row(const struct run_sweep_plan *plan, const struct run_sweep_task *task,
		      const json_t *result);
int run_sweep_summary(const struct run_sweep_plan *plan, const struct run_sweep_tasks *tasks,
		      const struct run_sweep_journal *journal, const char *folder,
		      struct pl_err *err) PL_MUST_CHECK;
