#include "result/gate/gate.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/stats.h"
#include "base/text.h"
#include "result/change/change.h"
#include "result/gate/evidence.h"
#include "result/match/grid.h"
#include "result/match/nearest.h"

#define RUNS_MIN     3    /* pairs, or runs of each group: fewer show no spread */
#define EQUAL        1e-9 /* numbers of runs this near are equal */
#define MORE_MAX     10000
#define SENTENCE_MAX 512

const char *res_gate_state_name(enum res_gate_state state)
{
	static const char *const names[] = {
		[RES_GATE_PASS] = "pass",
		[RES_GATE_UNDECIDED] = "undecided",
		[RES_GATE_NOT_JUDGED] = "not_judged",
		[RES_GATE_REGRESSION] = "regression",
	};

	return names[state];
}

/* ---- one test ------------------------------------------------------------------------------ */

/*
 * Passing comes first: where measurements are so exact that both bounds are between equality and the
 * minimum effect, the difference is real and does not matter.
 */
static enum res_gate_state judge(const struct res_gate_limits *limits,
				 const struct res_evidence *evidence)
{
	if (res_evidence_below(evidence, limits->effect) >= -log(limits->beta))
		return RES_GATE_PASS;
	if (evidence->mean >= limits->effect / 2 &&
	    res_evidence_above(evidence, 0) >= -log(limits->alpha))
		return RES_GATE_REGRESSION;
	return RES_GATE_UNDECIDED;
}

enum res_gate_state res_gate_judge_pairs(const struct res_gate_limits *limits, const double *x,
					 size_t n)
{
	struct res_evidence evidence = res_evidence_of_pairs(x, n);

	return n < RUNS_MIN ? RES_GATE_UNDECIDED : judge(limits, &evidence);
}

enum res_gate_state res_gate_judge_groups(const struct res_gate_limits *limits, const double *a,
					  size_t m, const double *b, size_t k)
{
	struct res_evidence evidence = res_evidence_of_groups(a, m, b, k);

	return m < 2 || k < 2 || m + k < 2 * RUNS_MIN ? RES_GATE_UNDECIDED
						      : judge(limits, &evidence);
}

/*
 * Supposes that mean and spread stay as they are, the mean moved to the nearer of equality and the
 * minimum effect.
 */
static double more_of(const struct res_gate_limits *limits, const struct res_evidence *evidence)
{
	bool is_worse = evidence->mean >= limits->effect / 2;

	if (!(evidence->freedom > 0) || !isfinite(evidence->mean))
		return NAN;
	for (size_t more = 1; more <= MORE_MAX; more += 1 + more / 50) {
		double grown = (evidence->weight + (double)more) / evidence->weight;
		struct res_evidence later = {
			.mean = is_worse ? fmax(evidence->mean, limits->effect) : 0,
			.sum_squares = evidence->sum_squares * grown,
			.weight = evidence->weight * grown,
			.freedom = evidence->freedom + (double)more,
		};
		if (judge(limits, &later) != RES_GATE_UNDECIDED)
			return (double)more;
	}
	return NAN;
}

/* ---- the results --------------------------------------------------------------------------- */

struct gate_run {
	int64_t round;  /* 0: not paired */
	double *values; /* [metric]; NaN: none */
};

struct gate_cell {
	char *key;
	json_t *inputs;
	struct gate_run *runs[RES_GATE_SIDES];
	size_t count[RES_GATE_SIDES];
	size_t room[RES_GATE_SIDES];
};

struct res_gate {
	const struct res_fields *fields;
	struct res_gate_options options;
	struct gate_cell *cells;
	json_t *index; /* {key: index of the cell} */
	size_t count;
	size_t room;
	struct res_grid *grid;
	size_t runs[RES_GATE_SIDES], failed[RES_GATE_SIDES]; /* runs includes failed */
	size_t interrupted[RES_GATE_SIDES], copies[RES_GATE_SIDES];
	json_t *run_ids[RES_GATE_SIDES]; /* objects */
	int64_t rounds;
};

struct res_gate *res_gate_new(const struct res_fields *fields,
			      const struct res_gate_options *options)
{
	struct res_gate *gate = pl_alloc_array(1, sizeof(*gate));
	struct res_grid_options grid = { .metrics = options->metrics,
					 .metric_count = options->metric_count,
					 .effect = options->effect,
					 .names = { options->names[0], options->names[1] },
					 .vary = options->vary,
					 .vary_count = options->vary_count };

	gate->fields = fields;
	gate->options = *options;
	gate->grid = res_grid_new(fields, &grid);
	gate->index = json_object();
	for (size_t s = 0; s < RES_GATE_SIDES; s++)
		gate->run_ids[s] = json_object();
	return gate;
}

void res_gate_free(struct res_gate *gate)
{
	for (size_t i = 0; gate != NULL && i < gate->count; i++) {
		struct gate_cell *cell = &gate->cells[i];
		for (size_t s = 0; s < RES_GATE_SIDES; s++) {
			for (size_t k = 0; k < cell->count[s]; k++)
				free(cell->runs[s][k].values);
			free(cell->runs[s]);
		}
		free(cell->key);
		json_decref(cell->inputs);
	}
	if (gate != NULL) {
		free(gate->cells);
		json_decref(gate->index);
		res_grid_free(gate->grid);
		for (size_t s = 0; s < RES_GATE_SIDES; s++)
			json_decref(gate->run_ids[s]);
	}
	free(gate);
}

char *res_gate_key(const struct res_gate *gate, const json_t *document)
{
	auto_json json_t *inputs = res_match_inputs(gate->fields, document);

	return res_match_key(inputs, gate->options.vary, gate->options.vary_count);
}

static struct gate_cell *find_cell(const struct res_gate *gate, const char *key)
{
	const json_t *index = json_object_get(gate->index, key);

	return index != NULL ? &gate->cells[json_integer_value(index)] : NULL;
}

static double value_of(const struct res_gate *gate, size_t metric, const json_t *document)
{
	auto_value value = { .state = RES_VALUE_NOT_RECORDED };

	res_field_value(gate->fields, &gate->options.metrics[metric], document, &value);
	return value.state == RES_VALUE_PRESENT && value.kind == RES_VALUE_NUMBER &&
			       isfinite(value.number)
		       ? value.number
		       : NAN;
}

/* Files of vLLM have no status: they exist if the run completed. */
static bool is_completed(const json_t *document)
{
	const char *status = pl_json_get_text(document, "status");

	return status == NULL || strcmp(status, "completed") == 0;
}

/* By the user or the pipeline: it says nothing about the side. */
static bool is_interrupted(const json_t *document)
{
	return pl_text_equal(pl_json_get_text(document, "status"), "interrupted");
}

/* Files of vLLM have no run_id. */
static bool is_copy(struct res_gate *gate, unsigned side, const json_t *document)
{
	const char *run_id = pl_json_get_text(document, "run_id");

	if (run_id == NULL)
		return false;
	if (json_object_get(gate->run_ids[side], run_id) != NULL)
		return true;
	json_object_set_new(gate->run_ids[side], run_id, json_true());
	return false;
}

void res_gate_add(struct res_gate *gate, unsigned side, int64_t round, const json_t *document)
{
	if (is_copy(gate, side, document)) {
		gate->copies[side]++;
		return;
	}
	if (is_interrupted(document)) {
		gate->interrupted[side]++;
		return;
	}
	gate->runs[side]++;
	if (round > gate->rounds)
		gate->rounds = round;
	/* a failed run may lack inputs, so its configuration is not certain */
	if (!is_completed(document)) {
		gate->failed[side]++;
		return;
	}
	char *key = res_gate_key(gate, document);
	struct gate_cell *cell = find_cell(gate, key);
	if (cell == NULL) {
		json_object_set_new(gate->index, key, json_integer((json_int_t)gate->count));
		cell = PL_PUSH(gate->cells, gate->count, gate->room);
		*cell = (struct gate_cell){ .key = key, .inputs = pl_json_of_text(key) };
	} else {
		free(key);
	}
	struct gate_run *run = PL_PUSH(cell->runs[side], cell->count[side], cell->room[side]);
	run->round = round;
	run->values = pl_alloc_array(gate->options.metric_count, sizeof(run->values[0]));
	for (size_t k = 0; k < gate->options.metric_count; k++)
		run->values[k] = value_of(gate, k, document);
	res_grid_add_document(gate->grid, side == RES_GATE_BASE ? RES_GRID_A : RES_GRID_B,
			      document);
}

/* ---- a test of one metric in one configuration --------------------------------------------- */

struct test {
	const struct res_field *field;
	struct res_gate_limits limits;
	double *x
		[RES_GATE_SIDES]; /* logarithms, above is worse; for pairs, x[0] has the differences */
	size_t count[RES_GATE_SIDES];
	bool is_paired;
	double value[RES_GATE_SIDES]; /* geometric means; NaN: none */
	size_t lost[RES_GATE_SIDES];  /* runs without a value, or with a rate of 0 */
	size_t runs[RES_GATE_SIDES];
	bool is_lost;  /* the candidate lacks it more often than the baseline does */
	bool is_empty; /* the baseline does not have it */
	struct res_evidence evidence;
	enum res_gate_state state;
};

static void test_done(struct test *test)
{
	free(test->x[0]);
	free(test->x[1]);
}
#define auto_test __attribute__((cleanup(test_done))) struct test

static bool is_matched(const struct gate_cell *cell)
{
	return cell->count[RES_GATE_BASE] > 0 && cell->count[RES_GATE_CANDIDATE] > 0;
}

/* Each test has its share of alpha. */
static double alpha_of(const struct res_gate *gate)
{
	size_t matched = 0;

	for (size_t i = 0; i < gate->count; i++)
		matched += is_matched(&gate->cells[i]);
	size_t tests = matched * gate->options.metric_count;
	return gate->options.alpha / (double)(tests > 0 ? tests : 1);
}

/* Runs are pairs if each has a round, and no other run of its side has the same one. */
static bool has_rounds(const struct gate_cell *cell, size_t side)
{
	for (size_t k = 0; k < cell->count[side]; k++) {
		for (size_t i = 0; i < k; i++) {
			if (cell->runs[side][i].round == cell->runs[side][k].round)
				return false;
		}
		if (cell->runs[side][k].round == 0)
			return false;
	}
	return cell->count[side] > 0;
}

static const struct gate_run *partner_of(const struct gate_cell *cell, int64_t round)
{
	for (size_t k = 0; k < cell->count[RES_GATE_CANDIDATE]; k++) {
		if (cell->runs[RES_GATE_CANDIDATE][k].round == round)
			return &cell->runs[RES_GATE_CANDIDATE][k];
	}
	return NULL;
}

/* Returns the sum of the values' logarithms; *ret_count: those above 0. */
static double add_logs(const struct gate_cell *cell, unsigned side, size_t metric, double sign,
		       double *x, size_t *ret_count, size_t *ret_values)
{
	double sum = 0;

	for (size_t k = 0; k < cell->count[side]; k++) {
		double value = cell->runs[side][k].values[metric];
		*ret_values += !isnan(value);
		if (!(value > 0))
			continue;
		x[(*ret_count)++] = sign * log(value);
		sum += log(value);
	}
	return sum;
}

static void pair_runs(const struct gate_cell *cell, size_t metric, double sign, struct test *test)
{
	size_t count = 0;

	for (size_t k = 0; k < cell->count[RES_GATE_BASE]; k++) {
		const struct gate_run *run = &cell->runs[RES_GATE_BASE][k];
		const struct gate_run *partner = partner_of(cell, run->round);
		if (partner != NULL && run->values[metric] > 0 && partner->values[metric] > 0)
			test->x[0][count++] = sign *
					      log(partner->values[metric] / run->values[metric]);
	}
	test->count[0] = count;
	test->evidence = res_evidence_of_pairs(test->x[0], count);
	test->state = res_gate_judge_pairs(&test->limits, test->x[0], count);
}

/*
 * The remaining runs would hide a loss. A single run, or up to twice the share of the baseline, may be
 * chance.
 */
static bool loses_more(const struct test *test)
{
	size_t base = test->lost[RES_GATE_BASE], candidate = test->lost[RES_GATE_CANDIDATE];

	if (test->count[RES_GATE_CANDIDATE] == 0)
		return test->runs[RES_GATE_CANDIDATE] > 0;
	return candidate > 1 &&
	       candidate * test->runs[RES_GATE_BASE] > 2 * base * test->runs[RES_GATE_CANDIDATE];
}

/* Compares the runs that have the metric. */
static void judge_test(const struct gate_cell *cell, size_t metric, double sign, struct test *test)
{
	if (test->is_paired) {
		pair_runs(cell, metric, sign, test);
		return;
	}
	test->evidence = res_evidence_of_groups(test->x[0], test->count[0], test->x[1],
						test->count[1]);
	test->state = res_gate_judge_groups(&test->limits, test->x[0], test->count[0], test->x[1],
					    test->count[1]);
}

static void make_test(const struct res_gate *gate, const struct gate_cell *cell, size_t metric,
		      double alpha, struct test *ret)
{
	const struct res_field *field = &gate->options.metrics[metric];
	double sign = field->direction == RES_FIELD_HIGHER ? -1 : 1;
	double effect = gate->options.effect > 0 ? log1p(gate->options.effect)
						 : res_change_effect_default(field);
	size_t values[RES_GATE_SIDES] = { 0 };

	*ret = (struct test){ .field = field,
			      .limits = { effect, alpha, gate->options.beta },
			      .state = RES_GATE_NOT_JUDGED };
	ret->is_paired = has_rounds(cell, 0) && has_rounds(cell, 1);
	for (size_t s = 0; s < RES_GATE_SIDES; s++) {
		ret->x[s] = pl_alloc_array(cell->count[s], sizeof(double));
		ret->runs[s] = cell->count[s];
		double sum = add_logs(cell, (unsigned)s, metric, sign, ret->x[s], &ret->count[s],
				      &values[s]);
		ret->lost[s] = cell->count[s] - (sign < 0 ? ret->count[s] : values[s]);
		ret->value[s] = ret->count[s] > 0 ? exp(sum / (double)ret->count[s])
				: values[s] > 0   ? 0
						  : NAN;
	}
	ret->evidence.mean = NAN;
	/* values of 0 have no ratio: throughput that became 0 is lost, a latency of 0 is not judged */
	ret->is_empty = cell->count[0] > 0 && ret->count[0] == 0;
	ret->is_lost = ret->count[0] > 0 && loses_more(ret);
	if (ret->is_empty || ret->count[0] == 0 || ret->count[1] == 0)
		return;
	judge_test(cell, metric, sign, ret);
	if (ret->is_lost && ret->state != RES_GATE_REGRESSION)
		ret->state = RES_GATE_NOT_JUDGED;
}

static bool is_skipped(const struct res_gate *gate, const struct test *test)
{
	return test->is_empty && gate->options.skip_empty;
}

/* The worst state of its tests. */
static enum res_gate_state cell_state(const struct res_gate *gate, const struct gate_cell *cell,
				      double alpha)
{
	enum res_gate_state worst = RES_GATE_PASS;
	size_t judged = 0;

	if (!is_matched(cell))
		return RES_GATE_NOT_JUDGED;
	for (size_t k = 0; k < gate->options.metric_count; k++) {
		auto_test test;
		make_test(gate, cell, k, alpha, &test);
		if (is_skipped(gate, &test))
			continue;
		judged++;
		worst = test.state > worst ? test.state : worst;
	}
	return judged > 0 ? worst : RES_GATE_NOT_JUDGED;
}

enum res_gate_state res_gate_cell_state(const struct res_gate *gate, const char *key)
{
	const struct gate_cell *cell = find_cell(gate, key);

	return cell != NULL ? cell_state(gate, cell, alpha_of(gate)) : RES_GATE_NOT_JUDGED;
}

enum res_gate_state res_gate_tests_state(const struct res_gate *gate)
{
	enum res_gate_state worst = gate->count > 0 ? RES_GATE_PASS : RES_GATE_NOT_JUDGED;
	double alpha = alpha_of(gate);

	for (size_t i = 0; i < gate->count; i++) {
		const struct gate_cell *cell = &gate->cells[i];
		/* a configuration that only the candidate has is listed, and lacks nothing */
		if (cell->count[RES_GATE_BASE] == 0)
			continue;
		enum res_gate_state state = cell_state(gate, cell, alpha);
		worst = state > worst ? state : worst;
	}
	return worst;
}

/*
 * A failed run is an event, not a noisy number: without failures of the baseline, one is enough. The
 * share of the baseline is rounded up to whole runs, so that 1 failure in 19 runs is not more than 2 in
 * 40.
 */
static bool fails_more(const struct res_gate *gate)
{
	size_t runs = gate->runs[RES_GATE_CANDIDATE], base_runs = gate->runs[RES_GATE_BASE];
	size_t base = 0;

	if (base_runs > 0)
		base = (gate->failed[RES_GATE_BASE] * runs + base_runs - 1) / base_runs;
	return (double)gate->failed[RES_GATE_CANDIDATE] >
	       (double)base + gate->options.max_failed * (double)runs + EQUAL;
}

/* ---- the report ---------------------------------------------------------------------------- */

static json_t *failed_json(const struct res_gate *gate)
{
	bool is_worse = fails_more(gate);
	json_t *sentence = json_null();

	if (is_worse)
		sentence = json_sprintf(
			"%zu of %zu runs of the candidate did not complete, and %zu of %zu of the "
			"baseline",
			gate->failed[RES_GATE_CANDIDATE], gate->runs[RES_GATE_CANDIDATE],
			gate->failed[RES_GATE_BASE], gate->runs[RES_GATE_BASE]);
	return json_pack("{s:s, s:f, s:o}", "state",
			 res_gate_state_name(is_worse ? RES_GATE_REGRESSION : RES_GATE_PASS), "max",
			 gate->options.max_failed, "sentence", sentence);
}

static const char *direction_name(const struct res_field *field)
{
	static const char *const names[] = { [RES_FIELD_NEITHER] = "neither",
					     [RES_FIELD_LOWER] = "lower",
					     [RES_FIELD_HIGHER] = "higher" };

	return names[field->direction];
}

/* Bounds of candidate/baseline from those of "worse"; a rate is worse if it is lower. */
static struct res_interval ratio_interval(const struct test *test)
{
	struct res_interval worse = res_evidence_interval(&test->evidence, test->limits.alpha,
							  test->limits.beta);

	if (test->field->direction == RES_FIELD_HIGHER)
		return (struct res_interval){ exp(-worse.high), exp(-worse.low) };
	return (struct res_interval){ exp(worse.low), exp(worse.high) };
}

static json_t *bound_json(double bound)
{
	return bound > 0 && isfinite(bound) ? json_real(bound) : json_null();
}

static void add_percent(struct pl_buf *text, double share)
{
	pl_buf_addf(text, "%.1f %%", fabs(share) < 0.00005 ? 0 : 100 * fabs(share));
}

static json_t *sentence_of(const struct test *test, double more)
{
	auto_buf text = PL_BUF(SENTENCE_MAX);
	double worse = test->field->direction == RES_FIELD_HIGHER ? -expm1(-test->evidence.mean)
								  : expm1(test->evidence.mean);

	if (test->is_lost && test->state == RES_GATE_NOT_JUDGED)
		return json_sprintf(
			"the candidate lacks this metric, or it is 0, in %zu of %zu runs",
			test->count[RES_GATE_CANDIDATE] > 0 ? test->lost[RES_GATE_CANDIDATE]
							    : test->runs[RES_GATE_CANDIDATE],
			test->runs[RES_GATE_CANDIDATE]);
	if (test->is_empty)
		return json_string("the baseline does not have this metric, or it is 0");
	if (isnan(test->evidence.mean))
		return json_string("no pair of runs has this metric");
	add_percent(&text, worse);
	pl_buf_add_text(&text, worse >= 0 ? " worse: " : " better: ");
	if (test->state == RES_GATE_REGRESSION)
		pl_buf_add_text(&text, "equality is excluded");
	else if (test->state == RES_GATE_PASS)
		pl_buf_add_text(&text, "a loss of the minimum effect is excluded");
	else if (isfinite(more))
		pl_buf_addf(&text, "about %.0f more runs per side decide", more);
	else
		pl_buf_add_text(&text, "more runs are needed");
	return json_string(pl_buf_text(&text));
}

static json_t *test_json(const struct test *test)
{
	bool is_rate = test->field->direction == RES_FIELD_HIGHER;
	struct res_interval bounds = { NAN, NAN };
	double more = NAN;

	if (isfinite(test->evidence.mean))
		bounds = ratio_interval(test);
	if (test->state == RES_GATE_UNDECIDED)
		more = more_of(&test->limits, &test->evidence);
	json_t *answer = json_pack(
		"{s:s, s:s, s:s, s:s, s:f, s:s, s:b, s:I}", "field", test->field->id, "label",
		test->field->label, "unit", test->field->unit, "direction",
		direction_name(test->field), "effect", expm1(test->limits.effect), "state",
		res_gate_state_name(test->state), "paired", test->is_paired, "count",
		(json_int_t)(test->is_paired || test->count[0] < test->count[1] ? test->count[0]
										: test->count[1]));
	json_object_set_new(answer, "base", pl_json_number(test->value[RES_GATE_BASE]));
	json_object_set_new(answer, "candidate", pl_json_number(test->value[RES_GATE_CANDIDATE]));
	json_object_set_new(
		answer, "ratio",
		pl_json_number(exp(is_rate ? -test->evidence.mean : test->evidence.mean)));
	json_object_set_new(answer, "low", bound_json(bounds.low));
	json_object_set_new(answer, "high", bound_json(bounds.high));
	json_object_set_new(answer, "more_runs_count", pl_json_number(more));
	json_object_set_new(answer, "sentence", sentence_of(test, more));
	return answer;
}

static json_t *cell_json(const struct res_gate *gate, const struct gate_cell *cell,
			 const json_t *axes, double alpha)
{
	auto_free char *label = res_match_label(cell->inputs, axes);
	json_t *metrics = json_array();

	for (size_t k = 0; k < gate->options.metric_count; k++) {
		auto_test test;
		make_test(gate, cell, k, alpha, &test);
		if (!is_skipped(gate, &test))
			json_array_append_new(metrics, test_json(&test));
	}
	return json_pack("{s:s, s:s, s:s, s:I, s:I, s:o}", "key", cell->key, "label", label,
			 "state", res_gate_state_name(cell_state(gate, cell, alpha)), "base_count",
			 (json_int_t)cell->count[RES_GATE_BASE], "candidate_count",
			 (json_int_t)cell->count[RES_GATE_CANDIDATE], "metrics", metrics);
}

/* The cells of one side, sorted by key: of equally similar ones the first key counts. */
struct cells {
	const struct gate_cell **items;
	const json_t **inputs;
	size_t count;
};

static void cells_done(struct cells *cells)
{
	free(cells->items);
	free(cells->inputs);
}
#define auto_cells __attribute__((cleanup(cells_done))) struct cells

static int compare_cells(const void *a, const void *b)
{
	const struct gate_cell *const *one = a, *const *other = b;

	return strcmp((*one)->key, (*other)->key);
}

/* Returns the cells that both sides have, or those that `side` has, or has alone. */
enum pick { PICK_MATCHED, PICK_SIDE, PICK_ALONE };

static struct cells pick(const struct res_gate *gate, enum pick which, unsigned side)
{
	struct cells picked = { .items = pl_alloc_array(gate->count + 1, sizeof(*picked.items)),
				.inputs = pl_alloc_array(gate->count + 1, sizeof(*picked.inputs)) };

	for (size_t i = 0; i < gate->count; i++) {
		const struct gate_cell *cell = &gate->cells[i];
		if (cell->count[side] > 0 &&
		    (which == PICK_SIDE || is_matched(cell) == (which == PICK_MATCHED)))
			picked.items[picked.count++] = cell;
	}
	qsort(picked.items, picked.count, sizeof(*picked.items), compare_cells);
	for (size_t i = 0; i < picked.count; i++)
		picked.inputs[i] = picked.items[i]->inputs;
	return picked;
}

/* The configurations that only `side` has. axes: the inputs in which any two configurations differ. */
static json_t *alone_json(const struct res_gate *gate, unsigned side, const json_t *axes)
{
	auto_cells alone = pick(gate, PICK_ALONE, side);
	auto_cells others = pick(gate, PICK_SIDE, 1 - side);
	auto_free size_t *nearest = res_match_nearest(alone.inputs, alone.count, others.inputs,
						      others.count, NULL);
	json_t *answer = json_array();

	for (size_t i = 0; i < alone.count; i++) {
		const struct gate_cell *cell = alone.items[i];
		auto_free char *label = res_match_label(cell->inputs, axes);
		json_t *differs = nearest[i] == SIZE_MAX
					  ? json_array()
					  : res_match_differences(cell->inputs,
								  others.inputs[nearest[i]]);
		json_array_append_new(answer,
				      json_pack("{s:s, s:s, s:I, s:o}", "key", cell->key, "label",
						label, "count", (json_int_t)cell->count[side],
						"differs", differs));
	}
	return answer;
}

static json_t *side_json(const struct res_gate *gate, unsigned side)
{
	return json_pack("{s:s, s:I, s:I, s:I, s:I}", "name", gate->options.names[side], "runs",
			 (json_int_t)gate->runs[side], "failed", (json_int_t)gate->failed[side],
			 "interrupted", (json_int_t)gate->interrupted[side], "copies",
			 (json_int_t)gate->copies[side]);
}

json_t *res_gate_json(const struct res_gate *gate)
{
	double alpha = alpha_of(gate);
	auto_cells matched = pick(gate, PICK_MATCHED, RES_GATE_BASE);
	auto_json json_t *list = json_array(), *all = json_array();
	json_t *cells = json_array();
	enum res_gate_state state = fails_more(gate) ? RES_GATE_REGRESSION
						     : res_gate_tests_state(gate);

	for (size_t i = 0; i < gate->count; i++)
		json_array_append(all, gate->cells[i].inputs);
	for (size_t i = 0; i < matched.count; i++)
		json_array_append(list, matched.items[i]->inputs);
	auto_json json_t *axes = res_match_axes(list), *all_axes = res_match_axes(all);
	for (size_t i = 0; i < matched.count; i++)
		json_array_append_new(cells, cell_json(gate, matched.items[i], axes, alpha));
	return json_pack("{s:o, s:o, s:s, s:f, s:f, s:o, s:o, s:o, s:o, s:o, s:o}", "base",
			 side_json(gate, RES_GATE_BASE), "candidate",
			 side_json(gate, RES_GATE_CANDIDATE), "state", res_gate_state_name(state),
			 "alpha", gate->options.alpha, "beta", gate->options.beta, "rounds",
			 gate->rounds > 0 ? json_integer(gate->rounds) : json_null(), "failed_runs",
			 failed_json(gate), "cells", cells, "missing",
			 alone_json(gate, RES_GATE_BASE, all_axes), "added",
			 alone_json(gate, RES_GATE_CANDIDATE, all_axes), "releases",
			 res_grid_json(gate->grid));
}
