/*
 * `server.config`, vLLM's YAML of arguments, read like vLLM does: each key becomes words at the
 * start of the command line (vllm/config_file.h). Scalars are words: quotes make no difference.
 */
#include "experiment/config_priv.h"

#include <string.h>

#include "base/file.h"
#include "base/mem.h"
#include "base/text.h"
#include "experiment/check.h"
#include "vllm/config_file.h"

enum { CONFIG_BYTES_MAX = 8 << 20 };

static void refuse_file(const struct exp_config *experiment, struct option_problems *problems,
			const char *found, const char *expected)
{
	static const char key[] = "server.config";

	exp_problem_report(experiment, NULL, problems, .key = key, .found = found,
			   .expected = expected);
}

/* A file that is named by a file is not read by vLLM. */
static void read_pairs(const struct vllm_catalog *catalog, struct option_reader *reader,
		       const struct pl_yaml *root, json_t *server)
{
	auto_free struct pl_yaml **keys = pl_alloc_array(root->count, sizeof(*keys));
	auto_free struct pl_yaml **items = pl_alloc_array(root->count, sizeof(*items));
	struct pl_yaml retained = *root;

	retained.keys = keys;
	retained.items = items;
	retained.count = 0;
	for (size_t i = 0; i < root->count; i++) {
		if (strcmp(root->keys[i]->text, "config") == 0) {
			option_reader_refuse(reader, root->keys[i], "server.config",
					     "the key 'config' in a configuration file",
					     "arguments only");
			continue;
		}
		auto_free char *key = pl_asprintf("server.%s", root->keys[i]->text);
		if (vllm_config_is_left_out(catalog, reader, root->keys[i], root->items[i], key))
			continue;
		keys[retained.count] = root->keys[i];
		items[retained.count++] = root->items[i];
	}
	exp_server_read(catalog, reader, &retained, server);
}

/*
 * Adds the file's values for arguments that are not set, with their locations, so that later errors
 * are reported in that file.
 */
static void lay_under(struct exp_config *experiment, const json_t *server,
		      const struct option_locations *locations)
{
	PL_JSON_EACH_MEMBER(name, value, server) {
		auto_free char *key = pl_asprintf("server.%s", name);
		const struct option_location *location = option_locations_find(locations, key);
		if (json_object_get(experiment->server, name) != NULL)
			continue;
		json_object_set(experiment->server, name, value);
		if (location != NULL)
			option_locations_set(&experiment->locations, key, location->source,
					     location->line, location->column);
	}
}

static void read_file(struct exp_config *experiment, bool fields_open,
		      struct option_problems *problems, const char *path)
{
	struct option_locations locations = { 0 };
	struct option_reader inside = { .source = path,
					.problems = problems,
					.locations = &locations,
					.as_words = true,
					.fields_open = fields_open };
	auto_yaml struct pl_yaml_doc *doc = NULL;
	auto_json json_t *server = json_object();
	auto_free char *text = NULL;
	struct pl_err err = PL_ERR_INIT;
	size_t len = 0;

	if (pl_file_read(path, CONFIG_BYTES_MAX, &text, &len, &err) < 0) {
		refuse_file(experiment, problems, err.text, "a readable file");
		return;
	}
	if (pl_yaml_parse(text, len, path, &doc, &err) < 0) {
		refuse_file(experiment, problems, "a file that is not YAML", err.text);
		return;
	}
	if (pl_yaml_root(doc)->kind != PL_YAML_MAP) {
		option_reader_refuse(&inside, pl_yaml_root(doc), "", NULL,
				     "a mapping of arguments");
		return;
	}
	read_pairs(experiment->catalog, &inside, pl_yaml_root(doc), server);
	lay_under(experiment, server, &locations);
	option_locations_done(&locations);
}

void exp_server_config_read(struct exp_config *experiment, bool fields_open,
			    struct option_problems *problems)
{
	const char *path = pl_json_get_text(experiment->server, "config");

	if (path == NULL)
		return;
	if (!pl_text_ends(path, ".yaml") && !pl_text_ends(path, ".yml")) {
		auto_free char *found = pl_asprintf("text '%s'", path);
		refuse_file(experiment, problems, found, "a file whose name ends in .yaml or .yml");
		return;
	}
	read_file(experiment, fields_open, problems, path);
}
