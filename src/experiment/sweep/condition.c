/*
 * Conditions: `where: "server.tensor_parallel_size * server.pipeline_parallel_size <= 8"`, in the
 * language of the rules between arguments. A name is the value in the cell, otherwise in the file,
 * otherwise the default; a key that the sweep varies may be shortened to its last part. A
 * combination is kept if its condition is true, not if it is unknown.
 */
#include <string.h>

#include "base/text.h"
#include "experiment/sweep/sweep_priv.h"
#include "vllm/expr_eval.h"

struct exp_condition *exp_condition_read(struct exp_sweep_reader *sweep,
					 const struct pl_yaml *value)
{
	struct pl_arena *arena = sweep->sweep->arena;
	struct exp_condition *condition = pl_arena_alloc(arena, sizeof(*condition));
	struct pl_err err = PL_ERR_INIT;

	condition->at = value;
	if (value->kind != PL_YAML_SCALAR) {
		option_reader_refuse(sweep->reader, value, "sweep.where", NULL,
				     "a condition such as \"tensor_parallel_size <= 4\", or a list "
				     "of them");
		return NULL;
	}
	if (vllm_expr_parse(value->text, arena, &condition->expr, &err) == 0)
		return condition;
	auto_free char *reason = pl_asprintf("'%s': %s", value->text, err.text);
	option_problem_report(sweep->reader->problems, .source = sweep->reader->source,
			      .line = value->line, .column = value->column, .key = "sweep.where",
			      .expected = reason, .expected_is_reason = true);
	return NULL;
}

/* "server.max_num_seqs" of "max_num_seqs", if one of `keys` ends so. */
static bool ends_with(const char *key, const char *name)
{
	size_t len = strlen(key);
	size_t name_len = strlen(name);

	return len > name_len && key[len - name_len - 1] == '.' &&
	       strcmp(key + len - name_len, name) == 0;
}

/* ---- names ---- */

struct names {
	struct exp_sweep_reader *sweep;
	const struct exp_condition *condition;
	const struct exp_part *part;
	bool all_known;
};

static void refuse_name(struct names *names, const struct vllm_expr *name, const char *expected)
{
	struct pl_nearest nearest = { .name = name->key != NULL ? name->key : name->text };
	auto_free char *found = name->key != NULL
					? pl_asprintf("the name '%s.%s'", name->text, name->key)
					: pl_asprintf("the name '%s'", name->text);

	for (const struct exp_axis *axis = names->part->axes; axis != NULL; axis = axis->next) {
		for (size_t i = 0; i < axis->key_count; i++)
			pl_nearest_try(&nearest, strrchr(axis->keys[i], '.') + 1);
	}
	option_reader_add(names->sweep->reader, OPTION_ERROR, names->condition->at, "sweep.where",
			  found, expected, nearest.found);
	names->all_known = false;
}

static bool is_key(const struct exp_sweep_reader *sweep, const char *section, const char *key)
{
	auto_free char *full = pl_asprintf("%s.%s", section, key);

	if (strcmp(section, "server") == 0)
		return vllm_arg_find(sweep->catalog, key) != NULL;
	if (strcmp(section, "benchmark") == 0)
		return vllm_bench_find(key) != VLLM_BENCH_COUNT;
	for (size_t i = 0; i < exp_key_count(); i++) {
		if (strcmp(exp_key_at(i)->name, full) == 0)
			return pl_text_starts(full, "launch.");
	}
	return false;
}

static void check_name(void *user, const struct vllm_expr *name)
{
	struct names *names = user;
	size_t count = 0;

	if (name->op == VLLM_EXPR_SUB) {
		if (!is_key(names->sweep, name->text, name->key))
			refuse_name(names, name, "a key of server, benchmark or launch");
		return;
	}
	for (const struct exp_axis *axis = names->part->axes; axis != NULL; axis = axis->next) {
		for (size_t i = 0; i < axis->key_count; i++)
			count += name->op == VLLM_EXPR_ARG && ends_with(axis->keys[i], name->text);
	}
	if (count != 1)
		refuse_name(
			names, name,
			count > 1 ? "the full key, because several keys that vary have this ending"
				  : "a key that varies in this section, or the full name of "
				    "another, such as server.max_num_seqs");
}

bool exp_condition_check(struct exp_sweep_reader *sweep, const struct exp_condition *condition,
			 const struct exp_part *part)
{
	struct names names = { sweep, condition, part, true };

	vllm_expr_each_name(condition->expr, check_name, &names);
	return names.all_known;
}

/* ---- values ---- */

struct scope {
	struct exp_sweep_reader *sweep;
	const struct exp_sweep_cell *cell;
};

/* Returns the value in the cell; NULL: not set. */
static const json_t *of_cell(const struct scope *scope, const char *name, const char *key)
{
	if (key != NULL) {
		auto_free char *full = pl_asprintf("%s.%s", name, key);
		return json_object_get(scope->cell->point, full);
	}
	for (size_t i = 0; i < scope->cell->setting_count; i++) {
		const char *setting_key = scope->cell->settings[i]->key;
		if (ends_with(setting_key, name))
			return json_object_get(scope->cell->point, setting_key);
	}
	return NULL;
}

static json_t *of_file(const json_t *file, const char *section, const char *key)
{
	return key != NULL ? json_object_get(json_object_get(file, section), key) : NULL;
}

/*
 * Server arguments have defaults that are not in the file; they are stored next to the file's
 * values.
 */
static const json_t *of_default(struct exp_sweep_reader *sweep, const char *section,
				const char *key)
{
	const struct option_row *arg = strcmp(section, "server") == 0
					       ? vllm_arg_find(sweep->catalog, key)
					       : NULL;
	json_t *value = arg != NULL ? pl_json_of_text(arg->default_json) : NULL;

	if (value != NULL)
		json_object_set_new(json_object_get(sweep->completed, section), key, value);
	return value;
}

/* "32k" is a number here too. */
static struct vllm_value value_of(const json_t *json)
{
	struct vllm_value value = vllm_value_of_json(json);
	int64_t number;

	if (value.kind == VLLM_VALUE_TEXT && pl_text_to_human_int(value.text, &number))
		return (struct vllm_value){ .kind = VLLM_VALUE_NUMBER, .number = (double)number };
	return value;
}

static struct vllm_value look_up(void *user, const char *name, const char *key)
{
	struct scope *scope = user;
	const json_t *value = of_cell(scope, name, key);

	if (value == NULL)
		value = of_file(scope->sweep->completed, name, key);
	if (value == NULL && key != NULL)
		value = of_default(scope->sweep, name, key);
	return value_of(value);
}

static bool is_set(void *user, const char *name, const char *key)
{
	struct scope *scope = user;
	const json_t *value = of_cell(scope, name, key);

	if (value == NULL)
		value = of_file(scope->sweep->requested, name, key);
	return value != NULL && !json_is_null(value);
}

static struct vllm_value no_env(void *user, const char *name)
{
	(void)user;
	(void)name;
	return vllm_value_of_json(NULL);
}

bool exp_condition_holds(struct exp_sweep_reader *sweep, const struct exp_condition *condition,
			 const struct exp_sweep_cell *cell)
{
	struct scope scope = { sweep, cell };
	const struct vllm_expr_scope names = { look_up, is_set, no_env, &scope };

	return vllm_expr_truth(condition->expr, &names) == VLLM_TRUE;
}
