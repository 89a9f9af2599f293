#include "vllm/overlay_sense.h"

#include <string.h>

#include "base/text.h"
#include "base/yaml.h"
#include "option/row.h"
#include "vllm/flag_sense.h"

/* The first scalar in the node that is this text; 0: none. JSON is YAML. */
static int line_in(const struct pl_yaml *node, const char *text)
{
	int line = 0;

	if (node == NULL)
		return 0;
	if (node->kind == PL_YAML_SCALAR)
		return strcmp(node->text, text) == 0 ? node->line : 0;
	for (size_t i = 0; i < node->count && line == 0; i++)
		line = line_in(node->items[i], text);
	return line;
}

/* Returns the line of the flag under `key` in the entry of the argument `name`; 0: unknown. */
static int line_of(const char *path, const char *name, const char *key, const char *flag)
{
	auto_yaml struct pl_yaml_doc *doc = NULL;
	int line = 0;

	if (path == NULL || pl_yaml_read_file(path, &doc, PL_ERR_IGNORED) < 0)
		return 0;
	const struct pl_yaml *args = pl_yaml_get(pl_yaml_root(doc), "args");
	for (size_t i = 0; args != NULL && i < args->count && line == 0; i++) {
		const struct pl_yaml *entry = args->items[i];
		const struct pl_yaml *found = entry->kind == PL_YAML_MAP
						      ? pl_yaml_get(entry, "name")
						      : NULL;
		if (found != NULL && strcmp(found->text, name) == 0)
			line = line_in(pl_yaml_get(entry, key), flag);
	}
	return line;
}

static int refuse(const struct option_row *row, const char *path, const char *key, const char *flag,
		  const char *why, struct pl_err *err)
{
	int line = line_of(path, row->name, key, flag);

	if (line > 0)
		return pl_err_invalid(err, "line %d: argument '%s': '%s': found '%s', %s", line,
				      row->name, key, flag, why);
	return pl_err_invalid(err, "argument '%s': '%s': found '%s', %s", row->name, key, flag,
			      why);
}

static bool is_known_alias(const struct option_row *before, const char *flag)
{
	return before != NULL &&
	       (pl_text_equal(before->flag, flag) || pl_text_has_word(before->aliases, ' ', flag));
}

static int check_alias(const struct option_row *row, const struct option_row *before,
		       bool generated, const char *flag, const char *path, struct pl_err *err)
{
	auto_free char *why = NULL;

	if (!pl_text_starts(flag, "--"))
		return 0;
	switch (vllm_flag_sense(row->flag, flag)) {
	case VLLM_SENSE_SAME:
		return 0;
	case VLLM_SENSE_OPPOSITE:
		why = pl_asprintf("the opposite of '%s'; list it in 'negative_aliases'", row->flag);
		return refuse(row, path, "aliases", flag, why, err);
	case VLLM_SENSE_UNDECIDED:
		break;
	}
	if (!generated || is_known_alias(before, flag))
		return 0;
	why = pl_asprintf("which may switch '%s' on or off; create the overlay again with 'profllm "
			  "params --from-vllm', or correct it and remove 'made_from'",
			  row->flag);
	return refuse(row, path, "aliases", flag, why, err);
}

static int check_negative(const struct option_row *row, const char *key, const char *flag,
			  const char *path, struct pl_err *err)
{
	if (!pl_text_starts(flag, "--") || vllm_flag_sense(row->flag, flag) != VLLM_SENSE_SAME)
		return 0;
	auto_free char *why = pl_asprintf("which means the same as '%s'; list it in 'aliases'",
					  row->flag);
	return refuse(row, path, key, flag, why, err);
}

int vllm_overlay_sense(const struct option_row *row, const struct option_row *before,
		       bool generated, const char *path, struct pl_err *err)
{
	auto_json json_t *aliases = pl_json_words(row->aliases);
	auto_json json_t *negatives = pl_json_words(row->negative_aliases);

	if (row->style != OPTION_STYLE_TOGGLE && row->style != OPTION_STYLE_FLAG)
		return 0;
	PL_JSON_EACH(alias, aliases) {
		if (check_alias(row, before, generated, json_string_value(alias), path, err) < 0)
			return -1;
	}
	if (row->negative_flag != NULL &&
	    check_negative(row, "negative_flag", row->negative_flag, path, err) < 0)
		return -1;
	PL_JSON_EACH(negative, negatives) {
		if (check_negative(row, "negative_aliases", json_string_value(negative), path,
				   err) < 0)
			return -1;
	}
	return 0;
}
