/*
 * The experiment file, read in this order:
 *
 *   file  ->  each --set  ->  server.config (vLLM's YAML)  ->  launch words joined  ->  checks
 *
 * A --set is treated as a file with one key, merged into the existing values, so the same code
 * reads it. server.config has the lowest priority: in vLLM, the command line takes precedence.
 * Every error becomes a problem and reading continues; -1 is only for text that is not YAML.
 */
#include "experiment/config.h"

#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/mem.h"
#include "base/text.h"
#include "base/yaml.h"
#include "experiment/check.h"
#include "experiment/config_priv.h"
#include "experiment/offline.h"
#include "experiment/sweep/sweep.h"
#include "vllm/catalog.h"
#include "vllm/secret.h"

enum { EXPANDED_BYTES_MAX = 1 << 16, EXPERIMENT_BYTES_MAX = 8 << 20 };

struct exp_config *exp_config_new(const struct vllm_catalog *catalog, const char *source)
{
	struct exp_config *experiment = pl_alloc(sizeof(*experiment));

	experiment->catalog = catalog;
	experiment->source = pl_strdup(source);
	experiment->server = json_object();
	experiment->given = json_object();
	experiment->raw = json_object();
	exp_keys_init(experiment);
	vllm_bench_init(&experiment->bench);
	return experiment;
}

void exp_config_free(struct exp_config *experiment)
{
	if (experiment == NULL)
		return;
	free(experiment->source);
	json_decref(experiment->server);
	json_decref(experiment->given);
	json_decref(experiment->raw);
	json_decref(experiment->requested);
	json_decref(experiment->repeats);
	exp_keys_done(experiment);
	vllm_bench_done(&experiment->bench);
	option_locations_done(&experiment->locations);
	free(experiment);
}

static void read_section(struct option_reader *reader, const struct pl_yaml *name,
			 const struct pl_yaml *map, struct exp_config *experiment)
{
	if (pl_yaml_is_null(map))
		return;
	if (map->kind != PL_YAML_MAP) {
		option_reader_refuse(reader, map, name->text, NULL, "a mapping");
		return;
	}
	if (strcmp(name->text, "server") == 0) {
		exp_server_read(experiment->catalog, reader, map, experiment->server);
		return;
	}
	if (strcmp(name->text, "benchmark") == 0) {
		exp_benchmark_read(reader, map, &experiment->bench, experiment->bench_set);
		return;
	}
	for (size_t i = 0; i < map->count; i++) {
		auto_free char *key = pl_asprintf("%s.%s", name->text, map->keys[i]->text);
		if (!exp_key_is_repeated(reader, map, i, key))
			exp_key_read(reader, name->text, map->keys[i], map->items[i], experiment);
	}
}

/* Keys without a section (name, tags) have rows as those of sections have. */
static void read_root(struct option_reader *reader, const struct pl_yaml *root,
		      struct exp_config *experiment)
{
	static const char *const known[] = { "suite",  "name",      "tags",      "server",
					     "launch", "benchmark", "telemetry", "profiling",
					     "output", NULL };

	if (root->kind != PL_YAML_MAP) {
		option_reader_refuse(reader, root, "", NULL, "a mapping");
		return;
	}
	for (size_t i = 0; i < root->count; i++) {
		const struct pl_yaml *name = root->keys[i];
		bool is_known = false;
		if (strcmp(name->text, "sweep") == 0) {
			option_reader_refuse(reader, name, "sweep", "many experiments",
					     "one experiment; 'profllm sweep run' runs all of "
					     "them, 'profllm config expand' writes them");
			continue;
		}
		for (size_t k = 0; known[k] != NULL; k++)
			is_known = is_known || strcmp(known[k], name->text) == 0;
		if (!is_known)
			option_reader_add(reader, OPTION_ERROR, name, name->text, "unknown key",
					  NULL, option_key_nearest(name->text, known));
		else if (exp_section_exists(name->text) || strcmp(name->text, "server") == 0 ||
			 strcmp(name->text, "benchmark") == 0)
			read_section(reader, name, root->items[i], experiment);
		else
			exp_key_read(reader, "", name, root->items[i], experiment);
	}
}

/*
 * "KEY=" means null: it unsets the value in the file. Problems have no line, because the text has
 * none.
 */
static void read_set(const char *set, bool fields_open, struct exp_config *experiment,
		     struct option_problems *problems)
{
	struct option_reader reader = { .source = "--set",
					.problems = problems,
					.locations = &experiment->locations,
					.given = experiment->given,
					.raw = experiment->raw,
					.no_lines = true,
					.fields_open = fields_open };
	auto_yaml struct pl_yaml_doc *doc = NULL;
	const char *equals = strchr(set, '=');
	auto_free char *path = pl_strndup(set, strcspn(set, "="));
	struct pl_err err = PL_ERR_INIT;
	size_t first = problems->count;

	if (equals == NULL || equals == set) {
		auto_free char *found = pl_asprintf("text '%s'", set);
		option_reader_refuse(&reader, NULL, "", found, "KEY=VALUE");
		return;
	}
	const char *value = equals[1] != '\0' ? equals + 1 : "~";
	if (pl_yaml_parse(value, strlen(value), "value", &doc, &err) < 0) {
		option_reader_refuse(&reader, NULL, path, "a value that is not YAML", err.text);
		return;
	}
	auto_free char *names = pl_strdup(path);
	const struct pl_yaml no_location = { .kind = PL_YAML_SCALAR };
	struct exp_nest nest;
	const struct pl_yaml *root = exp_nest(&nest, names, &no_location, pl_yaml_root(doc));
	if (root == NULL) {
		option_reader_refuse(&reader, NULL, path, "a key with too many parts",
				     EXP_NEST_EXPECTED);
		return;
	}
	read_root(&reader, root, experiment);
	for (size_t i = first; i < problems->count; i++)
		problems->items[i].line = 0;
}

/*
 * Returns the release that the file or a --set names; NULL: none. Needed before anything else is
 * read, because it determines the arguments.
 */
static const char *named_release(const struct pl_yaml *root, const char *const *sets,
				 size_t set_count)
{
	static const char key[] = "launch.vllm_version=";
	const struct pl_yaml *node = root->kind == PL_YAML_MAP
					     ? exp_map_get(pl_yaml_get(root, "launch"),
							   "vllm_version")
					     : NULL;
	const char *text = node != NULL && node->kind == PL_YAML_SCALAR ? node->text : NULL;

	for (size_t i = 0; i < set_count; i++) {
		if (pl_text_starts(sets[i], key))
			text = sets[i] + strlen(key);
	}
	return text;
}

/* A release's rows take any key in their objects (fields_open): only the reference's are known
 * in full. */
static int read_text(const struct vllm_catalog *catalog, const char *text, size_t len,
		     const char *source, bool no_lines, const char *const *sets, size_t set_count,
		     struct exp_config **ret, struct option_problems *problems, struct pl_err *err)
{
	auto_yaml struct pl_yaml_doc *doc = NULL;
	auto_experiment struct exp_config *experiment = exp_config_new(catalog, source);
	struct option_reader reader = { .source = source,
					.problems = problems,
					.locations = &experiment->locations,
					.given = experiment->given,
					.raw = experiment->raw,
					.no_lines = no_lines };
	size_t first = problems->count;

	if (pl_yaml_parse(text, len, source, &doc, err) < 0)
		return -1;
	const struct pl_yaml *root = pl_yaml_root(doc);
	const char *release = named_release(root, sets, set_count);
	if (release != NULL && vllm_catalog_is_reference(catalog))
		experiment->catalog = vllm_catalog_release(catalog, release);
	reader.fields_open = !vllm_catalog_knows_keys(experiment->catalog);
	read_root(&reader, root, experiment);
	for (size_t i = first; no_lines && i < problems->count; i++)
		problems->items[i].line = 0;
	for (size_t i = 0; i < set_count; i++)
		read_set(sets[i], reader.fields_open, experiment, problems);
	exp_server_config_read(experiment, reader.fields_open, problems);
	exp_launch_join(experiment, problems);
	exp_offline_complete(experiment);
	exp_check_alone(experiment, problems);
	*ret = pl_take(experiment);
	return 0;
}

/* Merges the members into the existing values. */
static void read_setting(struct option_reader *reader, const struct exp_setting *setting,
			 struct exp_config *experiment)
{
	auto_free char *names = pl_strdup(setting->key);
	struct exp_nest nest;
	const struct pl_yaml *root = exp_nest(&nest, names, setting->at, setting->value);

	if (root == NULL)
		option_reader_refuse(reader, setting->at, setting->key, "a key with too many parts",
				     EXP_NEST_EXPECTED);
	else
		read_root(reader, root, experiment);
}

struct exp_config *exp_sweep_config(const struct exp_sweep *sweep,
				    const struct exp_sweep_cell *cell,
				    const struct vllm_catalog *catalog,
				    struct option_problems *problems)
{
	struct exp_config *experiment = exp_config_new(catalog, sweep->source);
	struct option_reader reader = { .source = sweep->source,
					.problems = problems,
					.locations = &experiment->locations,
					.given = experiment->given,
					.raw = experiment->raw };
	const char *release = named_release(&sweep->base, NULL, 0);

	for (size_t i = 0; i < cell->setting_count; i++) {
		const struct exp_setting *setting = cell->settings[i];
		if (strcmp(setting->key, "launch.vllm_version") == 0 &&
		    setting->value->kind == PL_YAML_SCALAR)
			release = setting->value->text;
	}
	if (release != NULL && vllm_catalog_is_reference(catalog))
		experiment->catalog = vllm_catalog_release(catalog, release);
	reader.fields_open = !vllm_catalog_knows_keys(experiment->catalog);
	read_root(&reader, &sweep->base, experiment);
	for (size_t i = 0; i < cell->setting_count; i++)
		read_setting(&reader, cell->settings[i], experiment);
	exp_server_config_read(experiment, reader.fields_open, problems);
	exp_launch_join(experiment, problems);
	exp_check_alone(experiment, problems);
	return experiment;
}

int exp_config_read_text(const struct vllm_catalog *catalog, const char *text, size_t len,
			 const char *source, const char *const *sets, size_t set_count,
			 struct exp_config **ret, struct option_problems *problems,
			 struct pl_err *err)
{
	return read_text(catalog, text, len, source, false, sets, set_count, ret, problems, err);
}

/* Converts to text: JSON is YAML, and one reader is enough. Its line numbers are meaningless. */
int exp_config_read_json(const struct vllm_catalog *catalog, const json_t *json, const char *source,
			 const char *const *sets, size_t set_count, struct exp_config **ret,
			 struct option_problems *problems, struct pl_err *err)
{
	auto_free char *text = pl_json_to_text(json, PL_JSON_COMPACT);

	return read_text(catalog, text, strlen(text), source, true, sets, set_count, ret, problems,
			 err);
}

/*
 * Returns whether a file's value would be expanded. In a command line the shell has done it; "${"
 * is then part of the name.
 */
static bool is_path(enum vllm_bench_id id)
{
	return id == VLLM_BENCH_dataset_path || id == VLLM_BENCH_result_dir;
}

/* The option that a problem's key is about: "benchmark.extra_body" of "benchmark.extra_body.x". */
static const struct option_location *position_of(const struct exp_config *experiment,
						 const char *key)
{
	const char *name = key != NULL ? strchr(key, '.') : NULL;
	size_t len = name != NULL ? strcspn(name + 1, ".[") : 0;
	auto_free char *option = name != NULL ? pl_strndup(key, (size_t)(name + 1 - key) + len)
					      : NULL;

	return option != NULL ? option_locations_find(&experiment->locations, option) : NULL;
}

void exp_config_set_options(struct exp_config *experiment, const json_t *options,
			    struct option_problems *problems)
{
	const char *source = experiment->source;
	struct option_reader reader = { .source = source, .problems = problems, .no_lines = true };
	auto_yaml struct pl_yaml_doc *doc = NULL;
	auto_json json_t *load = json_object();
	struct pl_err err = PL_ERR_INIT;
	size_t first = problems->count;

	experiment->voice = OPTION_AS_FLAG;
	PL_JSON_EACH_MEMBER(name, value, options) {
		enum vllm_bench_id id = vllm_bench_find(name);
		auto_free char *key = pl_asprintf("benchmark.%s", name);
		if (!is_path(id))
			json_object_set(load, name, value);
		else
			vllm_bench_set(&experiment->bench, id, value);
		experiment->bench_set[id] = true;
		if (option_locations_find(&experiment->locations, key) == NULL)
			option_locations_set(&experiment->locations, key, source, 0, 0);
	}
	auto_free char *text = pl_json_to_text(load, PL_JSON_COMPACT);
	if (pl_yaml_parse(text, strlen(text), source, &doc, &err) < 0)
		option_problem_report(problems, .source = source, .key = "benchmark",
				      .expected = err.text, .expected_is_reason = true);
	else
		exp_benchmark_read(&reader, pl_yaml_root(doc), &experiment->bench,
				   experiment->bench_set);
	for (size_t i = first; i < problems->count; i++) {
		const struct option_location *location = position_of(experiment,
								     problems->items[i].key);
		problems->items[i].line = location != NULL ? location->line : 0;
		problems->items[i].column = location != NULL ? location->column : 0;
	}
	exp_offline_complete(experiment);
}

int exp_config_read(const struct vllm_catalog *catalog, const char *path, const char *const *sets,
		    size_t set_count, struct exp_config **ret, struct option_problems *problems,
		    struct pl_err *err)
{
	auto_free char *text = NULL;
	size_t len = 0;

	if (pl_file_read(path, EXPERIMENT_BYTES_MAX, &text, &len, err) < 0)
		return -1;
	return exp_config_read_text(catalog, text, len, path, sets, set_count, ret, problems, err);
}

/* Texts name keys in braces, "{benchmark.seed}", which a command line calls by its flag. */
void exp_words(const struct exp_config *experiment, struct pl_err *err)
{
	auto_buf words = PL_BUF(EXPANDED_BYTES_MAX);

	if (strchr(err->text, '{') == NULL)
		return;
	option_words_add(err->text, experiment->voice, &words);
	pl_err_set(err, err->code, "%s", pl_buf_text(&words));
}

/* Returns the user's settings, with secrets hidden. */
static json_t *server_to_json(const struct exp_config *experiment)
{
	json_t *shown = vllm_secret_json_shown(experiment->server);

	PL_JSON_EACH_MEMBER(name, value, experiment->server) {
		if (vllm_arg_find(experiment->catalog, name)->secret && !json_is_boolean(value) &&
		    !json_is_null(value))
			json_object_set_new(shown, name, json_string(OPTION_SECRET_SHOWN));
	}
	return shown;
}

static json_t *section_to_json(const struct exp_config *experiment, const char *section)
{
	json_t *json = json_object();

	exp_keys_to_json(experiment, section, json);
	return json;
}

json_t *exp_config_to_json(const struct exp_config *experiment)
{
	json_t *json = section_to_json(experiment, "");
	json_t *launch = section_to_json(experiment, "launch");

	if (experiment->launch.command == NULL && experiment->launch.url == NULL)
		json_object_set_new(launch, "command", json_pack("[s,s]", "vllm", "serve"));
	json_object_set_new(json, "server", server_to_json(experiment));
	json_object_set_new(json, "launch", launch);
	json_object_set_new(json, "benchmark", vllm_bench_to_json(&experiment->bench));
	json_object_set_new(json, "telemetry", section_to_json(experiment, "telemetry"));
	json_object_set_new(json, "profiling", section_to_json(experiment, "profiling"));
	json_object_set_new(json, "output", section_to_json(experiment, "output"));
	return json;
}

/*
 * Omits the arguments from the file in server.config: the user requested the file, and its
 * arguments would be requested twice.
 */
static json_t *server_explicit(const struct exp_config *experiment)
{
	const char *file = pl_json_get_text(experiment->server, "config");
	json_t *requested = server_to_json(experiment);

	PL_JSON_EACH_MEMBER(name, value, experiment->server) {
		auto_free char *key = pl_asprintf("server.%s", name);
		const struct option_location *location = option_locations_find(
			&experiment->locations, key);
		const json_t *given = json_object_get(experiment->given, name);
		if (file != NULL && location != NULL && pl_text_equal(location->source, file))
			json_object_del(requested, name);
		else if (json_is_object(value) && given != NULL)
			json_object_set_new(requested, name, vllm_secret_json_shown(given));
	}
	return requested;
}

/* Returns a text with "${…}" as written: its expansion may be specific to this machine. */
static json_t *benchmark_explicit(const struct exp_config *experiment)
{
	auto_json json_t *all = vllm_bench_to_json(&experiment->bench);
	json_t *requested = json_object();

	for (size_t i = 0; i < VLLM_BENCH_COUNT; i++) {
		enum vllm_bench_id id = (enum vllm_bench_id)i;
		const char *name = vllm_bench_row(id)->name;
		auto_free char *key = pl_asprintf("benchmark.%s", name);
		json_t *value = json_object_get(all, name);
		json_t *raw = json_object_get(experiment->raw, key);
		/* the kind of an offline benchmark implies its defaults */
		bool is_set = experiment->bench_set[id] ||
			      (experiment->voice == OPTION_AS_FLAG &&
			       exp_offline_kind(experiment) == NULL &&
			       !vllm_bench_is_default(&experiment->bench, id));
		if (is_set && raw != NULL && json_is_string(value))
			json_object_set_new(requested, name, vllm_secret_json_shown(raw));
		else if (is_set)
			json_object_set(requested, name, value);
	}
	return requested;
}

/* Returns the settings, section by section in the order of a file; omits empty sections. */
static json_t *all_explicit(const struct exp_config *experiment)
{
	static const char *const sections[] = { "server",    "launch",    "benchmark",
						"telemetry", "profiling", "output" };
	json_t *requested = json_object();

	exp_keys_explicit(experiment, "", requested);
	for (size_t i = 0; i < PL_ARRAY_SIZE(sections); i++) {
		auto_json json_t *section = NULL;
		if (i == 0)
			section = server_explicit(experiment);
		else if (i == 2)
			section = benchmark_explicit(experiment);
		else
			exp_keys_explicit(experiment, sections[i], section = json_object());
		if (json_object_size(section) > 0)
			json_object_set(requested, sections[i], section);
	}
	return requested;
}

/* A flag requests the simulator, not the file: without it here, a second run would start vLLM. */
json_t *exp_config_explicit(const struct exp_config *experiment)
{
	json_t *requested = experiment->requested != NULL ? json_deep_copy(experiment->requested)
							  : all_explicit(experiment);
	json_t *launch = json_object_get(requested, "launch");

	if (!experiment->simulate)
		return requested;
	if (launch == NULL)
		json_object_set_new(requested, "launch", launch = json_object());
	json_object_set_new(launch, "command", json_pack("[ss]", EXP_SIMULATOR, "serve"));
	return requested;
}
