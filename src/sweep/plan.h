/*
 * What of a sweep is to be run: every cell as an experiment, read and checked before anything starts.
 * One that cannot work falls out, with the rule that it breaks; the others are told apart by ids that
 * follow from what they ask for, so that they are the same cells when the file is read again.
 */
#pragma once

#include "experiment/check.h"
#include "experiment/sweep/sweep.h"

#define SWEEP_ID_BYTES 13 /* 12 hexadecimal digits of a SHA-256, and a NUL */

struct sweep_cell {
	const struct exp_sweep_cell *cell;
	char id[SWEEP_ID_BYTES];
	char server[SWEEP_ID_BYTES]; /* of what its server is asked for: equal ones share a life */
	char load[SWEEP_ID_BYTES];   /* of all but that: equal ones take about equally long */
	bool falls_out;
	struct option_problems problems; /* errors, where it falls out */
};

struct sweep_plan {
	const struct exp_sweep *sweep;
	const struct vllm_catalog *catalog; /* of the release that is installed, if one is */
	struct sweep_cell *cells;           /* in the order of the file */
	size_t count;
	size_t fallen;
	size_t servers; /* configurations of those that stay */
};

struct sweep_how {
	const struct vllm_catalog *catalog;   /* of the reference release */
	const struct ckpt_hardware *hardware; /* NULL: the host's */
	bool simulate;                        /* as `run --sim` */
	bool allow_gone;
};

/*
 * `ret` starts as { 0 }; it borrows the sweep. Faults of the file, and warnings, each once, become
 * problems; what makes single cells fall out stands with them.
 */
void sweep_plan_make(const struct exp_sweep *sweep, const struct sweep_how *how,
		     struct sweep_plan *ret, struct option_problems *problems);
void sweep_plan_done(struct sweep_plan *plan);
#define auto_sweep_plan __attribute__((cleanup(sweep_plan_done), unused)) struct sweep_plan

/* The experiment of a cell that stays, as it was checked; exp_config_free(). */
struct exp_config *sweep_experiment(const struct sweep_plan *plan, size_t i, bool simulate);
/* {id, server, set, label, point}, and of one that falls out problems. New reference. */
json_t *sweep_cell_json(const struct sweep_cell *cell);
