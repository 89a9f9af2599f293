/*
 * Compares releases by their catalogues; the history decides whether a release has an argument at
 * all.
 */
#include "vllm/release_diff.h"

#include <string.h>

#include "base/mem.h"
#include "base/text.h"
#include "vllm/arg_json.h"
#include "vllm/history.h"
#include "vllm/replaced.h"

/* Compared properties of an argument, in output order. */
static const char *const compared[] = { "default",      "default_env", "choices",
					"choices_open", "flag",        "negative_flag",
					"aliases",      "type",        "cli_style",
					"const",        "deprecated",  "negative_aliases" };
static const char *const compared_of_keys[] = { "default", "choices" };

/*
 * Order of changed defaults: first memory, batching and parallelism, then the model and its
 * kernels; those of the front end come last.
 */
static const char *const groups_first[] = {
	"CacheConfig",       "SchedulerConfig", "ParallelConfig", "ModelConfig", "VllmConfig",
	"CompilationConfig", "AttentionConfig", "KernelConfig",   "LoadConfig",  "LoRAConfig",
};
static const char *const groups_last[] = { "Frontend", "Serve", "ObservabilityConfig",
					   "LoggingConfig" };

static const char *map_name(enum vllm_map map)
{
	static const char *const names[] = {
		[VLLM_MAP_SAME] = "same",         [VLLM_MAP_NEGATED] = "negated",
		[VLLM_MAP_CONSTANT] = "constant", [VLLM_MAP_VALUES] = "values",
		[VLLM_MAP_OTHER] = "other",
	};

	return names[map];
}

struct diff {
	const struct vllm_release *since, *until;
	json_t *into_new, *into_removed, *into_changed;
};

static bool has(const struct vllm_release *release, const char *key)
{
	return vllm_presence(key, &release->version) == VLLM_PRESENT;
}

static json_t *add(json_t *list, const char *name, const struct option_row *arg)
{
	json_t *entry = json_object();

	json_object_set_new(entry, "name", json_string(name));
	if (arg != NULL)
		json_object_set_new(entry, "flag", json_string(arg->flag));
	if (arg != NULL)
		json_object_set_new(entry, "group", json_string(arg->group));
	json_array_append_new(list, entry);
	return entry;
}

/* Adds its replacement in the form of `until`: the replacement may itself have been removed. */
static void add_end(const struct diff *diff, json_t *entry, const char *key)
{
	const struct vllm_history *history = vllm_history_of(key);
	struct vllm_replacing replacing = { diff->until->catalog, &diff->until->version, NULL };
	json_t *by = vllm_replaced_by(&replacing, key, NULL);

	json_object_set_new(entry, "removed_in", pl_json_text(vllm_history_until(history)));
	json_object_set_new(entry, "replaced_by", pl_json_or_null(by));
	json_object_set_new(entry, "map", pl_json_text(map_name(history->map)));
	json_object_set_new(entry, "told_by", pl_json_text(history->told_by));
	json_object_set_new(entry, "note", pl_json_text(history->note));
}

/* ---- arguments ----------------------------------------------------------------------------- */

static void add_new(json_t *list, const struct option_row *arg)
{
	static const char *const reported[] = { "type", "default", "choices", "help" };
	json_t *entry = add(list, arg->name, arg);

	for (size_t i = 0; i < PL_ARRAY_SIZE(reported); i++)
		json_object_set_new(entry, reported[i], vllm_arg_json_value(arg, reported[i]));
}

/* The order of choices and aliases is irrelevant. The order of a default is part of its value. */
static bool is_same(const char *key, const json_t *old, const json_t *new)
{
	if (strcmp(key, "default") == 0 || !json_is_array(old) ||
	    json_array_size(old) != json_array_size(new))
		return json_equal(old, new);
	PL_JSON_EACH(item, old) {
		if (!pl_json_has(new, item))
			return false;
	}
	return true;
}

static void add_change(json_t *changes, const char *key, json_t *old, json_t *new)
{
	if (!is_same(key, old, new))
		json_array_append_new(
			changes, json_pack("{s:s, s:O, s:O}", "key", key, "old", old, "new", new));
	json_decref(old);
	json_decref(new);
}

static void add_changed(const struct diff *diff, const struct option_row *arg)
{
	const struct option_row *old = vllm_arg_find(diff->since->catalog, arg->name);
	auto_json json_t *changes = json_array();

	for (size_t i = 0; old != NULL && i < PL_ARRAY_SIZE(compared); i++)
		add_change(changes, compared[i], vllm_arg_json_value(old, compared[i]),
			   vllm_arg_json_value(arg, compared[i]));
	if (json_array_size(changes) > 0)
		json_object_set(add(diff->into_changed, arg->name, arg), "changes", changes);
}

static void compare_arg(const struct diff *diff, const struct option_row *arg)
{
	bool was = has(diff->since, arg->name), is = has(diff->until, arg->name);

	if (!was && is)
		add_new(diff->into_new, arg);
	else if (was && is)
		add_changed(diff, arg);
	else if (was)
		add_end(diff, add(diff->into_removed, arg->name, arg), arg->name);
}

/* ---- keys of JSON arguments ---------------------------------------------------------------- */

/* Returns the key's row of the reference release, which has the values that a range omits. */
static const struct option_row *row_of_key(const struct vllm_history *history)
{
	const struct option_row *arg = vllm_arg_find(vllm_catalog_reference(), history->of);

	return arg != NULL ? option_field_find(arg, history->name) : NULL;
}

/* Returns a computed default in words. */
static json_t *fact_of_key(const struct vllm_history *history, const struct vllm_release *release,
			   const char *fact)
{
	const struct vllm_range *range = vllm_history_range(history, &release->version);
	const struct option_row *row = row_of_key(history);
	bool is_default = strcmp(fact, "default") == 0;
	const char *text = is_default ? range->default_json : range->choices;

	if (text == NULL && is_default && range->computed != NULL)
		return json_string(range->computed);
	if (text == NULL && row != NULL)
		text = is_default ? row->default_json : row->choices;
	return pl_json_or_null(pl_json_of_text(text));
}

static void add_changed_key(const struct diff *diff, const struct vllm_history *history,
			    const char *key)
{
	auto_json json_t *changes = json_array();

	for (size_t i = 0; i < PL_ARRAY_SIZE(compared_of_keys); i++)
		add_change(changes, compared_of_keys[i],
			   fact_of_key(history, diff->since, compared_of_keys[i]),
			   fact_of_key(history, diff->until, compared_of_keys[i]));
	if (json_array_size(changes) > 0)
		json_object_set(add(diff->into_changed, key, NULL), "changes", changes);
}

static void add_new_key(const struct diff *diff, const struct vllm_history *history,
			const char *key)
{
	json_t *entry = add(diff->into_new, key, NULL);

	for (size_t i = 0; i < PL_ARRAY_SIZE(compared_of_keys); i++)
		json_object_set_new(entry, compared_of_keys[i],
				    fact_of_key(history, diff->until, compared_of_keys[i]));
}

/* Omits keys of an argument that only one release has: the argument itself is reported. */
static void compare_key(const struct diff *diff, const struct vllm_history *history)
{
	auto_free char *key = pl_asprintf("%s.%s", history->of, history->name);
	bool was = has(diff->since, key), is = has(diff->until, key);

	/* a new argument's keys are all new */
	if (!has(diff->since, history->of) || !has(diff->until, history->of))
		return;
	if (!was && is)
		add_new_key(diff, history, key);
	else if (was && is)
		add_changed_key(diff, history, key);
	else if (was)
		add_end(diff, add(diff->into_removed, key, NULL), key);
}

static struct diff lists_in(json_t *object, const struct vllm_release *since,
			    const struct vllm_release *until)
{
	struct diff diff = { since, until, json_array(), json_array(), json_array() };

	json_object_set_new(object, "new", diff.into_new);
	json_object_set_new(object, "removed", diff.into_removed);
	json_object_set_new(object, "changed", diff.into_changed);
	return diff;
}

json_t *vllm_release_diff(const struct vllm_release *since, const struct vllm_release *until)
{
	json_t *all = json_object();
	json_t *keys = json_object();
	struct diff args = lists_in(all, since, until);
	struct diff of_keys = lists_in(keys, since, until);

	json_object_set_new(all, "keys", keys);
	for (size_t i = 0; i < vllm_arg_count(until->catalog); i++)
		compare_arg(&args, vllm_arg_at(until->catalog, i));
	for (size_t i = 0; i < vllm_history_count(); i++) {
		if (vllm_history_at(i)->of != NULL)
			compare_key(&of_keys, vllm_history_at(i));
	}
	return all;
}

/* ---- defaults ------------------------------------------------------------------------------ */

static bool is_unset(const json_t *value)
{
	return json_is_null(value) || (json_is_object(value) && json_object_size(value) == 0) ||
	       (json_is_string(value) && json_string_length(value) == 0);
}

/* Returns the position in the output; smaller ones come first. */
static size_t rank(const json_t *entry)
{
	enum { LAST = 100, UNSET = 1000 };
	const char *group = pl_json_get_text(entry, "group");
	size_t location = pl_text_index(group, groups_first, PL_ARRAY_SIZE(groups_first));

	if (PL_TEXT_IS_ONE_OF(group, groups_last))
		location += LAST;
	if (is_unset(json_object_get(entry, "old")) && is_unset(json_object_get(entry, "new")))
		location += UNSET;
	return location;
}

/* Appends where it belongs; equals stay in their order. */
static void insert(json_t *list, json_t *entry)
{
	size_t at = json_array_size(list);

	while (at > 0 && rank(json_array_get(list, at - 1)) > rank(entry))
		at--;
	json_array_insert_new(list, at, entry);
}

static void add_defaults(json_t *list, const json_t *changed, const struct vllm_release *until,
			 const json_t *values)
{
	PL_JSON_EACH(entry, changed) {
		const char *key = pl_json_get_text(entry, "name");
		auto_free char *argument = pl_strndup(key, strcspn(key, "."));
		const struct option_row *arg = vllm_arg_find(until->catalog, argument);
		if (pl_json_get_path(values, key) != NULL || arg == NULL)
			continue;
		PL_JSON_EACH(change, json_object_get(entry, "changes")) {
			if (strcmp(pl_json_get_text(change, "key"), "default") == 0)
				insert(list, json_pack("{s:s, s:O, s:O, s:s}", "key", key, "old",
						       json_object_get(change, "old"), "new",
						       json_object_get(change, "new"), "group",
						       arg->group));
		}
	}
}

/* Ignores arguments that `values` sets. */
json_t *vllm_release_defaults(const struct vllm_release *since, const struct vllm_release *until,
			      const json_t *values)
{
	auto_json json_t *diff = vllm_release_diff(since, until);
	json_t *list = json_array();

	add_defaults(list, json_object_get(diff, "changed"), until, values);
	add_defaults(list, json_object_get(json_object_get(diff, "keys"), "changed"), until,
		     values);
	return list;
}
