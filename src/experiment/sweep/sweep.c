/*
 * The section `sweep`:
 *
 *  sweep:
 *    server.tensor_parallel_size: [1, 2, 4]                     lists, ranges or single values
 *    benchmark.max_concurrency: {from: 1, to: 256, scale: 2^k}
 *    zip: {server.quantization: […], server.kv_cache_dtype: […]}   or a list of such
 *    lengths: [128x128, 1024x128]                               or {input: …, output: …}
 *    points: [{server.max_num_seqs: 64, benchmark.max_concurrency: 8}]   only these
 *    where: "tensor_parallel_size * 8 >= max_concurrency"       or a list of such
 *    sample: {method: sobol, count: 64, seed: 0, over: [KEY, …]}
 *    sets: {NAME: {…}, …}                                       each with the keys above
 *
 * A set inherits the keys above it, except those that it sets itself.
 */
#include "experiment/sweep/sweep.h"

#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/text.h"
#include "experiment/sweep/sweep_priv.h"

#define ARENA_BYTES (64u << 10)

enum { FILE_BYTES_MAX = 8 << 20, SAMPLES_MAX = EXP_SWEEP_CELLS_MAX };

/* ---- members of a part ---- */

static bool add_axes(struct exp_part *part, struct exp_axis *axes)
{
	struct exp_axis **end = &part->axes;

	while (*end != NULL)
		end = &(*end)->next;
	*end = axes;
	return axes != NULL;
}

static bool read_key(struct exp_sweep_reader *sweep, struct exp_part *part, const char *section,
		     const struct pl_yaml *name, const struct pl_yaml *value)
{
	const char *key = exp_sweep_key(sweep, section, name);

	return key != NULL && add_axes(part, exp_axis_read(sweep, key, name, value));
}

/* `server: {tensor_parallel_size: [1, 2]}` */
static bool read_section(struct exp_sweep_reader *sweep, struct exp_part *part,
			 const struct pl_yaml *name, const struct pl_yaml *value)
{
	bool all = true;

	if (value->kind != PL_YAML_MAP) {
		auto_free char *key = pl_asprintf("sweep.%s", name->text);
		option_reader_refuse(sweep->reader, value, key, NULL, "a mapping");
		return false;
	}
	for (size_t i = 0; i < value->count; i++)
		all = read_key(sweep, part, name->text, value->keys[i], value->items[i]) && all;
	return all;
}

static bool read_one_zip(struct exp_sweep_reader *sweep, struct exp_part *part,
			 const struct pl_yaml *at, const struct pl_yaml *value)
{
	struct exp_part inner = { 0 };
	bool all = true;

	if (value->kind != PL_YAML_MAP || value->count < 2) {
		option_reader_refuse(sweep->reader, value, "sweep.zip", NULL,
				     "a mapping of two keys or more to lists of one length");
		return false;
	}
	for (size_t i = 0; i < value->count; i++)
		all = read_key(sweep, &inner, NULL, value->keys[i], value->items[i]) && all;
	return all && add_axes(part, exp_axis_zip(sweep, at, inner.axes));
}

static bool read_zip(struct exp_sweep_reader *sweep, struct exp_part *part,
		     const struct pl_yaml *name, const struct pl_yaml *value)
{
	bool all = true;

	if (value->kind != PL_YAML_LIST)
		return read_one_zip(sweep, part, name, value);
	for (size_t i = 0; i < value->count; i++)
		all = read_one_zip(sweep, part, name, value->items[i]) && all;
	return all;
}

static bool read_lengths(struct exp_sweep_reader *sweep, struct exp_part *part,
			 const struct pl_yaml *name, const struct pl_yaml *value)
{
	return add_axes(part, exp_axis_lengths(sweep, name, value));
}

static bool read_points(struct exp_sweep_reader *sweep, struct exp_part *part,
			const struct pl_yaml *name, const struct pl_yaml *value)
{
	return add_axes(part, exp_axis_points(sweep, name, value));
}

static bool read_condition(struct exp_sweep_reader *sweep, struct exp_part *part,
			   const struct pl_yaml *value)
{
	struct exp_condition *condition = exp_condition_read(sweep, value);

	if (condition == NULL)
		return false;
	condition->next = part->conditions;
	part->conditions = condition;
	return true;
}

static bool read_where(struct exp_sweep_reader *sweep, struct exp_part *part,
		       const struct pl_yaml *name, const struct pl_yaml *value)
{
	bool all = true;

	(void)name;
	if (value->kind != PL_YAML_LIST)
		return read_condition(sweep, part, value);
	for (size_t i = 0; i < value->count; i++)
		all = read_condition(sweep, part, value->items[i]) && all;
	return all;
}

/* ---- sample ---- */

static bool read_method(struct exp_sweep_reader *sweep, const struct pl_yaml *node,
			struct exp_sample *sample)
{
	struct pl_nearest nearest = { .name = node->text };

	for (unsigned i = 0; i < EXP_SAMPLE_METHOD_COUNT; i++) {
		const char *name = exp_sample_name((enum exp_sample_method)i);
		pl_nearest_try(&nearest, name);
		if (!exp_same_name(name, node->text))
			continue;
		sample->method = (enum exp_sample_method)i;
		return true;
	}
	option_reader_add(sweep->reader, OPTION_ERROR, node, "sweep.sample.method", NULL,
			  "random, latin_hypercube or sobol", nearest.found);
	return false;
}

static bool read_sample_member(struct exp_sweep_reader *sweep, const struct pl_yaml *name,
			       const struct pl_yaml *node, struct exp_sample *sample)
{
	static const char *const known[] = { "method", "count", "seed", "over", NULL };
	auto_free char *key = pl_asprintf("sweep.sample.%s", name->text);
	int64_t number;

	if (strcmp(name->text, "method") == 0)
		return read_method(sweep, node, sample);
	if (strcmp(name->text, "count") == 0) {
		if (pl_yaml_to_i64(node, &number) && number >= 1 && number <= SAMPLES_MAX) {
			sample->count = number;
			return true;
		}
		option_reader_refuse(sweep->reader, node, key, NULL, "1 to 100000");
		return false;
	}
	if (strcmp(name->text, "seed") == 0) {
		if (pl_yaml_to_i64(node, &number) && number >= 0) {
			sample->seed = number;
			return true;
		}
		option_reader_refuse(sweep->reader, node, key, NULL, "an integer of at least 0");
		return false;
	}
	if (strcmp(name->text, "over") == 0) {
		sample->over = node;
		for (size_t i = 0; i < node->count; i++) {
			if (node->kind == PL_YAML_LIST && node->items[i]->kind != PL_YAML_SCALAR)
				sample->over = NULL;
		}
		if (node->kind == PL_YAML_LIST && node->count > 0 && sample->over != NULL)
			return true;
		option_reader_refuse(sweep->reader, node, key, NULL, "a list of keys that vary");
		return false;
	}
	option_reader_add(sweep->reader, OPTION_ERROR, name, key, "unknown key",
			  "method, count, seed or over", option_key_nearest(name->text, known));
	return false;
}

static bool read_sample(struct exp_sweep_reader *sweep, struct exp_part *part,
			const struct pl_yaml *name, const struct pl_yaml *value)
{
	struct exp_sample sample = { .at = name, .method = EXP_SAMPLE_SOBOL };
	bool all = true;

	if (value->kind != PL_YAML_MAP) {
		option_reader_refuse(sweep->reader, value, "sweep.sample", NULL,
				     "a mapping such as {method: sobol, count: 64, seed: 0}");
		return false;
	}
	for (size_t i = 0; i < value->count; i++)
		all = read_sample_member(sweep, value->keys[i], value->items[i], &sample) && all;
	if (all && sample.count == 0) {
		option_reader_refuse(sweep->reader, value, "sweep.sample", "no 'count'",
				     "the number of points to draw, such as count: 64");
		all = false;
	}
	part->sample = sample;
	return all;
}

/* ---- parts ---- */

typedef bool read_member_fn(struct exp_sweep_reader *sweep, struct exp_part *part,
			    const struct pl_yaml *name, const struct pl_yaml *value);

/* All keys except the varied ones, and `sets`. */
static const struct member {
	const char *name;
	read_member_fn *read;
} members[] = {
	{ "server", read_section }, { "benchmark", read_section }, { "launch", read_section },
	{ "zip", read_zip },        { "lengths", read_lengths },   { "points", read_points },
	{ "where", read_where },    { "sample", read_sample },
};

static bool is_key_name(const char *name)
{
	return strchr(name, '.') != NULL;
}

static void refuse_member(struct exp_sweep_reader *sweep, const struct pl_yaml *name, bool in_set)
{
	struct pl_nearest nearest = { .name = name->text };
	auto_free char *key = pl_asprintf("sweep.%s", name->text);

	for (size_t i = 0; i < PL_ARRAY_SIZE(members); i++)
		pl_nearest_try(&nearest, members[i].name);
	if (!in_set)
		pl_nearest_try(&nearest, "sets");
	option_reader_add(sweep->reader, OPTION_ERROR, name, key, "unknown key",
			  in_set ? "zip, lengths, points, where, sample, or a key of the "
				   "experiment, such as server.max_num_seqs"
				 : "zip, lengths, points, where, sample, sets, or a key of the "
				   "experiment, such as server.max_num_seqs",
			  nearest.found);
}

/* False: something was refused. */
static bool read_part(struct exp_sweep_reader *sweep, const struct pl_yaml *map, bool in_set,
		      struct exp_part *part)
{
	bool all = true;

	for (size_t i = 0; i < map->count; i++) {
		const struct pl_yaml *name = map->keys[i];
		const struct member *member = PL_ROW_FIND(members, name, name->text);
		if (strcmp(name->text, "sets") == 0 && !in_set)
			continue;
		if (member != NULL) {
			all = member->read(sweep, part, name, map->items[i]) && all;
		} else if (is_key_name(name->text)) {
			all = read_key(sweep, part, NULL, name, map->items[i]) && all;
		} else {
			refuse_member(sweep, name, in_set);
			all = false;
		}
	}
	return all;
}

static bool has_key_of(const struct exp_part *part, const struct exp_axis *wanted)
{
	for (const struct exp_axis *axis = part->axes; axis != NULL; axis = axis->next) {
		for (size_t i = 0; i < axis->key_count; i++) {
			for (size_t k = 0; k < wanted->key_count; k++) {
				if (strcmp(axis->keys[i], wanted->keys[k]) == 0)
					return true;
			}
		}
	}
	return false;
}

/* Inserts the inherited values before the set's own. */
static void lay_below(struct exp_sweep_reader *sweep, const struct exp_part *common,
		      struct exp_part *set)
{
	struct exp_part merged = { .name = set->name, .at = set->at };

	for (const struct exp_axis *axis = common->axes; axis != NULL; axis = axis->next) {
		if (has_key_of(set, axis))
			continue;
		struct exp_axis *copy = pl_arena_alloc(sweep->sweep->arena, sizeof(*copy));
		*copy = *axis;
		copy->next = NULL;
		add_axes(&merged, copy);
	}
	if (set->axes != NULL)
		add_axes(&merged, set->axes);
	merged.conditions = set->conditions;
	for (const struct exp_condition *condition = common->conditions; condition != NULL;
	     condition = condition->next) {
		struct exp_condition *copy = pl_arena_alloc(sweep->sweep->arena, sizeof(*copy));
		*copy = *condition;
		copy->next = merged.conditions;
		merged.conditions = copy;
	}
	merged.sample = set->sample.at != NULL ? set->sample : common->sample;
	*set = merged;
}

static bool is_wanted(const char *name, const char *const *only, size_t only_count)
{
	return only_count == 0 || pl_text_index(name, only, only_count) < only_count;
}

static void read_sets(struct exp_sweep_reader *sweep, const struct pl_yaml *sets,
		      const struct exp_part *common, const char *const *only, size_t only_count)
{
	if (sets->kind != PL_YAML_MAP || sets->count == 0) {
		option_reader_refuse(sweep->reader, sets, "sweep.sets", NULL,
				     "a mapping of names to keys with values");
		return;
	}
	for (size_t i = 0; i < sets->count; i++) {
		const char *name = sets->keys[i]->text;
		struct exp_part set = { .name = name, .at = sets->keys[i] };
		auto_free char *key = pl_asprintf("sweep.sets.%s", name);
		if (sets->items[i]->kind != PL_YAML_MAP) {
			option_reader_refuse(sweep->reader, sets->items[i], key, NULL, "a mapping");
			continue;
		}
		if (!read_part(sweep, sets->items[i], true, &set))
			continue;
		lay_below(sweep, common, &set);
		if (is_wanted(name, only, only_count))
			exp_cells_make(sweep, &set);
	}
}

/* ---- the file ---- */

/* Checks the names of requested sets. */
static void check_only(struct exp_sweep_reader *sweep, const struct pl_yaml *sets,
		       const char *const *only, size_t only_count)
{
	for (size_t i = 0; i < only_count; i++) {
		struct pl_nearest nearest = { .name = only[i] };
		bool known = false;
		for (size_t k = 0; sets != NULL && sets->kind == PL_YAML_MAP && k < sets->count;
		     k++) {
			known = known || strcmp(sets->keys[k]->text, only[i]) == 0;
			pl_nearest_try(&nearest, sets->keys[k]->text);
		}
		auto_free char *found = pl_asprintf("'%s' in --only", only[i]);
		if (!known)
			option_reader_add(sweep->reader, OPTION_ERROR, sets, "sweep.sets", found,
					  "a set of the file", nearest.found);
	}
}

/* The file as an experiment, for conditions: its own faults show in every cell. */
static void read_base(struct exp_sweep_reader *sweep)
{
	const struct exp_sweep_cell none = { 0 };
	auto_problems ignored = { 0 };
	auto_experiment struct exp_config *base = exp_sweep_config(sweep->sweep, &none,
								   sweep->catalog, &ignored);

	sweep->requested = exp_config_explicit(base);
	sweep->completed = exp_config_to_json(base);
}

/* Returns all members except `sweep` as a separate mapping. */
static const struct pl_yaml *cut_out(struct exp_sweep *sweep, const struct pl_yaml *root,
				     const struct pl_yaml **ret_name)
{
	const struct pl_yaml *section = NULL;
	size_t bytes = (root->count + 1) * sizeof(struct pl_yaml *);

	sweep->base = *root;
	sweep->base.keys = pl_arena_alloc(sweep->arena, bytes);
	sweep->base.items = pl_arena_alloc(sweep->arena, bytes);
	sweep->base.count = 0;
	for (size_t i = 0; i < root->count; i++) {
		if (strcmp(root->keys[i]->text, "sweep") == 0) {
			*ret_name = root->keys[i];
			section = root->items[i];
			continue;
		}
		sweep->base.keys[sweep->base.count] = root->keys[i];
		sweep->base.items[sweep->base.count++] = root->items[i];
	}
	return section;
}

static void read_all(struct exp_sweep_reader *sweep, const struct pl_yaml *root,
		     const char *const *only, size_t only_count)
{
	struct exp_part common = { 0 };
	const struct pl_yaml *section = root->kind == PL_YAML_MAP
						? cut_out(sweep->sweep, root, &common.at)
						: NULL;

	if (section == NULL || section->kind != PL_YAML_MAP) {
		option_reader_refuse(sweep->reader, section != NULL ? section : root, "sweep",
				     section == NULL ? "nothing" : NULL,
				     "a mapping of keys to values, such as "
				     "{server.max_num_seqs: [64, 128]}");
		return;
	}
	const struct pl_yaml *sets = pl_yaml_get(section, "sets");
	check_only(sweep, sets, only, only_count);
	if (!read_part(sweep, section, false, &common))
		return;
	read_base(sweep);
	if (sets != NULL)
		read_sets(sweep, sets, &common, only, only_count);
	else
		exp_cells_make(sweep, &common);
	exp_cells_label(sweep->sweep);
}

int exp_sweep_read(const struct vllm_catalog *catalog, const char *text, size_t len,
		   const char *source, const char *const *only, size_t only_count,
		   struct exp_sweep **ret, struct option_problems *problems, struct pl_err *err)
{
	auto_sweep struct exp_sweep *sweep = pl_alloc(sizeof(*sweep));
	struct option_reader reader = { .source = source, .problems = problems };
	struct exp_sweep_reader how = { .sweep = sweep, .catalog = catalog, .reader = &reader };
	size_t errors = problems->errors;

	*ret = NULL;
	if (pl_yaml_parse(text, len, source, &sweep->doc, err) < 0)
		return -1;
	sweep->source = pl_strdup(source);
	sweep->arena = pl_arena_new(ARENA_BYTES);
	how.seen = json_object();
	read_all(&how, pl_yaml_root(sweep->doc), only, only_count);
	json_decref(how.seen);
	json_decref(how.requested);
	json_decref(how.completed);
	if (problems->errors == errors)
		*ret = pl_take(sweep);
	return 0;
}

int exp_sweep_read_file(const struct vllm_catalog *catalog, const char *path,
			const char *const *only, size_t only_count, struct exp_sweep **ret,
			struct option_problems *problems, struct pl_err *err)
{
	auto_free char *text = NULL;
	size_t len = 0;

	if (pl_file_read(path, FILE_BYTES_MAX, &text, &len, err) < 0)
		return -1;
	return exp_sweep_read(catalog, text, len, path, only, only_count, ret, problems, err);
}

void exp_sweep_free(struct exp_sweep *sweep)
{
	if (sweep == NULL)
		return;
	for (size_t i = 0; i < sweep->count; i++) {
		free(sweep->cells[i].label);
		json_decref(sweep->cells[i].point);
	}
	free(sweep->cells);
	free(sweep->source);
	pl_arena_free(sweep->arena);
	pl_yaml_free(sweep->doc);
	free(sweep);
}

bool exp_sweep_is_fault(const struct option_problem *problem)
{
	return problem->severity == OPTION_ERROR && problem->rule == NULL &&
	       problem->reason == NULL;
}
