/* `--config FILE`, vLLM's own YAML: its keys are flags, read in front of those of the command. */
#include "vllm/command/command_priv.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/text.h"
#include "base/yaml.h"
#include "vllm/config_file.h"

struct config {
	struct vllm_parse *parse;
	const char *path;
};

static void add(struct config *config, const char *text, const struct pl_yaml *at)
{
	vllm_token_add(config->parse, text, config->path, at->line, at->column);
}

static void add_scalar(struct config *config, const struct pl_yaml *node)
{
	bool truth;

	if (pl_yaml_is_null(node))
		add(config, "None", node);
	else if (pl_yaml_to_bool(node, &truth))
		add(config, truth ? "True" : "False", node);
	else
		add(config, node->text, node);
}

static void add_value(struct config *config, const struct pl_yaml *node)
{
	auto_json json_t *json = NULL;
	auto_free char *text = NULL;

	if (node->kind == PL_YAML_SCALAR) {
		add_scalar(config, node);
		return;
	}
	json = pl_yaml_to_json(node);
	text = pl_json_to_text(json, PL_JSON_PYTHON);
	add(config, text, node);
}

static void add_pair(struct config *config, const struct pl_yaml *key, const struct pl_yaml *value)
{
	auto_free char *flag = pl_asprintf("--%s", key->text);
	auto_free char *negative = pl_asprintf("--no-%s", key->text);
	struct option_reader reader = { .source = config->path,
					.problems = config->parse->problems };
	bool truth;

	if (vllm_config_is_left_out(&reader, key, value, flag))
		return;
	if (pl_yaml_to_bool(value, &truth)) {
		add(config, truth || !vllm_config_false_counts(key->text) ? flag : negative, key);
		return;
	}
	add(config, flag, key);
	if (value->kind != PL_YAML_LIST) {
		add_value(config, value);
		return;
	}
	for (size_t i = 0; i < value->count; i++)
		add_value(config, value->items[i]);
}

static bool is_yaml_name(const char *path)
{
	return pl_text_ends(path, ".yaml") || pl_text_ends(path, ".yml");
}

/* vLLM takes the model from the command or from the file, and starts with neither of them no
 * more. */
static void check_model(struct config *config, const struct vllm_token *at,
			const struct pl_yaml *root)
{
	const struct vllm_parse *parse = config->parse;
	bool is_first = parse->count > 0 && parse->tokens[0].text[0] != '-';

	if (!is_first && pl_yaml_get(root, "model") == NULL)
		vllm_parse_add(config->parse, OPTION_ERROR, at, "a file without a model",
			       "'model' in it, or the model as the first word of the command",
			       NULL);
}

bool vllm_command_config(struct vllm_parse *parse, const struct vllm_token *at, const char *path)
{
	auto_yaml struct pl_yaml_doc *doc = NULL;
	auto_free char *full = path[0] == '/' || parse->folder == NULL
				       ? pl_strdup(path)
				       : pl_asprintf("%s/%s", parse->folder, path);
	struct config config = { .parse = parse, .path = path };
	struct pl_err err = PL_ERR_INIT;

	if (!is_yaml_name(path)) {
		vllm_parse_add(parse, OPTION_ERROR, at, NULL,
			       "a file with the ending .yaml or .yml", NULL);
		return false;
	}
	if (pl_yaml_read_file(full, &doc, &err) < 0) {
		vllm_parse_add(parse, OPTION_ERROR, at, err.text, "a YAML file that can be read",
			       NULL);
		return false;
	}
	const struct pl_yaml *root = pl_yaml_root(doc);
	if (root->kind != PL_YAML_MAP) {
		vllm_parse_add(parse, OPTION_ERROR, at, "a file that is no mapping",
			       "arguments and their values", NULL);
		return false;
	}
	check_model(&config, at, root);
	for (size_t i = 0; i < root->count; i++)
		add_pair(&config, root->keys[i], root->items[i]);
	return true;
}
