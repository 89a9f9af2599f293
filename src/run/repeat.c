/*
 * Repeats a result: its config.experiment with the secrets filled in, plus pins for the values that the first run drew
 * or found. Values that cannot be pinned, such as the host, are compared and reported.
 */
#include "run/repeat.h"

#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/log.h"
#include "base/mem.h"
#include "base/text.h"
#include "bench/data/dataset.h"
#include "experiment/kinds.h"
#include "experiment/section.h"
#include "result/document.h"
#include "result/existing.h"
#include "result/experiment.h"
#include "result/flat/offline.h"
#include "vllm/secret.h"
#include "vllm/version.h"

#define SETS_MAX  RES_EXPERIMENT_PINS_MAX
#define VALUE_MAX 200

/* Returns the command of vLLM that wrote the file, "vllm bench latency"; NULL: none. free(). */
static char *vllm_command_of(const char *path)
{
	static const char *const keys[] = { "model_id", "num_prompts", "completed", "duration" };
	auto_json json_t *json = NULL;
	size_t found = 0;

	if (pl_file_size(path) <= 0 || pl_json_read_file(path, &json, PL_ERR_IGNORED) < 0)
		return NULL;
	for (size_t i = 0; i < PL_ARRAY_SIZE(keys); i++)
		found += json_object_get(json, keys[i]) != NULL;
	const char *kind = found == PL_ARRAY_SIZE(keys) ? "serve" : res_offline_kind_of(json);
	return kind != NULL ? pl_asprintf("vllm bench %s", kind) : NULL;
}

/* A file that is not a result is not an error: the caller reads it as an experiment file. */
int run_repeat_find(const char *path, json_t **ret, struct pl_err *err)
{
	auto_json json_t *result = res_existing_result(path);
	auto_free char *command = result == NULL ? vllm_command_of(path) : NULL;

	*ret = NULL;
	if (command != NULL) {
		pl_err_invalid(err,
			       "'%s' is a result of %s, which does not record its experiment; use "
			       "an experiment file or a result of profllm",
			       path, command);
		/* callers that print the path, too, leave it out */
		size_t head = strlen("'' ") + strlen(path);
		err->reason = head < strlen(err->text) ? head : 0;
		return -1;
	}
	if (result != NULL && res_experiment_check(result, path, err) < 0)
		return -1;
	*ret = pl_take(result);
	return 0;
}

/* ---- secrets ---- */

struct filling {
	const struct vllm_catalog *catalog;
	const char *source;
	const char *const *sets;
	size_t set_count;
	struct option_problems *problems;
};

/*
 * Returns whether a --set contains the key, a part of it, or its parent. For the key server.a.b[0], these are the names
 * server.a, server.a.b and server.a.b[0]; for server.a also server.a.b.
 */
static bool is_set(const char *const *sets, size_t set_count, const char *key)
{
	for (size_t i = 0; i < set_count; i++) {
		auto_free char *name = pl_strndup(sets[i], strcspn(sets[i], "="));
		size_t len = strlen(name), key_len = strlen(key);
		auto_free char *head = pl_strndup(key, len);
		auto_free char *name_head = pl_strndup(name, key_len);
		/* strchr() also finds the terminating NUL: the key itself */
		if ((exp_same_name(head, name) && strchr(".[", key[len]) != NULL) ||
		    (exp_same_name(name_head, key) && len > key_len && name[key_len] == '.'))
			return true;
	}
	return false;
}

/*
 * Returns the variable that provides the value of the key; NULL: none. "launch.env.HF_TOKEN" is HF_TOKEN; a server
 * argument has the variable of its row.
 */
static const char *variable_of(const struct filling *filling, const char *key)
{
	static const char env[] = "launch.env.", server[] = "server.";

	if (pl_text_starts(key, env))
		return key + strlen(env);
	if (!pl_text_starts(key, server))
		return NULL;
	const struct option_row *row = vllm_arg_find(filling->catalog, key + strlen(server));
	return row != NULL ? row->variable : NULL;
}

/*
 * Returns the section redacted again, with some text in place of "***": hidden parts are hidden again, text of the user
 * is not. New reference.
 */
static json_t *hidden_current(const json_t *section)
{
	auto_free char *text = pl_json_to_text(section, PL_JSON_COMPACT);
	auto_free char *probe = pl_text_replace(text, OPTION_SECRET_SHOWN, "hidden");
	auto_json json_t *json = json_loads(probe, 0, NULL);

	return vllm_secret_json_shown(json);
}

/* Returns whether it is a load option that is always hidden completely. */
static bool is_secret_option(const char *key)
{
	static const char benchmark[] = "benchmark.";
	const char *from = pl_text_starts(key, benchmark) ? key + strlen(benchmark) : "";
	auto_free char *name = pl_strndup(from, strcspn(from, ".["));
	enum vllm_bench_id id = vllm_bench_find(name);

	return id != VLLM_BENCH_COUNT && vllm_bench_row(id)->secret;
}

/* A text that is only "***" may also replace a JSON text with a secret anywhere in it. */
static bool is_hidden(const char *key, const char *text, const json_t *current)
{
	const char *retry = json_string_value(current);

	if (strstr(text, OPTION_SECRET_SHOWN) == NULL)
		return false;
	return strcmp(text, OPTION_SECRET_SHOWN) == 0 || is_secret_option(key) || retry == NULL ||
	       strstr(retry, OPTION_SECRET_SHOWN) != NULL;
}

/*
 * Returns the replacement of a text: the secret that was hidden, or the text itself; NULL with a problem if the secret
 * is missing. The last argument is from hidden_current(). New reference.
 */
static json_t *filled(const struct filling *filling, const char *key, json_t *text,
		      const json_t *current)
{
	const char *variable = variable_of(filling, key);
	const char *value = variable != NULL ? getenv(variable) : NULL;

	if (!is_hidden(key, json_string_value(text), current) ||
	    is_set(filling->sets, filling->set_count, key))
		return json_incref(text);
	if (value != NULL && value[0] != '\0' && pl_text_is_utf8(value))
		return json_string(value);
	auto_free char *expected =
		variable != NULL
			? pl_asprintf("a secret in the environment (%s) or from --set %s=…",
				      variable, key)
			: pl_asprintf("a secret from --set %.*s=…", (int)strcspn(key, "["), key);
	option_problem_report(filling->problems, .source = filling->source, .key = key,
			      .found = "***, because results store no secrets",
			      .expected = expected);
	return NULL;
}

static void fill_secrets(const struct filling *filling, const char *key, json_t *value,
			 const json_t *current);

/* Returns the replacement of an item; NULL: none, and reported once. */
static json_t *fill_item(const struct filling *filling, const char *path, json_t *item,
			 const json_t *current)
{
	if (json_is_string(item))
		return filled(filling, path, item, current);
	fill_secrets(filling, path, item, current);
	return json_incref(item);
}

static void fill_secrets(const struct filling *filling, const char *key, json_t *value,
			 const json_t *current)
{
	const char *name;
	json_t *item;
	void *next;

	json_object_foreach_safe(value, next, name, item)
	{
		auto_free char *path = pl_asprintf("%s.%s", key, name);
		json_t *now = fill_item(filling, path, item, json_object_get(current, name));
		if (now != NULL)
			json_object_set_new(value, name, now);
		else
			json_object_del(value, name);
	}
	for (size_t i = 0; i < json_array_size(value); i++) {
		auto_free char *path = pl_asprintf("%s[%zu]", key, i);
		json_t *now = fill_item(filling, path, json_array_get(value, i),
					json_array_get(current, i));
		if (now != NULL)
			json_array_set_new(value, i, now);
	}
}

/* ---- values of the first run ---- */

/* Keys with lower precedence than all others. They count as not set by the user. */
struct pins {
	json_t *values;
	char *sets[SETS_MAX];
	const char *keys[SETS_MAX];
	size_t count;
};

static void find_pins(const json_t *result, const char *const *sets, size_t set_count,
		      struct pins *ret)
{
	*ret = (struct pins){ .values = res_experiment_pins(result) };
	PL_JSON_EACH_MEMBER(key, value, ret->values) {
		if (is_set(sets, set_count, key))
			continue;
		/* JSON, so that a number stays one */
		auto_free char *text = json_dumps(value, JSON_COMPACT | JSON_ENCODE_ANY);
		ret->keys[ret->count] = key;
		ret->sets[ret->count++] = pl_asprintf("%s=%s", key, text);
	}
}

int run_repeat_read(const struct vllm_catalog *catalog, const char *path, json_t *result,
		    const char *const *sets, size_t set_count, struct exp_config **ret,
		    struct option_problems *problems, struct pl_err *err)
{
	static const char *const sections[] = { "server", "launch", "benchmark" };
	auto_json json_t *experiment = json_deep_copy(
		pl_json_get_path(result, "config.experiment"));
	auto_free const char **all = pl_alloc_array(SETS_MAX + set_count, sizeof(*all));
	struct filling filling = { catalog, path, sets, set_count, problems };
	struct pins pins;

	for (size_t i = 0; i < PL_ARRAY_SIZE(sections); i++) {
		json_t *section = json_object_get(experiment, sections[i]);
		auto_json json_t *current = section != NULL ? hidden_current(section) : NULL;
		fill_secrets(&filling, sections[i], section, current);
	}
	find_pins(result, sets, set_count, &pins);
	for (size_t i = 0; i < pins.count; i++)
		all[i] = pins.sets[i];
	for (size_t i = 0; i < set_count; i++)
		all[pins.count + i] = sets[i];
	int done = exp_config_read_json(catalog, experiment, path, all, pins.count + set_count, ret,
					problems, err);
	if (done == 0) {
		/* the pins are not part of the request; a repetition of this run finds them in its result again */
		(*ret)->repeats = json_incref(result);
		(*ret)->requested = exp_config_explicit(*ret);
		/* Removes a section that contains only a pin. */
		json_t *requested = (*ret)->requested;
		for (size_t i = 0; i < pins.count; i++) {
			auto_free char *section = pl_strndup(pins.keys[i],
							     strcspn(pins.keys[i], "."));
			json_t *keys = json_object_get(requested, section);
			json_object_del(keys, pins.keys[i] + strlen(section) + 1);
			if (json_object_size(keys) == 0)
				json_object_del(requested, section);
		}
	}
	for (size_t i = 0; i < pins.count; i++)
		free(pins.sets[i]);
	json_decref(pins.values);
	return done;
}

/* ---- differences ---- */

int run_repeat_check_dataset(const struct exp_config *experiment, struct pl_err *err)
{
	const struct vllm_bench *bench = &experiment->bench;
	const json_t *config = pl_json_get_path(experiment->repeats, "config.benchmark");
	const char *then = pl_json_get_text(config, "dataset_sha256");
	const char *name = pl_json_get_text(config, "dataset_name");
	const struct option_location *location = option_locations_find(&experiment->locations,
								       "benchmark.dataset_path");
	auto_free char *now = NULL;

	/* for synthetic prompts, the hash is known after they were made */
	if (then == NULL || bench->dataset_path == NULL ||
	    !pl_text_equal(bench->dataset_name, name) ||
	    !exp_dataset_has(bench->dataset_name, EXP_DATASET_FILE))
		return 0;
	if (bench_dataset_sha256(bench, &now, err) < 0)
		return -1;
	if (now == NULL || pl_text_equal(now, then))
		return 0;
	/* a user who names another file wants it */
	if (location != NULL && pl_text_equal(location->source, "--set"))
		return 0;
	return pl_err_invalid(
		err,
		"'%s' is not the dataset of the repeated result: found SHA-256 %s, expected %s; "
		"use --set benchmark.dataset_path=FILE to repeat with another dataset",
		bench->dataset_path, now, then);
}

static void add_difference(json_t *differences, const char *key, const json_t *then,
			   const json_t *now)
{
	if (json_equal(then, now))
		return;
	json_t *difference = res_document_empty("difference");
	json_object_set_new(difference, "key", json_string(key));
	json_object_set(difference, "original", (json_t *)then);
	json_object_set(difference, "current", (json_t *)now);
	json_array_append_new(differences, difference);
}

json_t *run_repeat_section(const struct exp_config *experiment, const json_t *environment,
			   const char *dataset_sha256)
{
	static const char *const keys[] = { "hostname",   "cpu",  "cpu_count",   "gpu_models",
					    "gpu_driver", "cuda", "engine.name", "engine.version" };
	const json_t *result = experiment->repeats;
	const json_t *before = json_object_get(result, "environment");

	if (result == NULL)
		return NULL;
	json_t *section = res_document_empty("repeat");
	json_object_set(section, "run_id", json_object_get(result, "run_id"));
	json_object_set(section, "timestamp", json_object_get(result, "timestamp"));
	json_t *differences = json_object_get(section, "differences");
	for (size_t i = 0; i < PL_ARRAY_SIZE(keys); i++) {
		const json_t *then = pl_json_get_path(before, keys[i]);
		const json_t *now = pl_json_get_path(environment, keys[i]);
		bool of_engine = pl_text_starts(keys[i], "engine.");
		/* a server that did not start reports nothing about itself */
		if (!of_engine || (json_is_string(then) && json_is_string(now)))
			add_difference(differences, keys[i], then, now);
	}
	const json_t *prompts = pl_json_get_path(result, "config.benchmark.dataset_sha256");
	auto_json json_t *now = json_string(dataset_sha256 != NULL ? dataset_sha256 : "");
	/* reported again when the prompts were made; before, there is nothing to compare */
	if (dataset_sha256 != NULL && json_is_string(prompts))
		add_difference(differences, "dataset_sha256", prompts, now);
	return section;
}

/* Returns "none" for null; free(). */
static char *value_text(const json_t *value)
{
	auto_free char *text = json_is_string(value) ? pl_strdup(json_string_value(value))
			       : json_is_null(value) || value == NULL
				       ? pl_strdup("none")
				       : json_dumps(value, JSON_ENCODE_ANY);

	return pl_asprintf("%.*s%s", VALUE_MAX, text, strlen(text) > VALUE_MAX ? "…" : "");
}

/* The section is always made in the same order, so new entries follow the reported ones. */
size_t run_repeat_warn(const json_t *section, size_t reported)
{
	const char *run_id = pl_json_get_text(section, "run_id");
	const json_t *differences = json_object_get(section, "differences");

	for (; reported < json_array_size(differences); reported++) {
		const json_t *difference = json_array_get(differences, reported);
		auto_free char *then = value_text(json_object_get(difference, "original"));
		auto_free char *now = value_text(json_object_get(difference, "current"));
		pl_log(PL_LOG_WARNING, "different from the repeated run (%s): %s was %s and is %s",
		       run_id, pl_json_get_text(difference, "key"), then, now);
	}
	return reported;
}
