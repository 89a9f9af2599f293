#include "experiment/check.h"

#include <string.h>

#include "base/mem.h"
#include "base/text.h"
#include "experiment/check_priv.h"
#include "experiment/offline.h"

enum phase { PHASE_ALONE, PHASE_TARGET };

#define FORCE_FIRM  false
#define FORCE_FORCE true

enum where { WHERE_ALL, WHERE_FLAGS, WHERE_LOAD };

static const struct row {
	const char *reason;
	enum phase phase;
	bool may_be_forced;
	enum where where;
	void (*run)(struct exp_checker *c);
} rows[] = {
#define CHECK(id, phase_, force, where, text) \
	{ #id, PHASE_##phase_, FORCE_##force, WHERE_##where, exp_check_##id },
#include "tbl/experiment_checks.h"
};

void exp_checked_done(struct exp_checked *checked)
{
	ckpt_facts_free(checked->facts);
	ckpt_memory_done(&checked->memory);
}

static bool holds(const struct exp_checker *c, enum where where)
{
	const struct exp_config *experiment = c->experiment;

	if (where == WHERE_FLAGS)
		return experiment->voice == OPTION_AS_FLAG && exp_offline_kind(experiment) == NULL;
	return where == WHERE_ALL ||
	       !(exp_is_in_process(experiment) || pl_text_equal(c->bench->kind, "startup"));
}

/* Whether an offline benchmark sends a load is known only when all options of the command are. */
static enum phase phase_of(const struct exp_checker *c, const struct row *row)
{
	bool waits = row->where == WHERE_LOAD && exp_offline_kind(c->experiment) != NULL;

	return waits ? PHASE_TARGET : row->phase;
}

static void run_rows(struct exp_checker *c, enum phase phase)
{
	for (size_t i = 0; i < PL_ARRAY_SIZE(rows); i++) {
		size_t first = c->problems->count;
		if (phase_of(c, &rows[i]) != phase || !holds(c, rows[i].where))
			continue;
		rows[i].run(c);
		for (size_t k = first; k < c->problems->count; k++)
			c->problems->items[k].reason = pl_strdup(rows[i].reason);
	}
}

size_t exp_check_firm(const struct option_problems *problems)
{
	size_t count = 0;

	for (size_t i = 0; i < problems->count; i++) {
		const struct row *row = PL_ROW_FIND(rows, reason, problems->items[i].reason);
		count += problems->items[i].severity == OPTION_ERROR &&
			 (row == NULL || !row->may_be_forced);
	}
	return count;
}

bool exp_problem_is_later(const struct option_problem *problem)
{
	return pl_text_equal(problem->reason, "not_in_this_version");
}

void exp_check_alone(const struct exp_config *experiment, struct option_problems *problems)
{
	struct exp_checker c = {
		.experiment = experiment,
		.bench = &experiment->bench,
		.problems = problems,
	};

	run_rows(&c, PHASE_ALONE);
}

/* "tensor_parallel_size" of "server.tensor-parallel-size", "--tensor-parallel-size=x", … */
static const struct option_row *arg_of_key(const struct vllm_catalog *catalog, const char *key)
{
	if (key == NULL)
		return NULL;
	if (pl_text_starts(key, "server."))
		key += strlen("server.");
	key += strspn(key, "-");
	auto_free char *name = pl_strndup(key, strcspn(key, ".[="));
	bool negative;
	return vllm_arg_read_name(catalog, name, &negative);
}

/*
 * Returns whether it comes after another one of the same file. Problems without a location come
 * last.
 */
static bool is_after(const struct option_problem *a, const struct option_problem *b)
{
	if (!pl_text_equal(a->source, b->source) || b->line == 0)
		return false;
	if (a->line == b->line)
		return a->column > b->column;
	return a->line == 0 || a->line > b->line;
}

void exp_check(const struct exp_config *experiment, const struct exp_check_options *options,
	       struct exp_checked *ret, struct option_problems *problems)
{
	/* Arguments that an error is about, and those that a misspelt name was likely meant for. */
	auto_json json_t *refused = json_object();
	for (size_t i = 0; i < problems->count; i++) {
		const struct option_problem *problem = &problems->items[i];
		const struct option_row *arg = arg_of_key(experiment->catalog, problem->key);
		if (problem->severity != OPTION_ERROR)
			continue;
		if (arg == NULL && problem->nearest != NULL)
			arg = arg_of_key(experiment->catalog, problem->nearest);
		if (arg != NULL)
			json_object_set_new(refused, arg->name, json_true());
	}
	struct exp_checker c = {
		.experiment = experiment,
		.bench = &experiment->bench,
		.options = options,
		.checked = ret,
		.refused = refused,
		.problems = problems,
	};

	struct ckpt_source source = ckpt_source_of(experiment->server, experiment->launch.env);

	ret->facts = ckpt_facts_know(&source);
	run_rows(&c, PHASE_TARGET);
	for (size_t i = 1; i < problems->count; i++) {
		struct option_problem problem = problems->items[i];
		size_t at = i;
		for (; at > 0 && is_after(&problems->items[at - 1], &problem); at--)
			problems->items[at] = problems->items[at - 1];
		problems->items[at] = problem;
	}
	if (options->strict) {
		for (size_t i = 0; i < problems->count; i++)
			problems->items[i].severity = OPTION_ERROR;
		problems->errors = problems->count;
	}
}
