/*
 * Measures two files in turn until the gate (result/gate/gate.h) decides. Each side is a sweep of its
 * own, with its journal, so that a stopped gate continues where it was.
 *
 *	round 1   base, candidate      one run of each combination
 *	round 2   candidate, base      of each combination that is not decided, and so on
 *
 * - A server is started for each side and round: the difference between two starts is part of the
 *   spread.
 * - It ends when every combination is decided, one of them is a regression, or the budget is used up.
 *   Failed runs do not end it: a combination is given up after SWEEP_GATE_FAILURES_MAX rounds.
 */
#pragma once

#include "result/gate/gate.h"
#include "sweep/sweep.h"

#define SWEEP_GATE_FAILURES_MAX 2 /* rounds in which a combination may fail before it is given up */

struct sweep_gate_side {
	const struct sweep_plan *plan;
	const char *folder;
};

struct sweep_gate {
	struct sweep_gate_side sides[RES_GATE_SIDES];
	/* of both; folder, repeats, cell_repeats and resume are set for each round */
	const struct sweep_settings *settings;
	int64_t rounds_max;
	int64_t deadline_ns; /* of pl_clock_now_ns(); 0: none */
	/* Called after each round, with its number; or NULL. */
	void (*show)(void *user, const struct res_gate *gate, int64_t round);
	void *user;
};

/*
 * Adds the results of both sides to `gate`, which must be empty. *ret_signal: the signal that ended
 * it, or 0. Returns -1 if a result or a journal cannot be read or written.
 */
int sweep_gate_run(const struct sweep_gate *sweeps, const struct res_fields *fields,
		   struct res_gate *gate, int *ret_signal, struct pl_err *err) PL_MUST_CHECK;
