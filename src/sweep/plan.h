/*
 * The runs of a sweep: every cell as an experiment, read and checked before anything starts. Invalid cells are skipped,
 * with the rule that they violate. Cells are identified by ids derived from their content, so they stay the same when
 * the file is read again.
 */
#pragma once

#include "experiment/check.h"
#include "experiment/sweep/sweep.h"

#define SWEEP_ID_BYTES 13 /* 12 hexadecimal digits of a SHA-256, and a NUL */

struct sweep_cell {
	const struct exp_sweep_cell *cell;
	char id[SWEEP_ID_BYTES];
	char server
		[SWEEP_ID_BYTES]; /* of its server arguments: cells with equal ones can share a server */
	char load[SWEEP_ID_BYTES]; /* of everything else: equal ones take about the same time */
	bool falls_out;
	struct option_problems problems; /* errors, if it is skipped */
};

struct sweep_plan {
	const struct exp_sweep *sweep;
	const struct vllm_catalog *catalog; /* of the installed release, if there is one */
	struct sweep_cell *cells;           /* in the order of the file */
	size_t count;
	size_t fallen;
	size_t servers; /* server configurations of the valid cells */
};

struct sweep_how {
	const struct vllm_catalog *catalog;   /* of the reference release */
	const struct ckpt_hardware *hardware; /* NULL: that of the host */
	bool simulate;                        /* as `run --sim` */
	bool allow_removed;
};

/*
 * `ret` starts as { 0 }; it borrows the sweep. Faults of the file, and warnings, each once, are added to `problems`.
 * The errors that make a cell invalid are in the cell.
 */
void sweep_plan_make(const struct exp_sweep *sweep, const struct sweep_how *how,
		     struct sweep_plan *ret, struct option_problems *problems);
void sweep_plan_done(struct sweep_plan *plan);

/* Returns the experiment of a valid cell, checked; exp_config_free(). */
struct exp_config *sweep_experiment(const struct sweep_plan *plan, size_t i, bool simulate);
/* Returns {id, server, set, label, point}, and for an invalid cell its problems. New reference. */
json_t *sweep_cell_json(const struct sweep_cell *cell);
