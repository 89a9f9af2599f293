#include "sweep/gate.h"

#include <stdlib.h>

#include "base/clock.h"
#include "base/text.h"
#include "result/read.h"

/* A combination of one side. */
struct gate_cell {
	char *key;       /* of its first completed run; NULL: none yet */
	int64_t repeats; /* that it has, or is to have */
	bool is_over;
};

struct gating {
	const struct sweep_gate *sweeps;
	const struct res_fields *fields;
	struct res_gate *gate;
	struct gate_cell *cells[RES_GATE_SIDES]; /* by the plan's index */
	int signal;
};

static void gating_done(struct gating *gating)
{
	for (unsigned s = 0; s < RES_GATE_SIDES; s++) {
		for (size_t i = 0; i < gating->sweeps->sides[s].plan->count; i++)
			free(gating->cells[s][i].key);
		free(gating->cells[s]);
	}
}

/* Runs what a side does not have yet. */
static int run_side(struct gating *gating, unsigned s, int64_t round, struct pl_err *err)
{
	const struct sweep_gate_side *side = &gating->sweeps->sides[s];
	auto_free int64_t *repeats = pl_alloc_array(side->plan->count, sizeof(*repeats));
	struct sweep_settings settings = *gating->sweeps->settings;
	struct sweep_outcome outcome;

	for (size_t i = 0; i < side->plan->count; i++)
		repeats[i] = gating->cells[s][i].repeats;
	settings.folder = side->folder;
	settings.repeats = round;
	settings.cell_repeats = repeats;
	/* a later round continues the sweep of the first one */
	settings.resume = settings.resume || round > 1;
	if (sweep_run(side->plan, &settings, &outcome, err) < 0)
		return -1;
	gating->signal = outcome.signal;
	return 0;
}

/* Adds the results of a round. A run without a result was counted by its sweep, and is repeated. */
static int take_side(struct gating *gating, unsigned s, int64_t round, struct pl_err *err)
{
	const struct sweep_gate_side *side = &gating->sweeps->sides[s];
	auto_sweep_journal journal;

	if (sweep_journal_look(side->folder, &journal, err) < 0)
		return -1;
	for (size_t i = 0; i < side->plan->count; i++) {
		struct gate_cell *cell = &gating->cells[s][i];
		const char *id = side->plan->cells[i].id;
		if (cell->repeats < round || side->plan->cells[i].falls_out)
			continue;
		auto_free char *key = round == 1 ? pl_strdup(id)
						 : pl_asprintf("%s.%lld", id, (long long)round);
		const json_t *row = json_object_get(journal.rows, key);
		const char *result = pl_json_get_text(row, "result");
		if (result == NULL)
			continue;
		auto_free char *path = pl_asprintf("%s/%s", side->folder, result);
		auto_json json_t *document = NULL;
		if (res_read_file(gating->fields, path, &document, err) < 0)
			return -1;
		res_gate_add(gating->gate, s, round, document);
		if (cell->key == NULL &&
		    pl_text_equal(pl_json_get_text(row, "status"), "completed"))
			cell->key = res_gate_key(gating->gate, document);
	}
	return 0;
}

/* Returns whether a combination needs another round, and notes it for the next one. */
static bool plan_round(struct gating *gating, int64_t round)
{
	bool is_needed = false;

	for (unsigned s = 0; s < RES_GATE_SIDES; s++) {
		const struct sweep_plan *plan = gating->sweeps->sides[s].plan;
		for (size_t i = 0; i < plan->count; i++) {
			struct gate_cell *cell = &gating->cells[s][i];
			enum res_gate_state state = cell->key != NULL
							    ? res_gate_cell_state(gating->gate,
										  cell->key)
							    : RES_GATE_NOT_JUDGED;
			if (plan->cells[i].falls_out || cell->is_over)
				continue;
			cell->is_over = state == RES_GATE_PASS || state == RES_GATE_REGRESSION ||
					(state == RES_GATE_NOT_JUDGED &&
					 round >= SWEEP_GATE_FAILURES_MAX);
			if (cell->is_over)
				continue;
			cell->repeats = round + 1;
			is_needed = true;
		}
	}
	return is_needed;
}

static int run_round(struct gating *gating, int64_t round, struct pl_err *err)
{
	for (unsigned k = 0; k < RES_GATE_SIDES && gating->signal == 0; k++) {
		unsigned s = round % 2 == 1 ? k : 1 - k;
		if (run_side(gating, s, round, err) < 0)
			return -1;
	}
	for (unsigned s = 0; s < RES_GATE_SIDES; s++) {
		if (take_side(gating, s, round, err) < 0)
			return -1;
	}
	return 0;
}

static int run_rounds(struct gating *gating, struct pl_err *err)
{
	const struct sweep_gate *sweeps = gating->sweeps;

	for (int64_t round = 1; round <= sweeps->rounds_max && gating->signal == 0; round++) {
		if (run_round(gating, round, err) < 0)
			return -1;
		if (sweeps->show != NULL)
			sweeps->show(sweeps->user, gating->gate, round);
		if (res_gate_tests_state(gating->gate) == RES_GATE_REGRESSION ||
		    !plan_round(gating, round))
			break;
		if (sweeps->deadline_ns > 0 && pl_clock_now_ns() >= sweeps->deadline_ns)
			break;
	}
	return 0;
}

int sweep_gate_run(const struct sweep_gate *sweeps, const struct res_fields *fields,
		   struct res_gate *gate, int *ret_signal, struct pl_err *err)
{
	struct gating gating = { .sweeps = sweeps, .fields = fields, .gate = gate };

	for (unsigned s = 0; s < RES_GATE_SIDES; s++) {
		size_t count = sweeps->sides[s].plan->count;
		gating.cells[s] = pl_alloc_array(count, sizeof(*gating.cells[s]));
		for (size_t i = 0; i < count; i++)
			gating.cells[s][i].repeats = 1;
	}
	int done = run_rounds(&gating, err);
	*ret_signal = gating.signal;
	gating_done(&gating);
	return done;
}
